// Verdicts on records that are right in part, and on what servers and resolvers see differently.

import { describe, expect, test } from 'vitest';
import { diagnose } from '../../../core/domains/diagnosis/diagnose.ts';
import type { Diagnosis, Expected } from '../../../core/domains/diagnosis/diagnosis.ts';
import type { DnsFacts, NameRecords, ServerAnswer } from '../../../core/domains/diagnosis/dns-facts.ts';
import { isApex } from '../../../core/domains/host-name.ts';

const TARGET = 'abcdefgh23456789.edge.platform.dev';
const TOKEN = 'petstore-project=abcdefgh23456789';
const OURS = { a: ['192.0.2.10', '192.0.2.11'], aaaa: ['2001:db8::10'] };
const STRANGER = '2001:db8:ffff::1';
const DAY_MS = 86_400_000;

const answer = (records: Partial<NameRecords>, server = 'ns1.provider.net (192.0.2.53)'): ServerAnswer => ({
  server,
  kind: 'records',
  records: { cname: [], a: [], aaaa: [], txt: [], ...records },
});

function factsOf(host: string, records: Partial<NameRecords>, more: Partial<DnsFacts> = {}): DnsFacts {
  const authoritative = [answer(records)];
  return {
    ...{ host, zone: 'shop.dev', nameServers: ['ns1.provider.net'], registered: true, authoritative, recursive: [], referred: [], bogus: undefined },
    ...{ chain: [], loops: false, edge: OURS, rotating: false, wildcard: false, misplaced: undefined, caa: [], ...more },
  };
}

function diagnosisOf(
  facts: DnsFacts,
  expected: Partial<Expected> = {},
  ownership: readonly string[] = [TOKEN],
  time?: Parameters<typeof diagnose>[3],
) {
  const { host } = facts;
  const all = { host, apex: isApex(host), target: TARGET, token: TOKEN, claimed: 'none', authority: { issuers: [] }, ...expected } as const;
  return diagnose(all, facts, ownership, time);
}

describe('an apex', () => {
  const [ours] = OURS.a;
  const [oursToo] = OURS.aaaa;
  const a = (...addresses: (string | undefined)[]) => addresses.filter((each) => each !== undefined);

  // Columns: A records, AAAA records, the verdict without and with rotation, both with the TXT record.
  test.each<[string, Partial<NameRecords>, string, string]>([
    ['only ours', { a: a(ours), aaaa: a(oursToo) }, 'ok_flattened', 'ok_flattened'],
    ["a stranger's AAAA beside our A", { a: a(ours), aaaa: [STRANGER] }, 'conflict_aaaa', 'conflict_aaaa'],
    ["a stranger's A beside our AAAA", { a: ['198.51.100.7'], aaaa: a(oursToo) }, 'conflict_a', 'conflict_a'],
    ["a stranger's AAAA beside ours of both families", { a: a(ours), aaaa: a(oursToo, STRANGER) }, 'conflict_aaaa', 'ok_flattened'],
    ["a stranger's A beside our A", { a: a(ours, '198.51.100.7') }, 'conflict_a', 'ok_flattened'],
    ['only strange addresses', { a: ['198.51.100.7'] }, 'wrong_target', 'wrong_target'],
  ])('with %s', (_, records, steady, rotating) => {
    expect(diagnosisOf(factsOf('shop.dev', records)).code).toBe(steady);
    expect(diagnosisOf(factsOf('shop.dev', records, { rotating: true })).code).toBe(rotating);
  });

  test('with addresses of ours and others: the advice names what is to go, and what stays', () => {
    const found = diagnosisOf(factsOf('shop.dev', { a: a(ours), aaaa: [STRANGER] }));
    expect(found).toMatchObject({ seen: `AAAA ${STRANGER} at shop.dev, alongside our addresses`, actor: 'owner' });
    expect(found.fix).toMatch(/^remove AAAA 2001:db8:ffff::1: .*keep: ALIAS or ANAME/);
    // Followed to the letter, it is right.
    expect(diagnosisOf(factsOf('shop.dev', { a: a(ours) })).code).toBe('ok_flattened');
  });

  test('with rotating addresses and no TXT record: a strange family is the problem first, then the proof is missing', () => {
    const rotating = { rotating: true };
    expect(diagnosisOf(factsOf('shop.dev', { a: a(ours), aaaa: [STRANGER] }, rotating), {}, []).code).toBe('conflict_aaaa');
    expect(diagnosisOf(factsOf('shop.dev', { a: a(ours, '198.51.100.7') }, rotating), {}, []).code).toBe('ownership_required');
    expect(diagnosisOf(factsOf('shop.dev', { a: ['198.51.100.7'] }, rotating), {}, []).code).toBe('ownership_required');
  });

  test('with an HTTPS record that leads elsewhere is in conflict; with one that leads to us, or nowhere else, it is not', () => {
    const withHttps = (...https: string[]) => diagnosisOf(factsOf('shop.dev', { a: a(ours), https }));
    expect(withHttps('old.host.net')).toMatchObject({ code: 'conflict_https', seen: 'an HTTPS record at shop.dev that points to old.host.net' });
    expect([withHttps(TARGET).code, withHttps('shop.dev').code, withHttps().code]).toEqual(['ok_flattened', 'ok_flattened', 'ok_flattened']);
  });
});

