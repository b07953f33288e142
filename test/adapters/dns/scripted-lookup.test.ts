// Diagnosis of what no real server says: records that the rules forbid, servers that fail, resolvers that lag behind.

import type { Answer, RecordType } from 'dns-packet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDnsLookup } from '../../../adapters/dns/lookup.ts';
import { diagnose } from '../../../core/domains/diagnose.ts';
import { type Reply, type ScriptedDns, startScriptedDns } from '../../support/scripted-dns.ts';

const TARGET = 'abcdefgh23456789.edge.platform.dev';

type Records = Readonly<Record<string, Reply | undefined>>;

const cname = (name: string, data = TARGET): Answer => ({ type: 'CNAME', name, ttl: 60, data });
const address = (name: string, data: string): Answer => ({ type: 'A', name, ttl: 60, data });
/** The zone shop.dev with one name server, whose address is the one that all of them have here. */
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

/** @param recursive what the recursive server says beside the zone */
async function diagnosisOf(host: string, authoritative: Records, recursive: Records = authoritative, otherwise?: Reply) {
  const [source, resolver] = [await server(authoritative, otherwise), await server({ ...ZONE, ...recursive })];
  const lookup = createDnsLookup({ recursives: [resolver], authoritativePort: source.port, triesMs: [200], privateNetworks: true });
  const { facts, ownership } = await lookup.look({ host, target: TARGET });
  const expected = { host, target: TARGET, token: 'token', claimedElsewhere: false, authorities: ['ca.dev'] };
  return diagnose(expected, facts, ownership);
}

describe('DNS of a domain, scripted', () => {
  test('a CNAME at the top of a zone', async () => {
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

  test('a chain without an end', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `CNAME ${n === 0 ? 'www' : `n${n}`}.shop.dev`,
        { answers: [cname(`${n === 0 ? 'www' : `n${n}`}.shop.dev`, `n${n + 1}.shop.dev`)] },
      ]),
    );
    expect(await diagnosisOf('www.shop.dev', chain)).toMatchObject({ code: 'cname_loop' });
  });

  test.each([
    ['A', '198.51.100.1', 'conflict_a'],
    ['AAAA', '2001:db8::66', 'conflict_aaaa'],
  ] as const)('%s beside a CNAME', async (type, data, code) => {
    const records = {
      'CNAME www.shop.dev': { answers: [cname('www.shop.dev')] },
      [`${type} www.shop.dev`]: { answers: [{ type, name: 'www.shop.dev', ttl: 60, data }] },
    };
    expect(await diagnosisOf('www.shop.dev', records)).toMatchObject({ code, seen: expect.stringContaining('beside the CNAME') });
  });

  test.each(['SERVFAIL', 'REFUSED'] as const)('name servers that answer %s', async (rcode) => {
    expect(await diagnosisOf('www.shop.dev', {}, {}, { rcode })).toMatchObject({
      code: 'dns_unreachable',
      seen: expect.stringContaining(rcode.toLowerCase()),
      actor: 'dns_provider',
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

  test('CAA that can not be looked up', async () => {
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'CAA shop.dev': { rcode: 'SERVFAIL' } })).toMatchObject({
      code: 'caa_lookup_failed',
      seen: expect.stringMatching(/shop\.dev: servfail/),
      actor: 'dns_provider',
    });
  });

  test("CAA on the platform's own name, behind the CNAME", async () => {
    const caa: Answer = { type: 'CAA', name: TARGET, ttl: 60, data: { flags: 0, tag: 'issue', value: 'other.dev' } };
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'CAA www.shop.dev': { answers: [cname('www.shop.dev'), caa] } })).toMatchObject({
      code: 'caa_blocked',
      seen: expect.stringContaining(TARGET),
      actor: 'platform',
    });
  });

  test('a CAA tag that is critical and unknown', async () => {
    const caa = { type: 'CAA', name: 'shop.dev', ttl: 60, data: { flags: 128, tag: 'future', value: 'x' } } as unknown as Answer;
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'CAA shop.dev': { answers: [caa] } })).toMatchObject({
      code: 'caa_blocked',
      seen: expect.stringContaining('128 future "x"'),
    });
  });

  test('a zone whose name server has no address', async () => {
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'A ns.shop.dev': {} })).toMatchObject({ code: 'dns_unreachable' });
  });

  test('a name that no zone holds', async () => {
    expect(await diagnosisOf('www.shop.dev', right, { ...right, 'NS shop.dev': {} })).toMatchObject({
      code: 'dns_unreachable',
      seen: 'no name servers found for www.shop.dev',
    });
  });
});
