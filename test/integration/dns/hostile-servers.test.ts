// Faulty and hostile name servers: a DNS lookup finishes in time and reports a fact for each of them, and the process continues.

import dnsPacket, { type DecodedPacket, type RecordType } from 'dns-packet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDnsLookup, type DnsLookupOptions } from '../../../adapters/dns/lookup.ts';
import { diagnose } from '../../../core/domains/diagnosis/diagnose.ts';
import { type Reply, type Script, type ScriptedDns, startScriptedDns } from '../../support/scripted-dns.ts';

const HOST = 'www.shop.dev';
const TARGET = 'token.edge.dev';
const QUICK_MS = 1_500;
/** The timeout of one attempt: longer than any test, even on a busy machine. */
const SILENCE_MS = 60_000;

async function start(script: Script, address?: string, port?: number): Promise<ScriptedDns> {
  const server = await startScriptedDns(script, address, port);
  onTestFinished(() => server.stop());
  return server;
}

const answers = (data: Record<string, string[]>): Script => {
  return ({ name, type }) => ({
    answers: (data[`${type} ${name}`] ?? []).map((each) => ({ type: type as 'A', name, ttl: 60, data: each })),
  });
};

/** A zone whose name servers, according to the resolver, have these addresses. */
const zoneOf = (addresses: readonly string[]) =>
  answers({
    'NS shop.dev': addresses.map((_, index) => `ns${index}.shop.dev`),
    ...Object.fromEntries(addresses.map((address, index) => [`${address.includes(':') ? 'AAAA' : 'A'} ns${index}.shop.dev`, [address]])),
  });
const resolverOf = (addresses: readonly string[]) => start(zoneOf(addresses));

async function look(options: DnsLookupOptions) {
  const began = performance.now();
  const looked = await createDnsLookup({ triesMs: [200], deadlineMs: QUICK_MS, ...options }).lookUp({ host: HOST, target: TARGET, token: 'token' });
  return { ...looked, ms: performance.now() - began };
}

describe('addresses that no public name server can have', () => {
  const ADDRESSES = [
    '255.255.255.255',
    '224.0.0.251',
    '169.254.1.1',
    '127.0.0.1',
    '10.0.0.1',
    '0.0.0.0',
    '240.0.0.1',
    'fe80::1',
    'ff02::fb',
    '::1',
    'fd00::1',
  ];

  test.each(ADDRESSES)('%s is not queried, and the owner sees why', async (address) => {
    const asServer: string[] = [];
    const zone = zoneOf([address]);
    const resolver = await start((question, transport, query) => {
      if (query.flag_rd !== true) asServer.push(question.name);
      return zone(question, transport, query);
    });
    const { facts } = await look({ recursives: [resolver], authoritativePort: resolver.port });
    expect(facts.authoritative).toEqual([{ server: `ns0.shop.dev (${address})`, kind: 'failed', reason: 'not_public' }]);
    const expected = { host: HOST, apex: false, target: TARGET, token: 'token', claimed: 'none', authority: { issuers: [] } } as const;
    expect(diagnose(expected, facts, [])).toMatchObject({
      code: 'dns_unreachable',
      actor: 'owner',
      fix: expect.stringContaining('set the name servers that your DNS provider gives you'),
    });
    // The scripted resolver is on the loopback address as well: no other server there was queried.
    expect(asServer).toEqual([]);
  });

  test('are all queried with the setting for private networks, and none ends the process', async () => {
    const resolver = await resolverOf(['255.255.255.255', '0.0.0.0', '127.0.0.1']);
    const { facts, ms } = await look({ recursives: [resolver], authoritativePort: 9, privateNetworks: true });
    expect(facts.authoritative.map((answer) => answer.kind)).toEqual(['failed', 'failed', 'failed']);
    expect(ms).toBeLessThan(SILENCE_MS / 2);
  });
});