describe('a CNAME elsewhere', () => {
  const HOST = 'www.shop.dev';

  test('from a wildcard record is no record to change', () => {
    const found = diagnosisOf(factsOf(HOST, { cname: ['old.host.net'] }, { wildcard: true }));
    expect(found).toMatchObject({ code: 'wrong_target', seen: 'a CNAME to old.host.net, from the wildcard record *' });
    expect(found.fix).toBe(`add the record: CNAME, name www (in full ${HOST}), value ${TARGET}; the wildcard record * can stay`);
  });

  test('from a DNAME record can not be changed while that is there', () => {
    const found = diagnosisOf(factsOf('www.old.shop.dev', { cname: ['www.new.dev'], dname: 'old.shop.dev' }));
    expect(found).toMatchObject({ code: 'wrong_target', seen: 'a CNAME to www.new.dev, from the DNAME record at old.shop.dev' });
    expect(found.fix).toMatch(
      /^remove the DNAME record at old\.shop\.dev.*add the record: CNAME.*or choose a name that is not below old\.shop\.dev$/,
    );
  });

  test("of the account's own other project is named", () => {
    const other = 'zyxwvuts98765432.edge.platform.dev';
    const found = diagnosisOf(factsOf(HOST, { cname: [other] }), { otherTargets: new Map([[other, 'Café']]) });
    expect(found.seen).toBe(`a CNAME to ${other}, which is for your project "Café"`);
    expect(found.fix).toMatch(/or add www\.shop\.dev to project "Café"$/);
    expect(diagnosisOf(factsOf(HOST, { cname: [other] })).seen).toBe(`a CNAME to ${other}`);
  });
});

