// Gathers what the DNS says of a domain: the zone that holds it, every authoritative server of that zone, the recursive servers, and
// what a diagnosis needs around it. All of it is asked anew; nothing is remembered.

import type { Answer, CaaAnswer, RecordType, SoaAnswer, StringAnswer, TxtAnswer } from 'dns-packet';
import { type CaaLookup, caaClimb } from '../../core/domains/caa.ts';
import { txtName } from '../../core/domains/diagnose.ts';
import type { DnsFacts, NameRecords, ServerAnswer } from '../../core/domains/dns-facts.ts';
import { isPublicAddress } from '../../core/domains/public-address.ts';
import type { DnsLookup } from '../../core/ports.ts';
import type { NameServer } from './name-server.ts';
import { type QueryResult, query } from './query.ts';

export interface DnsLookupOptions {
  /** Recursive servers; the first that answers is asked for what lies around, all of them for what the world sees. At least one. */
  readonly recursives: readonly NameServer[];
  /** The port of authoritative servers. @default 53 */
  readonly authoritativePort?: number;
  /** Ask authoritative servers at addresses that no public name server can have. @default false */
  readonly privateNetworks?: boolean;
  /** How long each try of a question waits, in milliseconds. @default see query.ts */
  readonly triesMs?: readonly number[];
  /** How long a look may take, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
/** A recursive server that has not answered within this time is not waited for alone any longer. */
const NEXT_RESOLVER_MS = 500;

/** A CNAME chain that is longer is taken for endless, as resolvers do. */
const MAX_HOPS = 10;
/** Name servers of a zone that are asked; more than a zone has in practice. */
const MAX_NAME_SERVERS = 8;
const RECORD_TYPES = ['CNAME', 'A', 'AAAA', 'TXT'] as const;

export function createDnsLookup(options: DnsLookupOptions): DnsLookup {
  return {
    look: async ({ host, target }) => {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), options.deadlineMs ?? DEADLINE_MS);
      try {
        return await new Look(options, deadline.signal).gather(host, target);
      } finally {
        clearTimeout(timer);
        // What still waits for an answer that nobody needs any more.
        deadline.abort();
      }
    },
  };
}

/** An authoritative server: where it listens, or why it is not asked. */
interface AuthoritativeServer {
  readonly shown: string;
  readonly at: NameServer | { readonly failed: ServerAnswer };
}

type Ask = (server: NameServer, name: string, type: RecordType, extra?: { recursive?: boolean; checkingDisabled?: boolean }) => Promise<QueryResult>;

/** One look at one domain. Who was silent once is not waited for again within it. */
class Look {
  readonly #recursives: readonly NameServer[];
  readonly #authoritativePort: number;
  readonly #privateNetworks: boolean;
  readonly #ask: Ask;
  readonly #silent = new Set<NameServer>();

  /** @param signal ends it with what is known then */
  constructor({ recursives, authoritativePort = 53, privateNetworks = false, triesMs }: DnsLookupOptions, signal: AbortSignal) {
    this.#recursives = recursives;
    this.#authoritativePort = authoritativePort;
    this.#privateNetworks = privateNetworks;
    this.#ask = (server, name, type, extra = {}) => query(server, { name, type, ...extra }, { triesMs, signal });
  }

  async gather(host: string, target: string): Promise<{ facts: DnsFacts; ownership: readonly string[] }> {
    const found = await this.#zoneOf(host);
    const servers = found === undefined ? [] : await this.#authoritativeServers(found.nameServers);
    const [authoritative, recursive, way, edge, misplaced, caa, ownership] = await Promise.all([
      Promise.all(servers.map(({ shown, at }) => ('failed' in at ? at.failed : this.#recordsAt(at, shown, host, false)))),
      Promise.all(
        this.#recursives.map((server) =>
          this.#silent.has(server) ? failedAt(server.address, 'timeout') : this.#recordsAt(server, server.address, host, true),
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

  /** The first answer of a recursive server. Another one is asked beside it as soon as one fails, or takes its time. */
  #resolve(name: string, type: RecordType): Promise<QueryResult> {
    const servers = this.#recursives.filter((server) => !this.#silent.has(server));
    let left = servers.length;
    let last: QueryResult = { kind: 'failed', reason: 'timeout' };
    return new Promise((resolve) => {
      const next = () => {
        clearTimeout(timer);
        const server = servers.shift();
        if (server === undefined) return;
        timer = setTimeout(next, NEXT_RESOLVER_MS);
        void this.#ask(server, name, type, { recursive: true }).then((result) => {
          left -= 1;
          if (result.kind === 'failed' && result.reason === 'timeout') this.#silent.add(server);
          last = result;
          if (result.kind === 'answer' || left === 0) {
            servers.length = 0;
            clearTimeout(timer);
            resolve(last);
          } else next();
        });
      };
      let timer: NodeJS.Timeout | undefined;
      if (left === 0) resolve(last);
      else next();
    });
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

  #authoritativeServers(nameServers: readonly string[]): Promise<readonly AuthoritativeServer[]> {
    return Promise.all(
      nameServers.map(async (shown): Promise<AuthoritativeServer> => {
        const { a, aaaa } = await this.#addressesOf(shown);
        const addresses = [...a, ...aaaa];
        const [first] = addresses;
        if (first === undefined) return { shown, at: { failed: failedAt(shown, 'timeout') } };
        const address = this.#privateNetworks ? first : addresses.find(isPublicAddress);
        if (address === undefined) return { shown, at: { failed: failedAt(`${shown} (${first})`, 'not_public') } };
        return { shown, at: { address, port: this.#authoritativePort } };
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
  async #ownershipOf(servers: readonly AuthoritativeServer[], name: string): Promise<readonly string[]> {
    const results = await Promise.all(servers.map(({ at }) => ('failed' in at ? undefined : this.#ask(at, name, 'TXT'))));
    return [...new Set(results.flatMap((result) => textsAt(result, name)))];
  }
}

function failedAt(server: string, reason: 'timeout' | 'not_public'): ServerAnswer {
  return { server, kind: 'failed', reason, bogus: false };
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
