// Diagnosis of cases that no real server produces: records that the rules forbid, servers that fail, resolvers that lag behind.

import dnsPacket, { type Answer, type DecodedPacket, type RecordType } from 'dns-packet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDnsLookup } from '../../../adapters/dns/lookup.ts';
import { type DiagnosisTime, diagnose } from '../../../core/domains/diagnosis/diagnose.ts';
import { isApex } from '../../../core/domains/host-name.ts';
import { type Reply, type ScriptedDns, startScriptedDns } from '../../support/scripted-dns.ts';

const TARGET = 'abcdefgh23456789.edge.platform.dev';

type Records = Readonly<Record<string, Reply | undefined>>;

const cname = (name: string, data = TARGET): Answer => ({ type: 'CNAME', name, ttl: 60, data });
const address = (name: string, data: string): Answer => ({ type: 'A', name, ttl: 60, data });
/** The zone shop.dev with one name server, at the address that all name servers have in this file. */
const ZONE: Records = {
  'NS shop.dev': { answers: [{ type: 'NS', name: 'shop.dev', ttl: 60, data: 'ns.shop.dev' }] },
  'A ns.shop.dev': { answers: [address('ns.shop.dev', '127.0.0.1')] },
  [`A ${TARGET}`]: { answers: [address(TARGET, '192.0.2.10')] },
};

async function server(records: Records, otherwise: Reply | undefined = {}): Promise<ScriptedDns> {
  const started = await startScriptedDns(({ type, name }) => {
    const key = `${type as RecordType} ${name.toLowerCase()}`;
    return key in records ? records[key] : otherwise;
  });
  onTestFinished(() => started.stop());
  return started;
}

/** An answer from a server without authority, which refers to another server or repeats a cached answer. */
function withoutAuthority({ id, questions }: DecodedPacket, { answers = [], authorities = [] }: Reply): Buffer {
  return dnsPacket.encode({ type: 'response', id, questions, answers: [...answers], authorities: [...authorities] });
}

/** @param recursive the recursive resolver's answers, added to the zone's */
async function diagnosisOf(host: string, authoritative: Records, recursive: Records = authoritative, otherwise?: Reply, time?: DiagnosisTime) {
  const [source, resolver] = [await server(authoritative, otherwise), await server({ ...ZONE, ...recursive })];
  return diagnosisBy(resolver, source.port, host, time);
}

async function diagnosisBy(resolver: ScriptedDns, authoritativePort: number, host: string, time?: DiagnosisTime) {
  const lookup = createDnsLookup({ recursives: [resolver], authoritativePort, triesMs: [200], privateNetworks: true });
  const { facts, ownership } = await lookup.lookUp({ host, target: TARGET, token: 'token' });
  const expected = { host, apex: isApex(host), target: TARGET, token: 'token', claimed: 'none', authority: { issuers: ['ca.dev'] } } as const;
  return diagnose(expected, facts, ownership, time);
}

