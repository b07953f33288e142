// What every DnsLookup must do.

import { expect } from 'expect';
import fc from 'fast-check';
import { txtName } from '../core/domains/diagnosis/diagnosis.ts';
import type { DnsLookup } from '../core/domains/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface DnsRecord {
  readonly name: string;
  readonly type: 'CNAME' | 'A' | 'TXT';
  readonly value: string;
}

export interface DnsWorld {
  readonly lookup: DnsLookup;
  /** The same lookup with short timeouts, for servers that don't answer. */
  readonly impatient: DnsLookup;
  /** A registered domain whose name servers the lookup finds. */
  readonly zone: string;
  /** Replaces all records in the zone with the given ones. */
  set(records: readonly DnsRecord[]): void;
  /** After this call, no server answers. */
  fallSilent(): Promise<void>;
  /** After this call, the servers send these bytes instead of answers. Needed unless `malformed_answers` is declared. */
  answerWith?(bytes: Uint8Array): void;
  stop(): Promise<void>;
}

const TARGET = 'abcdefgh23456789.edge.petstore.test';
const TOKEN = 'petstore-project=abcdefgh23456789';

const GAPS = ['malformed_answers'] as const;

/** `malformed_answers`: the test's servers can't send malformed answers (`answerWith`). */
export type DnsLookupGap = (typeof GAPS)[number];

/** Declares the suite for an adapter. @param make returns a lookup without cached answers, and its servers; called for each test */
export function dnsLookupContract(runner: TestFunction, make: Make<DnsWorld>, options: SuiteOptions<DnsLookupGap> = {}): void {
  async function setUp() {
    const world = await make();
    const host = `www.${world.zone}`;
    return {
      ...world,
      host,
      look: (asked = host) => world.lookup.lookUp({ host: asked, target: TARGET, token: TOKEN }),
      lookBriefly: () => world.impatient.lookUp({ host, target: TARGET, token: TOKEN }),
      cname: (at = host, value = TARGET): DnsRecord => ({ name: at, type: 'CNAME', value }),
    };
  }

  const test = contractSuite(runner, 'DnsLookup contract', options, { setUp, tearDown: (world) => world.stop(), gaps: GAPS });

  test('returns the answers of every authoritative server and of the public resolvers', async ({ set, look, cname, zone, host }) => {
    set([cname()]);
    const { facts, ownership } = await look();
    expect(facts).toMatchObject({ host, zone, registered: true, loops: false });
    for (const answers of [facts.authoritative, facts.recursive]) {
      expect(answers.length).toBeGreaterThan(0);
      for (const answer of answers) expect(answer).toMatchObject({ kind: 'records', records: { cname: [TARGET] } });
    }
    expect(ownership).toEqual([]);
  });

  test('sends new queries each time', async ({ set, look, cname }) => {
    const seen = async () => (await look()).facts.authoritative.flatMap((answer) => (answer.kind === 'records' ? answer.records.cname : answer.kind));
    expect(await seen()).toEqual(['none']);
    set([cname()]);
    expect(await seen()).toEqual([TARGET]);
    set([cname(undefined, 'old.host.dev')]);
    expect(await seen()).toEqual(['old.host.dev']);
    set([]);
    expect(await seen()).toEqual(['none']);
  });

  test('returns all ownership tokens, including those of other accounts', async ({ set, look, cname, host }) => {
    set([cname(), ...[TOKEN, 'other'].map((value) => ({ name: txtName(host), type: 'TXT', value }) as const)]);
    expect([...(await look()).ownership].sort()).toEqual(['other', TOKEN].sort());
    set([cname(), { name: host.replace('www', '_petstore.blog'), type: 'TXT', value: TOKEN }]);
    expect((await look()).ownership).toEqual([]);
  });

  test('does not query resolvers for a wrong name, because they would cache the negative answer', async ({ set, look, host }) => {
    set([{ name: host, type: 'A', value: '198.51.100.1' }]);
    const { facts } = await look();
    expect(facts.authoritative).toMatchObject([{ kind: 'records', records: { a: ['198.51.100.1'] } }]);
    expect([facts.recursive, facts.caa]).toEqual([[], []]);
  });

  test("finds a host's zone and the zone's name servers, without queries for the host", async ({ lookup, zone, host }) => {
    expect(await lookup.zoneOf(host)).toEqual({ name: zone, nameServers: [expect.stringMatching(/^ns[a-z0-9.-]*[a-z]$/)] });
  });

  test('finds no zone if no server answers, and takes no longer than 1.5 s', async ({ impatient, fallSilent, host }) => {
    await fallSilent();
    expect(await impatient.zoneOf(host)).toBeUndefined();
  });

  test('does not mix up concurrent lookups', async ({ set, look, cname, zone }) => {
    const hosts = Array.from({ length: 6 }, (_, n) => `w${n}.${zone}`);
    set(hosts.map((host, n) => cname(host, `t${n}.host.dev`)));
    const all = await Promise.all(hosts.map((host) => look(host)));
    expect(all.map(({ facts }) => facts.host)).toEqual(hosts);
    all.forEach(({ facts }, n) => {
      expect(facts.authoritative).toMatchObject([{ kind: 'records', records: { cname: [`t${n}.host.dev`] } }]);
    });
  });

  test('never rejects, because a missing answer is a valid result, too', async ({ set, lookBriefly, cname, fallSilent }) => {
    set([cname()]);
    await fallSilent();
    const { facts, ownership } = await lookBriefly();
    expect(facts.authoritative.filter(({ kind }) => kind !== 'failed')).toEqual([]);
    expect([facts.recursive, ownership]).toEqual([[], []]);
  });

  if (!options.declares?.includes('malformed_answers'))
    test('never rejects on malformed answers', async ({ lookBriefly, answerWith }) => {
      if (answerWith === undefined) throw new Error('the world has no answerWith; declare malformed_answers');
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (bytes) => {
          answerWith(bytes);
          const { facts } = await lookBriefly();
          expect(facts.authoritative.filter(({ kind }) => kind === 'records')).toEqual([]);
        }),
        { numRuns: 10 },
      );
    });
}
