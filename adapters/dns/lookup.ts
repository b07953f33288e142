// Gathers what the DNS says of a domain: the zone that holds it, every authoritative server of that zone, the recursive servers, and
// what a diagnosis needs around it. All of it is asked anew; only the addresses of the edge are remembered for an hour, because a CDN gives
// a few of many.
//
// Recursive servers are asked for the host itself only when its authoritative servers have the right record: they remember for an hour or
// more that there is nothing, and so would everybody who asks them (RFC 2308). Until then they only tell where name servers are.

import { randomBytes } from 'node:crypto';
import type { Answer, RecordType, StringAnswer } from 'dns-packet';
import { type CaaLookup, caaClimb } from '../../core/domains/caa.ts';
import { isRightAtSource } from '../../core/domains/diagnose.ts';
import { type SourceFacts, txtName } from '../../core/domains/diagnosis.ts';
import type { Addresses, DnsFacts, ServerAnswer, ServerFailure } from '../../core/domains/dns-facts.ts';
import { isApex, isAtOrBelow, registeredDomain } from '../../core/domains/host-name.ts';
import type { DnsLookup } from '../../core/domains/ports.ts';
import { isPublicAddress } from '../../core/domains/public-address.ts';
import { LeastRecentMap } from '../../core/least-recent-map.ts';
import { addressesText, addressText, allOf, answerOf, caaOf, hasAddresses, nameOf, namesAt, textsAt, union, unique } from './answers.ts';
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

/** Hops of a CNAME chain that are followed: resolvers give up earlier. */
const MAX_HOPS = 20;
/** Zones within zones that are gone down through, from the registered domain to the host. */
const MAX_CUTS = 5;
/** Name servers of a zone that are asked; more than a zone has in practice. */
const MAX_NAME_SERVERS = 8;
/** How often addresses are asked for where they may be others each time: a CDN gives a few of many. */
const SAMPLES = 4;
/** How long an address of the edge counts as one, and how many are remembered. */
const EDGE_MEMORY_MS = 3_600_000;
const EDGE_MEMORY = 1_000;
const RECORD_TYPES = ['CNAME', 'A', 'AAAA', 'TXT'] as const;