describe('a lookup', () => {
  test('finishes in time with any number of silent servers', async () => {
    const silent = await start(() => undefined, '127.0.0.1');
    const addresses = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 1}`);
    const resolver = await resolverOf(addresses);
    const { ms, facts } = await look({ recursives: [resolver], authoritativePort: silent.port, privateNetworks: true, triesMs: [SILENCE_MS] });
    expect(ms).toBeLessThan(SILENCE_MS / 2);
    expect(facts.authoritative).toHaveLength(8);
    expect(facts.authoritative.every((answer) => answer.kind === 'failed')).toBe(true);
  });

  test('finishes in time even if every resolver is silent', async () => {
    const silent = await Promise.all([start(() => undefined), start(() => undefined)]);
    const { ms, facts } = await look({ recursives: silent, triesMs: [SILENCE_MS] });
    expect(ms).toBeLessThan(SILENCE_MS / 2);
    expect(facts).toMatchObject({ zone: undefined, authoritative: [] });
  });

  test('gets an answer from one resolver if the other is silent', async () => {
    const [silent, resolver] = [await start(() => undefined), await resolverOf(['10.0.0.1'])];
    const { facts } = await look({ recursives: [silent, resolver], triesMs: [SILENCE_MS], deadlineMs: 8_000 });
    expect(facts.zone).toBe('shop.dev');
    expect(facts.authoritative).toMatchObject([{ reason: 'not_public' }]);
  });

  test('of a name with 120 labels sends no more queries than others', async () => {
    const host = `${'a.'.repeat(118)}shop.dev`;
    const server = await start(() => ({}));
    const resolver = await resolverOf(['127.0.0.1']);
    const lookup = createDnsLookup({ recursives: [resolver], authoritativePort: server.port, privateNetworks: true });
    await lookup.lookUp({ host, target: TARGET, token: 'token' });
    expect(server.asked.length).toBeLessThan(20);
  });

  test('has a default deadline of 10 s', async () => {
    const silent = await start(() => undefined);
    const began = performance.now();
    await createDnsLookup({ recursives: [silent], triesMs: [SILENCE_MS] }).lookUp({ host: HOST, target: TARGET, token: 'token' });
    expect(performance.now() - began).toBeLessThan(SILENCE_MS / 2);
  });
});

describe('wrong or oversized answers', () => {
  const wrongId = (reply: Reply): Reply => ({ ...reply, raw: Buffer.from([0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0]) });
  const cnames = Array.from({ length: 1_000 }, (_, n) => ({ type: 'CNAME' as const, name: HOST, ttl: 60, data: `t${n}.example` }));
  const texts = Array.from({ length: 290 }, () => ({ type: 'TXT' as const, name: HOST, ttl: 60, data: 'x'.repeat(200) }));
  const pointerLoop = (id: number) =>
    Buffer.from([id >> 8, id & 255, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0xc0, 0x0c, 0, 1, 0, 1, 0xc0, 0x0c, 0, 1, 0, 1]);

  const HTTPS = 'UNKNOWN_65' as RecordType;
  const cnameOf = (name: string): Reply => ({ answers: [{ type: 'CNAME', name, ttl: 60, data: TARGET }] });
  const httpsReply = ({ id, questions }: DecodedPacket, data: readonly number[]): Buffer => {
    const header = dnsPacket.encode({ type: 'response', id, flags: dnsPacket.AUTHORITATIVE_ANSWER, questions });
    header.writeUInt16BE(1, 6);
    return Buffer.concat([header, Buffer.from([0xc0, 12, 0, 65, 0, 1, 0, 0, 0, 60, 0, data.length, ...data])]);
  };

  test.each<[string, Script]>([
    ['a wrong id', () => wrongId({})],
    [
      'another question',
      (_question, _transport, query) => ({
        raw: Buffer.concat([idOf(query.id), Buffer.from([0x84, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 120, 0, 0, 1, 0, 1])]),
      }),
    ],
    ['a loop of pointers', (_question, _transport, query) => ({ raw: pointerLoop(query.id ?? 0) })],
    ['TC without TCP', (_question, transport) => (transport === 'UDP' ? { truncated: true } : undefined)],
    ['64 KB of TXT', (_question, transport) => (transport === 'UDP' ? { truncated: true } : { answers: texts })],
    ['1,000 CNAMEs', (_question, transport) => (transport === 'UDP' ? { truncated: true } : { answers: cnames })],
    // Two bytes of priority, and a target of 63 characters of which there is one.
    [
      'a malformed HTTPS record',
      ({ type, name }, _transport, query) => (type === HTTPS ? { raw: httpsReply(query, [0, 1, 63, 65]) } : cnameOf(name)),
    ],
    ['half a message', (_question, _transport, query) => ({ raw: Buffer.concat([idOf(query.id), Buffer.from([0x84])]) })],
  ])('%s: returned as a fact, in time', async (_name, script) => {
    const server = await start(script);
    const resolver = await resolverOf(['127.0.0.1']);
    const { facts, ms } = await look({ recursives: [resolver], authoritativePort: server.port, privateNetworks: true });
    expect(facts.authoritative).toHaveLength(1);
    expect(ms).toBeLessThan(SILENCE_MS / 2);
  });

  const idOf = (id: number | undefined) => Buffer.from([(id ?? 0) >> 8, (id ?? 0) & 255]);
});
