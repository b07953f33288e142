// Gathers what the DNS says of a domain: the zone that holds it, every authoritative server of that zone, the recursive servers, and
// what a diagnosis needs around it. All of it is asked anew; nothing is remembered.

import type { Answer, CaaAnswer, RecordType, SoaAnswer, StringAnswer, TxtAnswer } from 'dns-packet';
import { type CaaLookup, caaClimb } from '../../core/domains/caa.ts';
import { txtName } from '../../core/domains/diagnose.ts';
import type { DnsFacts, NameRecords, ServerAnswer } from '../../core/domains/dns-facts.ts';
import type { DnsLookup } from '../../core/ports.ts';
import type { NameServer } from './name-server.ts';
import { type QueryResult, query } from './query.ts';

export interface DnsLookupOptions {
  /** Recursive servers; the first that answers is asked for what lies around, all of them for what the world sees. At least one. */
  readonly recursives: readonly NameServer[];
  /** The port of authoritative servers. @default 53 */
  readonly authoritativePort?: number;
  /** How long each try of a question waits, in milliseconds. @default see query.ts */
  readonly triesMs?: readonly number[];
}

/** A CNAME chain that is longer is taken for endless, as resolvers do. */
const MAX_HOPS = 10;
/** Name servers of a zone that are asked; more than a zone has in practice. */
const MAX_NAME_SERVERS = 8;
const RECORD_TYPES = ['CNAME', 'A', 'AAAA', 'TXT'] as const;

export function createDnsLookup(options: DnsLookupOptions): DnsLookup {
  return { look: ({ host, target }) => new Look(options).gather(host, target) };
}

type Ask = (server: NameServer, name: string, type: RecordType, extra?: { recursive?: boolean; checkingDisabled?: boolean }) => Promise<QueryResult>;

/** One look at one domain. Who was silent once is not waited for again within it. */
class Look {
  readonly #recursives: readonly NameServer[];
  readonly #authoritativePort: number;
  readonly #ask: Ask;
  readonly #silent = new Set<NameServer>();

  constructor({ recursives, authoritativePort = 53, triesMs }: DnsLookupOptions) {
    this.#recursives = recursives;
    this.#authoritativePort = authoritativePort;
    this.#ask = (server, name, type, extra = {}) => query(server, { name, type, ...extra }, triesMs);
  }