describe('the diagnosis reports', () => {
  test('a CNAME at an apex', async () => {
    const records = Object.fromEntries(['CNAME', 'A', 'AAAA', 'TXT'].map((type) => [`${type} shop.dev`, { answers: [cname('shop.dev')] }]));
    expect(await diagnosisOf('shop.dev', records)).toMatchObject({
      code: 'apex_cname',
      fix: expect.stringMatching(/ALIAS or ANAME.*www\.shop\.dev/),
    });
  });

  test('two CNAMEs at one name', async () => {
    const records = { 'CNAME www.shop.dev': { answers: [cname('www.shop.dev'), cname('www.shop.dev', 'old.dev')] } };
    expect(await diagnosisOf('www.shop.dev', records)).toMatchObject({ code: 'multiple_cname', seen: expect.stringContaining('old.dev') });
  });

  test('a CNAME to itself', async () => {
    const records = { 'CNAME www.shop.dev': { answers: [cname('www.shop.dev', 'www.shop.dev')] } };
    expect(await diagnosisOf('www.shop.dev', records)).toMatchObject({ code: 'cname_loop' });
  });

  test('an endless chain of CNAMEs', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `CNAME ${n === 0 ? 'www' : `n${n}`}.shop.dev`,
        { answers: [cname(`${n === 0 ? 'www' : `n${n}`}.shop.dev`, `n${n + 1}.shop.dev`)] },
      ]),
    );
    // The chain never returns to an earlier name: a long chain is not a loop.
    expect(await diagnosisOf('www.shop.dev', chain)).toMatchObject({ code: 'wrong_target', seen: 'a CNAME to n1.shop.dev' });
  });

  test.each([
    ['A', '198.51.100.1', 'conflict_a'],
    ['AAAA', '2001:db8::66', 'conflict_aaaa'],
  ] as const)('%s next to a CNAME', async (type, data, code) => {
    const records = {
      'CNAME www.shop.dev': { answers: [cname('www.shop.dev')] },
      [`${type} www.shop.dev`]: { answers: [{ type, name: 'www.shop.dev', ttl: 60, data }] },
    };
    expect(await diagnosisOf('www.shop.dev', records)).toMatchObject({ code, seen: expect.stringContaining('alongside the CNAME') });
  });

  test.each([
    ['SERVFAIL', 'ns.shop.dev (127.0.0.1) reports an internal failure', 'dns_provider'],
    ['REFUSED', 'ns.shop.dev (127.0.0.1) refuses to answer for this name', 'owner'],
  ] as const)('name servers that answer %s', async (rcode, seen, actor) => {
    expect(await diagnosisOf('www.shop.dev', {}, {}, { rcode })).toMatchObject({
      code: 'dns_unreachable',
      seen: expect.stringContaining(seen),
      actor,
    });
  });

  test('resolvers that lag behind the name servers', async () => {
    const nothing: Reply = {
      rcode: 'NXDOMAIN',
      authorities: [{ type: 'SOA', name: 'shop.dev', ttl: 900, data: { mname: 'ns.shop.dev', rname: 'a.shop.dev', minimum: 300 } }],
    };
    const old = Object.fromEntries(['CNAME', 'A', 'AAAA', 'TXT'].map((type) => [`${type} www.shop.dev`, nothing]));
    expect(await diagnosisOf('www.shop.dev', { 'CNAME www.shop.dev': { answers: [cname('www.shop.dev')] } }, old)).toMatchObject({
      code: 'propagating',
      actor: 'nobody',
      retryAfterSeconds: 300,
    });
  });

  const right: Records = { 'CNAME www.shop.dev': { answers: [cname('www.shop.dev')] } };

  test('CAA records that cannot be looked up', async () => {
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'CAA shop.dev': { rcode: 'SERVFAIL' } })).toMatchObject({
      code: 'caa_lookup_failed',
      seen: expect.stringMatching(/shop\.dev: a name server reports an internal failure/),
      actor: 'dns_provider',
    });
  });

  test("CAA records at the platform's own name, behind the CNAME", async () => {
    const caa: Answer = { type: 'CAA', name: TARGET, ttl: 60, data: { flags: 0, tag: 'issue', value: 'other.dev' } };
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'CAA www.shop.dev': { answers: [cname('www.shop.dev'), caa] } })).toMatchObject({
      code: 'caa_blocked',
      seen: expect.stringContaining(TARGET),
      actor: 'platform',
    });
  });

  test('an unknown critical CAA tag', async () => {
    const caa = { type: 'CAA', name: 'shop.dev', ttl: 60, data: { flags: 128, tag: 'future', value: 'x' } } as unknown as Answer;
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'CAA shop.dev': { answers: [caa] } })).toMatchObject({
      code: 'caa_blocked',
      seen: expect.stringContaining('128 future "x"'),
    });
  });

  test('a zone whose name server has no address', async () => {
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'A ns.shop.dev': {} })).toMatchObject({ code: 'dns_unreachable' });
  });

  test('a name that belongs to no zone', async () => {
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'NS shop.dev': {} })).toMatchObject({
      code: 'dns_unreachable',
      seen: 'could not find out which name servers www.shop.dev has',
      actor: 'platform',
    });
  });
});