export function createDnsLookup(options: DnsLookupOptions): DnsLookup {
  const edgeSeen: EdgeMemory = new LeastRecentMap(EDGE_MEMORY);
  return {
    look: async ({ host, target, token }) => {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), options.deadlineMs ?? DEADLINE_MS);
      try {
        return await new Look(options, edgeSeen, deadline.signal).gather(host, target, token);
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
  /** Its name, and its address in parentheses. */
  readonly shown: string;
  readonly at: NameServer | { readonly failure: ServerFailure };
}

interface Zone {
  readonly name: string;
  readonly servers: readonly AuthoritativeServer[];
}

/** Addresses of the edge, and when each was seen last, in milliseconds of this process. */
type EdgeMemory = LeastRecentMap<string, number>;

type Ask = (server: NameServer, name: string, type: RecordType, extra?: { recursive?: boolean; checkingDisabled?: boolean }) => Promise<QueryResult>;

/** One look at one domain. Who was silent once is not waited for again within it. */
class Look {
  readonly #recursives: readonly NameServer[];
  readonly #authoritativePort: number;
  readonly #privateNetworks: boolean;
  readonly #ask: Ask;
  readonly #silent = new Set<NameServer>();
  readonly #edgeSeen: EdgeMemory;
  #bogusSeenBy: string | undefined;

  /** @param signal ends it with what is known then */
  constructor({ recursives, authoritativePort = 53, privateNetworks = false, triesMs }: DnsLookupOptions, edgeSeen: EdgeMemory, signal: AbortSignal) {
    this.#edgeSeen = edgeSeen;
    this.#recursives = recursives;
    this.#authoritativePort = authoritativePort;
    this.#privateNetworks = privateNetworks;
    this.#ask = (server, name, type, extra = {}) => query(server, { name, type, ...extra }, { triesMs, signal });
  }

  async gather(host: string, target: string, token: string): Promise<{ facts: DnsFacts; ownership: readonly string[] }> {
    const { zone, registered } = await this.#zoneOf(host);
    const servers = zone?.servers ?? [];
    const [first, ownership, edge] = await Promise.all([
      Promise.all(servers.map((server) => this.#configuredAt(server, host))),
      this.#ownershipOf(servers, txtName(host)),
      this.#addressesOf(target),
    ]);
    const sampled = await this.#sample(host, target, servers, first, edge);
    const { authoritative } = sampled;
    const [way, misplaced, wildcard] = await Promise.all([
      this.#chainFrom(host, target, authoritative),
      zone !== undefined && authoritative.some(({ kind }) => kind === 'none') ? this.#misplacedRecord(host, zone) : undefined,
      this.#isWildcard(host, zone, authoritative),
    ]);
    const source: SourceFacts = {
      ...{ host, zone: zone?.name, registered, authoritative, bogusSeenBy: this.#bogusSeenBy },
      ...{ ...way, edge: sampled.edge, rotating: sampled.rotating, wildcard, misplaced },
    };
    if (!isRightAtSource({ host, target, apex: isApex(host) }, source, ownership.includes(token)))
      return { facts: { ...source, recursive: [], caa: [] }, ownership };
    const [recursive, caa] = await Promise.all([Promise.all(this.#recursives.map((server) => this.#seenAt(server, host))), this.#caaLookups(host)]);
    return { facts: { ...source, bogusSeenBy: this.#bogusSeenBy, recursive, caa }, ownership };
  }

  /**
   * The first answer of a recursive server. Another one is asked beside it as soon as one fails, or takes its time.
   *
   * @param unchecked take answers too that don't fit their signatures, and note that they don't
   */
  #resolve(name: string, type: RecordType, { unchecked = false } = {}): Promise<QueryResult> {
    const servers = this.#recursives.filter((server) => !this.#silent.has(server));
    let left = servers.length;
    let last: QueryResult = { kind: 'failed', reason: 'timeout' };
    return new Promise((resolve) => {
      const next = () => {
        clearTimeout(timer);
        const server = servers.shift();
        if (server === undefined) return;
        timer = setTimeout(next, NEXT_RESOLVER_MS);
        void this.#recurse(server, name, type, unchecked).then((result) => {
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

  async #recurse(server: NameServer, name: string, type: RecordType, unchecked: boolean): Promise<QueryResult> {
    const result = await this.#ask(server, name, type, { recursive: true });
    if (!unchecked || result.kind !== 'failed' || result.reason !== 'servfail') return result;
    // RFC 4035, section 3.2.2: with checking disabled it answers where nothing is wrong but the signatures.
    const taken = await this.#ask(server, name, type, { recursive: true, checkingDisabled: true });
    if (taken.kind !== 'answer') return result;
    this.#bogusSeenBy ??= server.address;
    return taken;
  }

  /**
   * The zone that holds the host, and its servers. Recursive servers are asked where the registered domain is; from there on down the way
   * is asked of its own servers. Where they can't say, the registry's servers are asked for what they have been told.
   */
  async #zoneOf(host: string): Promise<{ zone: Zone | undefined; registered: boolean }> {
    const registered = registeredDomain(host);
    for (const name of caaClimb(registered)) {
      const result = await this.#resolve(name, 'NS', { unchecked: true });
      if (name === registered && result.kind === 'answer' && !result.exists) return { zone: { name, servers: [] }, registered: false };
      // That they say nothing of this one must not keep them from saying something of the one above.
      if (result.kind === 'failed') this.#silent.clear();
      const nameServers = namesAt(result, name, 'NS');
      if (nameServers.length === 0) continue;
      const zone = await this.#descend({ name, servers: await this.#serversNamed(nameServers, []) }, host);
      return { zone, registered: isAtOrBelow(zone.name, registered) || (await this.#isKnownAt(zone, registered)) };
    }
    return { zone: undefined, registered: true };
  }

  /** False if all servers of the registry that answer say that there is no such name. */
  async #isKnownAt({ servers }: Zone, registered: string): Promise<boolean> {
    const results = await Promise.all(servers.map(({ at }) => ('failure' in at ? undefined : this.#ask(at, registered, 'NS'))));
    const answers = results.filter((result) => result?.kind === 'answer' && result.authoritative);
    return answers.length === 0 || answers.some((result) => result?.kind === 'answer' && result.exists);
  }

  /** Goes down through referrals to the zone that holds the host. */
  async #descend(zone: Zone, host: string): Promise<Zone> {
    let current = zone;
    for (let cuts = 0; cuts < MAX_CUTS; cuts += 1) {
      const results = await Promise.all(current.servers.map(({ at }) => ('failure' in at ? undefined : this.#ask(at, host, 'CNAME'))));
      const servers = current.servers.map((server, index) => withFailure(server, results[index]));
      const below = results.map((result) => referralOf(result, current.name, host)).find((found) => found !== undefined);
      if (below === undefined) return { ...current, servers };
      current = { name: below.zone, servers: await this.#serversNamed(below.nameServers, below.glue) };
    }
    return current;
  }

  /** @param glue addresses that came with the referral: for servers below the zone that they serve there is no other way */
  #serversNamed(nameServers: readonly string[], glue: readonly Answer[]): Promise<readonly AuthoritativeServer[]> {
    return Promise.all(
      nameServers
        .toSorted()
        .slice(0, MAX_NAME_SERVERS)
        .map(async (name): Promise<AuthoritativeServer> => {
          const [a, aaaa] = await Promise.all([this.#resolve(name, 'A', { unchecked: true }), this.#resolve(name, 'AAAA', { unchecked: true })]);
          const found = [...allOf(a, 'A'), ...allOf(aaaa, 'AAAA')];
          const told = glue.filter((answer) => answer.name.toLowerCase() === name).map((answer) => String((answer as StringAnswer).data));
          const addresses = found.length > 0 ? found : told;
          const [first] = addresses;
          if (first === undefined) return { shown: name, at: { failure: 'no_address' } };
          const address = this.#privateNetworks ? first : addresses.find(isPublicAddress);
          if (address === undefined) return { shown: `${name} (${first})`, at: { failure: 'not_public' } };
          return { shown: `${name} (${address})`, at: { address, port: this.#authoritativePort } };
        }),
    );
  }

  /** What is configured at exactly this name, as one authoritative server says. */
  async #configuredAt({ shown, at }: AuthoritativeServer, host: string): Promise<ServerAnswer> {
    if ('failure' in at) return { server: shown, kind: 'failed', reason: at.failure };
    const results = await Promise.all(RECORD_TYPES.map((type) => this.#ask(at, host, type)));
    return answerOf(
      shown,
      host,
      results.map((result) => (result.kind === 'answer' && !result.authoritative ? NOT_RESPONSIBLE : result)),
    );
  }

  /** What the world sees at exactly this name, as one recursive server says. */
  async #seenAt(server: NameServer, host: string): Promise<ServerAnswer> {
    if (this.#silent.has(server)) return { server: server.address, kind: 'failed', reason: 'timeout' };
    const results = await Promise.all(RECORD_TYPES.map((type) => this.#ask(server, host, type, { recursive: true })));
    const answer = answerOf(server.address, host, results);
    if (answer.kind === 'failed' && answer.reason === 'servfail') await this.#recurse(server, host, 'A', true);
    return answer;
  }

  /** Of any name at the end of the way: here a CNAME is followed. */
  async #addressesOf(name: string): Promise<Addresses> {
    const [a, aaaa] = await Promise.all([this.#resolve(name, 'A'), this.#resolve(name, 'AAAA')]);
    return { a: allOf(a, 'A'), aaaa: allOf(aaaa, 'AAAA') };
  }

  /** Asks both sides again and again, where the host has addresses: each answer may be a few of many. */
  async #sample(host: string, target: string, servers: readonly AuthoritativeServer[], first: readonly ServerAnswer[], edge: Addresses) {
    this.#remember([edge]);
    if (!first.some(hasAddresses)) return { authoritative: first, edge, rotating: false };
    const source = await this.#sourceOfAddresses(target);
    const rounds: { readonly answers: readonly ServerAnswer[]; readonly edge: readonly Addresses[] }[] = [];
    for (let round = 1; round < SAMPLES; round += 1) {
      const [answers, ours] = await Promise.all([
        Promise.all(servers.map((server) => this.#configuredAt(server, host))),
        Promise.all([this.#addressesOf(target), ...source.servers.map((server) => this.#addressesAt(server, source.name))]),
      ]);
      rounds.push({ answers, edge: ours });
    }
    const authoritative = first.map((answer, index) => union([answer, ...rounds.map(({ answers }) => answers[index])]));
    const ours = rounds.flatMap((round) => round.edge);
    this.#remember(ours);
    const known = [edge, ...ours, ...authoritative.flatMap((answer) => (answer.kind === 'records' ? [this.#edgePartOf(answer.records)] : []))];
    const rotates = (texts: readonly string[]) => new Set(texts.filter((text) => text !== '')).size > 1;
    const seen = first.map((answer, index) => [answer, ...rounds.map(({ answers }) => answers[index])].map(addressText));
    return {
      authoritative,
      edge: { a: unique(known, 'a'), aaaa: unique(known, 'aaaa') },
      rotating: seen.some(rotates) || rotates(ours.map(addressesText)),
    };
  }

  #remember(seen: readonly Addresses[]): void {
    for (const address of seen.flatMap(({ a, aaaa }) => [...a, ...aaaa])) this.#edgeSeen.set(address, performance.now());
  }

  /** Those of the addresses that were the edge's within the last hour. */
  #edgePartOf({ a, aaaa }: Addresses): Addresses {
    const isRecent = (address: string) => (this.#edgeSeen.get(address) ?? Number.NEGATIVE_INFINITY) > performance.now() - EDGE_MEMORY_MS;
    return { a: a.filter(isRecent), aaaa: aaaa.filter(isRecent) };
  }

  /** Where the edge's addresses come from: the end of the target's own chain, and the servers of its zone. */
  async #sourceOfAddresses(target: string): Promise<{ readonly name: string; readonly servers: readonly NameServer[] }> {
    const { chain } = await this.#chainOf(target, []);
    const name = chain.at(-1) ?? target;
    const seenBefore = this.#bogusSeenBy;
    const { zone } = await this.#zoneOf(name);
    // Of the owner's zone, not of this one.
    this.#bogusSeenBy = seenBefore;
    return { name, servers: (zone?.servers ?? []).flatMap(({ at }) => ('failure' in at ? [] : [at])) };
  }

  async #addressesAt(server: NameServer, name: string): Promise<Addresses> {
    const [a, aaaa] = await Promise.all([this.#ask(server, name, 'A'), this.#ask(server, name, 'AAAA')]);
    return { a: allOf(a, 'A'), aaaa: allOf(aaaa, 'AAAA') };
  }

  /** Where the CNAME that is configured leads. */
  async #chainFrom(host: string, target: string, authoritative: readonly ServerAnswer[]): Promise<Pick<DnsFacts, 'chain' | 'loops'>> {
    const [cname] = authoritative.flatMap((answer) => (answer.kind === 'records' ? answer.records.cname : []));
    if (cname === undefined || cname === target) return { chain: cname === undefined ? [] : [cname], loops: false };
    if (cname === host) return { chain: [cname], loops: true };
    return this.#chainOf(cname, [host]);
  }

  /** From a name on, one hop at a time. @param before names that lead here */
  async #chainOf(start: string, before: readonly string[]): Promise<Pick<DnsFacts, 'chain' | 'loops'>> {
    const chain = [start];
    while (chain.length < MAX_HOPS) {
      const at = chain.at(-1) ?? start;
      const [next] = namesAt(await this.#resolve(at, 'CNAME'), at, 'CNAME');
      if (next === undefined) break;
      if (before.includes(next) || chain.includes(next)) return { chain: [...chain, next], loops: true };
      chain.push(next);
    }
    return { chain, loops: false };
  }

  /** The classic slips: the provider appended the zone to the name, or the record went to the parent. */
  async #misplacedRecord(host: string, { name: zone, servers }: Zone): Promise<DnsFacts['misplaced']> {
    const parent = host.slice(host.indexOf('.') + 1);
    for (const name of [`${host}.${zone}`, ...(host === zone || parent === zone ? [] : [parent])]) {
      const results = await Promise.all(servers.map(({ at }) => ('failure' in at ? undefined : this.#ask(at, name, 'CNAME'))));
      const [value] = results.flatMap((result) => namesAt(result, name, 'CNAME'));
      if (value !== undefined) return { name, value: `CNAME ${value}` };
    }
    return undefined;
  }

  /** Has a name beside the host, which nobody has thought of, the same addresses? */
  async #isWildcard(host: string, zone: Zone | undefined, authoritative: readonly ServerAnswer[]): Promise<boolean> {
    const [answer] = authoritative.filter(({ kind }) => kind === 'records');
    if (zone === undefined || host === zone.name || answer?.kind !== 'records' || answer.records.a.length + answer.records.aaaa.length === 0)
      return false;
    const beside = `${randomBytes(8).toString('hex')}${host.slice(host.indexOf('.'))}`;
    const found = await Promise.all(zone.servers.map(({ at }) => ('failure' in at ? undefined : this.#addressesAt(at, beside))));
    const here = new Set([...answer.records.a, ...answer.records.aaaa]);
    return found.some((addresses) => addresses !== undefined && [...addresses.a, ...addresses.aaaa].some((address) => here.has(address)));
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
    const results = await Promise.all(servers.map(({ at }) => ('failure' in at ? undefined : this.#ask(at, name, 'TXT'))));
    return [...new Set(results.flatMap((result) => (result?.kind === 'answer' && result.authoritative ? textsAt(result, name) : [])))];
  }
}

const NOT_RESPONSIBLE = { kind: 'failed', reason: 'not_responsible' } as const;

/** A server that failed once is not asked again within a look. */
function withFailure(server: AuthoritativeServer, result: QueryResult | undefined): AuthoritativeServer {
  return result?.kind === 'failed' && result.reason === 'timeout' ? { ...server, at: { failure: 'timeout' } } : server;
}

/** Where a server sends for the host: to a zone below its own. What leads up or aside is no referral. */
function referralOf(result: QueryResult | undefined, zone: string, host: string) {
  if (result?.kind !== 'answer' || result.authoritative || result.answers.length > 0) return undefined;
  const delegation = result.authorities.filter((answer): answer is StringAnswer => answer.type === 'NS');
  const name = delegation[0]?.name.toLowerCase();
  if (name === undefined || name === zone || !isAtOrBelow(name, zone) || !isAtOrBelow(host, name)) return undefined;
  return { zone: name, nameServers: delegation.map(({ data }) => nameOf(data)), glue: result.additionals };
}