  async gather(host: string, target: string): Promise<{ facts: DnsFacts; ownership: readonly string[] }> {
    const found = await this.#zoneOf(host);
    const servers = found === undefined ? [] : await this.#authoritativeServers(found.nameServers);
    const [authoritative, recursive, way, edge, misplaced, caa, ownership] = await Promise.all([
      Promise.all(servers.map(({ shown, server }) => (server === undefined ? unreachable(shown) : this.#recordsAt(server, shown, host, false)))),
      Promise.all(
        this.#recursives.map((server) =>
          this.#silent.has(server) ? unreachable(server.address) : this.#recordsAt(server, server.address, host, true),
        ),
      ),
      this.#chainFrom(host),
      this.#addressesOf(target),
      found === undefined ? undefined : this.#misplacedRecord(host, found.zone),
      this.#caaLookups(host),
      this.#ownershipOf(servers, txtName(host)),
    ]);
    return { facts: { host, zone: found?.zone, authoritative, recursive, ...way, edge, misplaced, caa }, ownership };
  }

  /** The first recursive server that answers. */
  async #resolve(name: string, type: RecordType): Promise<QueryResult> {
    let last: QueryResult = { kind: 'failed', reason: 'timeout' };
    for (const server of this.#recursives) {
      if (this.#silent.has(server)) continue;
      last = await this.#ask(server, name, type, { recursive: true });
      if (last.kind === 'answer') return last;
      if (last.reason === 'timeout') this.#silent.add(server);
    }
    return last;
  }

  /** The nearest name, from this one up, that has name servers of its own. A CNAME there is not followed. */
  async #zoneOf(host: string): Promise<{ zone: string; nameServers: readonly string[] } | undefined> {
    for (const zone of caaClimb(host)) {
      const nameServers = namesAt(await this.#resolve(zone, 'NS'), zone, 'NS');
      if (nameServers.length > 0) return { zone, nameServers: nameServers.toSorted().slice(0, MAX_NAME_SERVERS) };
    }
    return undefined;
  }

  /** Of any name at the end of the way: here a CNAME is followed. */
  async #addressesOf(name: string): Promise<{ a: readonly string[]; aaaa: readonly string[] }> {
    const [a, aaaa] = await Promise.all([this.#resolve(name, 'A'), this.#resolve(name, 'AAAA')]);
    return { a: allOf(a, 'A'), aaaa: allOf(aaaa, 'AAAA') };
  }

  /** What one server says of exactly this name. */
  async #recordsAt(server: NameServer, shown: string, host: string, recursive: boolean): Promise<ServerAnswer> {
    const results = await Promise.all(RECORD_TYPES.map((type) => this.#ask(server, host, type, { recursive })));
    const failed = results.find((result) => result.kind === 'failed');
    if (failed !== undefined) {
      const unchecked =
        recursive && failed.reason === 'servfail' ? await this.#ask(server, host, 'A', { recursive, checkingDisabled: true }) : undefined;
      return { server: shown, kind: 'failed', reason: failed.reason, bogus: unchecked?.kind === 'answer' };
    }
    const records: NameRecords = {
      // A server tells a CNAME whatever type it is asked for.
      cname: [...new Set(results.flatMap((result) => namesAt(result, host, 'CNAME')))],
      a: dataAt(results[1], host, 'A'),
      aaaa: dataAt(results[2], host, 'AAAA'),
      txt: textsAt(results[3], host),
    };
    if (records.cname.length + records.a.length + records.aaaa.length + records.txt.length > 0) return { server: shown, kind: 'records', records };
    const exists = results.some((result) => result.kind === 'answer' && result.exists);
    return { server: shown, kind: 'none', exists, negativeTtlSeconds: negativeTtl(results) };
  }

  #authoritativeServers(nameServers: readonly string[]): Promise<readonly { shown: string; server: NameServer | undefined }[]> {
    return Promise.all(
      nameServers.map(async (name) => {
        const { a, aaaa } = await this.#addressesOf(name);
        const address = a[0] ?? aaaa[0];
        return { shown: name, server: address === undefined ? undefined : { address, port: this.#authoritativePort } };
      }),
    );
  }

  /** Where a CNAME at the name leads, one hop at a time. */
  async #chainFrom(host: string): Promise<{ chain: readonly string[]; loops: boolean }> {
    const chain: string[] = [];
    for (let at = host; chain.length < MAX_HOPS; ) {
      const [next] = namesAt(await this.#resolve(at, 'CNAME'), at, 'CNAME');
      if (next === undefined) return { chain, loops: false };
      if (next === host || chain.includes(next)) return { chain: [...chain, next], loops: true };
      chain.push(next);
      at = next;
    }
    return { chain, loops: true };
  }

  /** The classic slips: the provider appended the zone to the name, or the record went to the parent. */
  async #misplacedRecord(host: string, zone: string): Promise<DnsFacts['misplaced']> {
    const parent = host.slice(host.indexOf('.') + 1);
    for (const name of [`${host}.${zone}`, ...(host === zone || parent === zone ? [] : [parent])]) {
      const [value] = namesAt(await this.#resolve(name, 'CNAME'), name, 'CNAME');
      if (value !== undefined) return { name, value: `CNAME ${value}` };
    }
    return undefined;
  }

  async #caaLookups(host: string): Promise<readonly CaaLookup[]> {
    const lookups: CaaLookup[] = [];
    for (const name of caaClimb(host)) {
      const lookup = caaOf(name, await this.#resolve(name, 'CAA'));
      lookups.push(lookup);
      if (lookup.kind !== 'none') break;
    }
    return lookups;
  }

  /** TXT records at their source: all that any authoritative server has. */
  async #ownershipOf(servers: readonly { server: NameServer | undefined }[], name: string): Promise<readonly string[]> {
    const results = await Promise.all(servers.map(({ server }) => server && this.#ask(server, name, 'TXT')));
    return [...new Set(results.flatMap((result) => textsAt(result, name)))];
  }
}

function unreachable(server: string): ServerAnswer {
  return { server, kind: 'failed', reason: 'timeout', bogus: false };
}

function answersAt(result: QueryResult | undefined, name: string, type: RecordType): readonly Answer[] {
  if (result?.kind !== 'answer') return [];
  return result.answers.filter((answer) => answer.type === type && answer.name.toLowerCase() === name);
}

/** Data of a type that is a name, in the form in which names are compared. */
function namesAt(result: QueryResult | undefined, name: string, type: 'CNAME' | 'NS'): readonly string[] {
  return answersAt(result, name, type).map((answer) => (answer as StringAnswer).data.toLowerCase().replace(/\.$/, ''));
}

function dataAt(result: QueryResult | undefined, name: string, type: 'A' | 'AAAA'): readonly string[] {
  return answersAt(result, name, type).map((answer) => (answer as StringAnswer).data);
}

function textsAt(result: QueryResult | undefined, name: string): readonly string[] {
  return answersAt(result, name, 'TXT').map((answer) => [(answer as TxtAnswer).data].flat().map(String).join(''));
}

/** Of any name in the answer: for addresses behind a CNAME. */
function allOf(result: QueryResult, type: 'A' | 'AAAA'): readonly string[] {
  if (result.kind !== 'answer') return [];
  return result.answers.filter((answer) => answer.type === type).map((answer) => (answer as StringAnswer).data);
}

/** RFC 2308, section 5: the smaller of the SOA's TTL and its minimum. */
function negativeTtl(results: readonly QueryResult[]): number | undefined {
  for (const result of results) {
    if (result.kind !== 'answer') continue;
    const soa = result.authorities.find((answer): answer is SoaAnswer => answer.type === 'SOA');
    if (soa !== undefined) return Math.min(soa.ttl ?? Number.POSITIVE_INFINITY, soa.data.minimum ?? Number.POSITIVE_INFINITY);
  }
  return undefined;
}

function caaOf(name: string, result: QueryResult): CaaLookup {
  if (result.kind === 'failed') return { name, kind: 'failed', reason: result.reason };
  const records = result.answers.filter((answer): answer is CaaAnswer => answer.type === 'CAA');
  const [first] = records;
  if (first === undefined) return { name, kind: 'none' };
  return {
    name,
    kind: 'found',
    owner: first.name.toLowerCase(),
    records: records.map(({ data }) => ({ flags: data.flags ?? 0, tag: data.tag, value: data.value })),
  };
}