describe('nested zones', () => {
  const referral = (zone: string, nameServer: string): Reply => ({
    authorities: [{ type: 'NS', name: zone, ttl: 60, data: nameServer }],
  });
  const right = (host: string): Records => ({ [`CNAME ${host}`]: { answers: [cname(host)] } });

  /** shop.dev at 127.0.0.1, which delegates deep.shop.dev to 127.0.0.2. */
  async function delegatedDiagnosis(host: string, below: Records) {
    const parent = await startScriptedDns(({ name }, _transport, query) => {
      const isBelow = name === 'deep.shop.dev' || name.endsWith('.deep.shop.dev');
      return isBelow ? { raw: withoutAuthority(query, referral('deep.shop.dev', 'ns.deep.shop.dev')) } : {};
    });
    const child = await startScriptedDns(({ type, name }) => below[`${type as RecordType} ${name}`] ?? {}, '127.0.0.2', parent.port);
    const resolver = await server({ ...ZONE, ...below, 'A ns.deep.shop.dev': { answers: [address('ns.deep.shop.dev', '127.0.0.2')] } });
    for (const each of [parent, child]) onTestFinished(() => each.stop());
    return diagnosisBy(resolver, parent.port, host);
  }

  test('the servers of the nearest zone are authoritative, and are named in the result', async () => {
    expect(await delegatedDiagnosis('www.deep.shop.dev', right('www.deep.shop.dev'))).toMatchObject({ code: 'ok' });
    expect(await delegatedDiagnosis('www.deep.shop.dev', {})).toMatchObject({
      code: 'not_found',
      fix: `add the record: CNAME, name www (in full www.deep.shop.dev), value ${TARGET}, at the name servers of deep.shop.dev (ns.deep.shop.dev)`,
    });
  });

  test('a delegated subdomain keeps the record that its owner was shown, which goes into the parent zone', async () => {
    const fix = expect.stringMatching(
      /^deep\.shop\.dev has its own name servers \(ns\.deep\.shop\.dev\), where no CNAME is possible: in the zone shop\.dev, remove the NS records of deep\.shop\.dev and add: CNAME, name deep/,
    );
    expect(await delegatedDiagnosis('deep.shop.dev', {})).toMatchObject({ code: 'not_found', fix });
    expect(await delegatedDiagnosis('deep.shop.dev', right('deep.shop.dev'))).toMatchObject({ code: 'apex_cname', fix });
  });

  test('a CNAME at a registered domain, which hides its name servers from resolvers, is the reported problem', async () => {
    const zone = await server({ 'CNAME shop.dev': { answers: [cname('shop.dev')] }, 'A shop.dev': { answers: [cname('shop.dev')] } });
    const registry = await startScriptedDns(
      (_question, _transport, query) => ({ raw: withoutAuthority(query, referral('shop.dev', 'ns.shop.dev')) }),
      '127.0.0.2',
      zone.port,
    );
    onTestFinished(() => registry.stop());
    const resolver = await server({
      'NS shop.dev': { answers: [cname('shop.dev')] },
      'NS dev': { answers: [{ type: 'NS', name: 'dev', ttl: 60, data: 'a.nic.dev' }] },
      'A a.nic.dev': { answers: [address('a.nic.dev', '127.0.0.2')] },
      'A ns.shop.dev': { answers: [address('ns.shop.dev', '127.0.0.1')] },
    });
    expect(await diagnosisBy(resolver, zone.port, 'shop.dev')).toMatchObject({
      code: 'apex_cname',
      fix: expect.stringContaining('ALIAS or ANAME, name @'),
    });
  });
});

describe('servers and resolvers that see something else', () => {
  const right: Records = { 'CNAME www.shop.dev': { answers: [cname('www.shop.dev')] } };
  const hidden: Reply = { rcode: 'NXDOMAIN', authorities: [] };
  const nothing = Object.fromEntries(['CNAME', 'A', 'AAAA', 'TXT'].map((type) => [`${type} www.shop.dev`, hidden]));
  /** Long after the change was made. */
  const LATER = { now: 1_800_000_000_000, lag: { since: 1_799_000_000_000, ttlSeconds: 3_600 } };

  test.each(['FORMERR', 'NOTIMP'] as const)('a server that answers %s to EDNS is asked without (RFC 6891)', async (rcode) => {
    const old = await startScriptedDns(({ type, name }, _transport, { additionals = [] }) =>
      additionals.length > 0 ? { rcode } : (right[`${type as RecordType} ${name}`] ?? {}),
    );
    onTestFinished(() => old.stop());
    expect(await diagnosisBy(await server({ ...ZONE, ...right }), old.port, 'www.shop.dev')).toMatchObject({ code: 'ok' });
  });

  test('the servers to which the zone above refers are asked, at the addresses that it has for them', async () => {
    const source = await server(right);
    const elsewhere = await startScriptedDns(() => ({}), '127.0.0.3', source.port);
    const registry = await startScriptedDns(
      (_question, _transport, query) => ({
        raw: dnsPacket.encode({
          type: 'response',
          ...{ id: query.id, questions: query.questions },
          authorities: [{ type: 'NS', name: 'shop.dev', ttl: 60, data: 'ns.shop.dev' }],
          additionals: [address('ns.shop.dev', '127.0.0.3')],
        }),
      }),
      '127.0.0.2',
      source.port,
    );
    for (const each of [elsewhere, registry]) onTestFinished(() => each.stop());
    const resolver = await server({
      ...{ ...ZONE, ...nothing, 'NS dev': { answers: [{ type: 'NS', name: 'dev', ttl: 60, data: 'a.nic.dev' }] } },
      'A a.nic.dev': { answers: [address('a.nic.dev', '127.0.0.2')] },
    });
    expect(await diagnosisBy(resolver, source.port, 'www.shop.dev', LATER)).toMatchObject({
      code: 'propagating',
      actor: 'owner',
      seen: 'the record is right at ns.shop.dev, but the zone above shop.dev still refers visitors to ns.shop.dev (127.0.0.3), which has another answer: no record',
    });
    // If that has the record as well, the servers answer differently in different places.
    expect(await diagnosisOf('www.shop.dev', right, nothing, undefined, LATER)).toMatchObject({ code: 'propagating', actor: 'dns_provider' });
  });

  test.each([
    [7, 'have expired', 'dns_provider'],
    [8, 'are not valid yet', 'dns_provider'],
    [6, "can't be verified", 'owner'],
    [undefined, "can't be verified", 'owner'],
  ] as const)("a resolver's extended error %s says what is wrong with signatures", async (extendedError, seen, actor) => {
    const records: Records = { ...ZONE, ...right, 'DNSKEY shop.dev': { rcode: 'SERVFAIL' } };
    const refusing = await startScriptedDns(({ type, name }, _transport, { flag_cd }) => {
      const isOfZone = name === 'shop.dev' || name.endsWith('.shop.dev');
      if (!isOfZone || flag_cd) return records[`${type as RecordType} ${name}`] ?? {};
      return { rcode: 'SERVFAIL', ...(extendedError !== undefined && { extendedError }) };
    });
    onTestFinished(() => refusing.stop());
    const found = await diagnosisBy(refusing, (await server(right)).port, 'www.shop.dev');
    expect(found).toMatchObject({ code: 'dnssec_bogus', actor, seen: expect.stringContaining(`the DNSSEC signatures of shop.dev ${seen}`) });
  });
});