describe('a record that is right where it is configured, and seen otherwise', () => {
  const HOST = 'www.shop.dev';
  const late: ServerAnswer = { server: '9.9.9.9', kind: 'none', ttlSeconds: 1_800 };
  const start = 1_800_000_000_000;

  /** The diagnosis after each of some times, as the workflow makes it: with what the one before has stored. */
  function over(facts: DnsFacts, ...hours: readonly number[]): readonly Diagnosis[] {
    const found: Diagnosis[] = [];
    for (const hour of hours) found.push(diagnosisOf(facts, {}, [], { now: start + hour * 3_600_000, lag: found.at(-1)?.lag }));
    return found;
  }

  test('is waited for as long as caches may keep the old answer, twice; then the DNS provider is asked', () => {
    const lags = over(factsOf(HOST, { cname: [TARGET] }, { recursive: [late] }), 0, 0.5, 1, 1.1, 40);
    expect(lags.map(({ actor }) => actor)).toEqual(['nobody', 'nobody', 'nobody', 'dns_provider', 'dns_provider']);
    expect(lags[0]?.fix).toMatch(/^nothing: wait about 30 minutes/);
    expect(lags[3]?.seen).toContain('9.9.9.9 still gets another answer, although caches should have dropped it by now: no record');
    expect(lags[3]?.retryAfterSeconds).toBeUndefined();
  });

  test('the longest time counts, even if a later answer has less of it left', () => {
    const [first] = over(factsOf(HOST, { cname: [TARGET] }, { recursive: [{ ...late, ttlSeconds: 86_400 }] }), 0);
    const now = start + 1.5 * DAY_MS;
    expect(diagnosisOf(factsOf(HOST, { cname: [TARGET] }, { recursive: [late] }), {}, [], { now, lag: first?.lag })).toMatchObject({
      actor: 'nobody',
      lag: { since: start, ttlSeconds: 86_400 },
    });
  });

  test('the servers to which the zone above refers are what differs, if their answer is another one', () => {
    const old = answer({ cname: ['old.host.net'] }, 'ns1.old.net (198.51.100.53)');
    const [, later] = over(factsOf(HOST, { cname: [TARGET] }, { recursive: [late], referred: [old] }), 0, 2);
    expect(later).toMatchObject({ code: 'propagating', actor: 'owner' });
    expect(later?.seen).toContain('refers visitors to ns1.old.net (198.51.100.53), which has another answer: CNAME old.host.net');
    expect(later?.fix).toMatch(/^where shop\.dev is registered, set the name servers to ns1\.provider\.net/);
    // Below the registered domain, no registrar has a form for it.
    const deeper = factsOf('www.eu.shop.dev', { cname: [TARGET] }, { zone: 'eu.shop.dev', recursive: [late], referred: [old] });
    expect(over(deeper, 0, 2)[1]?.fix).toMatch(/^in the zone above eu\.shop\.dev \(usually shop\.dev\), set the name servers to/);
    // Servers that have the change as well are not what differs.
    const same = answer({ cname: [TARGET] }, 'ns1.old.net (198.51.100.53)');
    expect(over(factsOf(HOST, { cname: [TARGET] }, { recursive: [late], referred: [same] }), 0, 2)[1]?.actor).toBe('dns_provider');
  });

  test.each([
    ['one provider', 'ns2.provider.net (192.0.2.54)', 'dns_provider', /send this message to your DNS provider/],
    ['two providers', 'ns1.old.net (198.51.100.53)', 'owner', /set the record at each of these DNS providers/],
  ])('name servers of %s that disagree for more than an hour are not waited for', (_, second, actor, fix) => {
    const authoritative = [answer({ cname: [TARGET] }), { server: second, kind: 'none' } as const];
    const lags = over(factsOf(HOST, {}, { authoritative }), 0, 0.9, 1.1);
    expect(lags.map((each) => [each.code, each.actor])).toEqual([
      ['propagating', 'nobody'],
      ['propagating', 'nobody'],
      ['propagating', actor],
    ]);
    expect(lags[2]?.fix).toMatch(fix);
  });
});

describe('invalid signatures', () => {
  const bogus = (name: string, why: 'expired' | 'not_yet_valid' | 'unsigned' | 'other') =>
    diagnosisOf(factsOf('www.deep.shop.dev', { cname: [TARGET] }, { bogus: { name, seenBy: '9.9.9.9', why } }));

  test('that have expired are the provider’s to renew: a new DS record does not help', () => {
    for (const why of ['expired', 'not_yet_valid'] as const) {
      expect(bogus('shop.dev', why)).toMatchObject({ code: 'dnssec_bogus', actor: 'dns_provider' });
      expect(bogus('shop.dev', why).fix).toMatch(/^ask your DNS provider to sign shop\.dev again; a new DS record does not help; if you/);
    }
  });

  test('of a zone without any can only be switched off, or made', () => {
    expect(bogus('shop.dev', 'unsigned').fix).toMatch(/^switch DNSSEC off where shop\.dev is registered.*or have your DNS provider sign the zone/);
  });

  test('name the zone that has them, and where its DS record is', () => {
    expect(bogus('shop.dev', 'other').fix).toMatch(/^switch DNSSEC off where shop\.dev is registered .*or replace the DS record/);
    expect(bogus('deep.shop.dev', 'other').fix).toMatch(/^remove the DS record of deep\.shop\.dev in the zone above it/);
  });
});