describe('partial and oversized answers', () => {
  test('one failing record type does not make the server unreachable', async () => {
    const right = { 'CNAME www.shop.dev': { answers: [cname('www.shop.dev')] }, 'AAAA www.shop.dev': { rcode: 'SERVFAIL' as const } };
    const seen = { 'CNAME www.shop.dev': { answers: [cname('www.shop.dev')] } };
    expect(await diagnosisOf('www.shop.dev', { ...right, 'TXT www.shop.dev': { rcode: 'REFUSED' } }, seen)).toMatchObject({ code: 'ok' });
    expect(await diagnosisOf('www.shop.dev', { 'TXT www.shop.dev': { rcode: 'SERVFAIL' } })).toMatchObject({ code: 'not_found' });
  });

  test('a non-authoritative answer is ignored', async () => {
    const hearsay = await startScriptedDns((_question, _transport, query) => ({
      raw: withoutAuthority(query, { answers: [cname('www.shop.dev')] }),
    }));
    onTestFinished(() => hearsay.stop());
    expect(await diagnosisBy(await server(ZONE), hearsay.port, 'www.shop.dev')).toMatchObject({
      code: 'dns_unreachable',
      actor: 'owner',
      seen: expect.stringContaining('is not responsible for this name'),
    });
  });

  test('only a few of many records are shown, each shortened to a readable length', async () => {
    const many = Array.from({ length: 200 }, (_, n) => cname('www.shop.dev', `${'a'.repeat(60)}.${'b'.repeat(60)}.n${n}.dev`));
    const { code, seen } = await diagnosisOf('www.shop.dev', { 'CNAME www.shop.dev': { answers: many } });
    expect([code, seen.length <= 600]).toEqual(['multiple_cname', true]);
    const texts = await diagnosisOf('shop.dev', {
      'A shop.dev': { answers: [address('shop.dev', '192.0.2.10')] },
      'TXT _petstore.shop.dev': { answers: [{ type: 'TXT', name: '_petstore.shop.dev', ttl: 60, data: 'x\u001b[2J\u202e' }] },
    });
    expect([texts.code, /[\u0000-\u001f\u202e]/.test(texts.seen)]).toEqual(['ownership_required', false]);
  });

  test('if the proof is present, no other addresses have to be removed', async () => {
    const proof: Answer = { type: 'TXT', name: '_petstore.shop.dev', ttl: 60, data: 'token' };
    const told = await diagnosisOf('shop.dev', {
      'A shop.dev': { answers: [address('shop.dev', '198.51.100.9')] },
      'TXT _petstore.shop.dev': { answers: [proof] },
    });
    expect(told).toMatchObject({ code: 'wrong_target', fix: expect.stringMatching(/^make sure that the record is: ALIAS/) });
    expect(told.fix).not.toContain('remove');
  });
});
