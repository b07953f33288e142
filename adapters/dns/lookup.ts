// Gathers DNS facts about a domain: its zone, the zone's authoritative servers, the recursive resolvers' answers, and what else a diagnosis needs.
// Every lookup sends new queries; only the edge's addresses are remembered, for an hour, because a CDN returns only a few each time. Recursive
// resolvers are queried for the host only once its authoritative servers have the right record. They would cache its absence for an hour or more, and
// their users would not see the new record either (RFC 2308).

import { randomBytes } from 'node:crypto';
import { type CaaLookup, caaClimb } from '../../core/domains/diagnosis/caa.ts';
import { isRightAtSource } from '../../core/domains/diagnosis/diagnose.ts';
import { type SourceFacts, txtName } from '../../core/domains/diagnosis/diagnosis.ts';
import { textOf } from '../../core/domains/diagnosis/diagnosis-text.ts';
import type { Addresses, BogusZone, DnsFacts, ServerAnswer } from '../../core/domains/diagnosis/dns-facts.ts';
import { isApex, isAtOrBelow, registeredDomain } from '../../core/domains/host-name.ts';
import type { DnsLookup } from '../../core/domains/ports.ts';
import {
  addressesIn,
  addressesText,
  addressText,
  answerOf,
  caaOf,
  distinctAddresses,
  HTTPS_TYPE,
  hasAddresses,
  namesAt,
  textsAt,
  union,
  withAddresses,
} from './answers.ts';
import type { NameServer } from './name-server.ts';
import { query } from './query.ts';
import { Resolver } from './resolver.ts';
import { bogusZone, EdgeAddresses } from './signatures.ts';
import { type AuthoritativeServer, type Zone, ZoneFinder, type ZoneOptions } from './zones.ts';

export interface DnsLookupOptions {
  /** Recursive resolvers, at least one. General queries use the first that responds; all are queried to see what the public sees. */
  readonly recursives: readonly NameServer[];
  /** The port of authoritative servers. @default 53 */
  readonly authoritativePort?: number;
  /** Query authoritative servers at addresses that no public name server can have. @default false */
  readonly privateNetworks?: boolean;
  /** Timeout for each attempt at a query, in milliseconds. @default 1,000 and 2,000 */
  readonly triesMs?: readonly number[];
  /** Time limit for a whole lookup, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
  /** Milliseconds since 1970, for the dates of signatures. @default the machine's clock */
  readonly clock?: () => number;
}

const DEADLINE_MS = 10_000;
/** Time limit for finding a zone, in milliseconds: short, because an owner is waiting for the domain to be added. */
const ZONE_DEADLINE_MS = 1_500;
/** Maximum number of hops followed in a CNAME chain; resolvers give up earlier. */
const MAX_HOPS = 20;
/** Number of queries for addresses that may rotate: a CDN returns only a few of its many addresses each time. */
const SAMPLES = 4;
const RECORD_TYPES = ['CNAME', 'A', 'AAAA', 'TXT'] as const;

/** Creates the DNS lookup that domain checks use. */
export function createDnsLookup(options: DnsLookupOptions): DnsLookup {
  const edge = new EdgeAddresses();
  const within = async <T>(deadlineMs: number, work: (lookup: Lookup) => Promise<T>): Promise<T> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), deadlineMs);
    try {
      return await work(new Lookup(options, edge, deadline.signal));
    } finally {
      clearTimeout(timer);
      // Cancels queries whose answers are no longer needed.
      deadline.abort();
    }
  };
  const { deadlineMs = DEADLINE_MS } = options;
  return {
    lookUp: ({ host, target, token }) => within(deadlineMs, (lookup) => lookup.gather(host, target, token)),
    zoneOf: (host) => within(Math.min(deadlineMs, ZONE_DEADLINE_MS), (lookup) => lookup.zoneOf(host)),
  };
}

class Lookup {
  readonly #resolver: Resolver;
  readonly #zoneOptions: ZoneOptions;
  readonly #edge: EdgeAddresses;
  readonly #clock: () => number;

  /** @param signal ends the lookup, which then returns what it knows */
  constructor(options: DnsLookupOptions, edge: EdgeAddresses, signal: AbortSignal) {
    const { recursives, authoritativePort = 53, privateNetworks = false, triesMs, clock = Date.now } = options;
    this.#resolver = new Resolver(recursives, (server, name, type, extra = {}) => query(server, { name, type, ...extra }, { triesMs, signal }));
    this.#zoneOptions = { authoritativePort, privateNetworks };
    this.#edge = edge;
    this.#clock = clock;
  }

  async zoneOf(host: string): Promise<{ name: string; nameServers: readonly string[] } | undefined> {
    const { zone } = await new ZoneFinder(this.#resolver, this.#zoneOptions).find(host);
    const nameServers = namesOf(zone, host);
    return zone === undefined || nameServers.length === 0 ? undefined : { name: zone.name, nameServers };
  }

  async gather(host: string, target: string, token: string): Promise<{ facts: DnsFacts; ownership: readonly string[] }> {
    const { zone, registered } = await new ZoneFinder(this.#resolver, this.#zoneOptions).find(host);
    const servers = zone?.servers ?? [];
    const [first, ownership, edge] = await Promise.all([
      Promise.all(servers.map((server) => this.#configuredAt(server, host))),
      this.#ownershipOf(servers, txtName(host)),
      this.#resolver.addressesOf(target),
    ]);
    const sampled = await this.#sample(host, target, servers, first, edge);
    const { authoritative } = sampled;
    const [way, misplaced, wildcard] = await Promise.all([
      this.#chainFrom(host, target, authoritative),
      zone !== undefined && authoritative.some(({ kind }) => kind === 'none') ? this.#misplacedRecord(host, zone) : undefined,
      this.#isWildcard(host, target, zone, authoritative),
    ]);
    const source: SourceFacts = {
      host,
      zone: zone?.name,
      nameServers: namesOf(zone, host),
      registered,
      ...sampled,
      bogus: await this.#bogusZone(host, zone),
      ...way,
      wildcard,
      misplaced,
    };
    if (!isRightAtSource({ host, target, apex: isApex(host) }, source, ownership.includes(token)))
      return { facts: { ...source, recursive: [], referred: [], caa: [] }, ownership };
    const [recursive, caa] = await Promise.all([
      Promise.all(this.#resolver.recursives.map((server) => this.#seenAt(server, host))),
      this.#caaLookups(host),
    ]);
    const configured = authoritative.map(textOf);
    const isBehind = recursive.some((answer) => answer.kind !== 'failed' && !configured.includes(textOf(answer)));
    const referred = isBehind && zone !== undefined ? await this.#referredTo(host, zone) : [];
    return { facts: { ...source, bogus: await this.#bogusZone(host, zone), recursive, referred, caa }, ownership };
  }

  /** Returns the answers of the servers to which the parent zone refers, except those already queried. */
  async #referredTo(host: string, zone: Zone): Promise<readonly ServerAnswer[]> {
    const asked = zone.servers.flatMap(({ at }) => ('failure' in at ? [] : [at.address]));
    const servers = await new ZoneFinder(this.#resolver, this.#zoneOptions).referral(zone.name);
    const others = servers.filter(({ at }) => !('failure' in at) && !asked.includes(at.address));
    return Promise.all(others.map((server) => this.#configuredAt(server, host)));
  }

  /** Returns the zone whose signatures a resolver has rejected; undefined if none has rejected any so far. */
  async #bogusZone(host: string, zone: Zone | undefined): Promise<BogusZone | undefined> {
    const server = this.#resolver.bogusSeenBy;
    return server && bogusZone(this.#resolver.ask, server, host, zone?.name, this.#clock());
  }

  /** Returns the records at exactly this name according to one authoritative server. */
  async #configuredAt({ label: shown, at }: AuthoritativeServer, host: string): Promise<ServerAnswer> {
    if ('failure' in at) return { server: shown, kind: 'failed', reason: at.failure };
    const results = await Promise.all([...RECORD_TYPES, HTTPS_TYPE].map((type) => this.#resolver.ask(at, host, type)));
    return answerOf(
      shown,
      host,
      results.map((result) => (result.kind === 'answer' && !result.authoritative ? NOT_RESPONSIBLE : result)),
    );
  }

  /** Returns the records at exactly this name according to one recursive resolver. */
  async #seenAt(server: NameServer, host: string): Promise<ServerAnswer> {
    if (this.#resolver.isSilent(server)) return { server: server.address, kind: 'failed', reason: 'timeout' };
    const results = await Promise.all(RECORD_TYPES.map((type) => this.#resolver.ask(server, host, type, { recursive: true })));
    const answer = answerOf(server.address, host, results);
    if (answer.kind === 'failed' && answer.reason === 'servfail') await this.#resolver.recurse(server, host, 'A', true);
    return answer;
  }

  /** Repeats the queries for the host's and the edge's addresses if the host has any, because each answer may contain only a few of them. */
  async #sample(host: string, target: string, servers: readonly AuthoritativeServer[], first: readonly ServerAnswer[], edge: Addresses) {
    this.#edge.remember([edge]);
    if (!first.some(hasAddresses)) return { authoritative: first, edge, rotating: false };
    const source = await this.#sourceOfAddresses(target);
    const rounds: { readonly answers: readonly ServerAnswer[]; readonly edge: readonly Addresses[] }[] = [];
    for (let round = 1; round < SAMPLES; round += 1) {
      const [answers, ours] = await Promise.all([
        Promise.all(
          servers.map(async ({ at }, index) => withAddresses(first[index], 'failure' in at ? undefined : await this.#addressesAt(at, host))),
        ),
        Promise.all([this.#resolver.addressesOf(target), ...source.servers.map((server) => this.#addressesAt(server, source.name))]),
      ]);
      rounds.push({ answers, edge: ours });
    }
    const authoritative = first.map((answer, index) => union([answer, ...rounds.map(({ answers }) => answers[index])]));
    const ours = rounds.flatMap((round) => round.edge);
    this.#edge.remember(ours);
    const known = [edge, ...ours, ...authoritative.flatMap((answer) => (answer.kind === 'records' ? [this.#edge.partOf(answer.records)] : []))];
    const rotates = (texts: readonly string[]) => new Set(texts.filter((text) => text !== '')).size > 1;
    const seen = first.map((answer, index) => [answer, ...rounds.map(({ answers }) => answers[index])].map(addressText));
    return {
      authoritative,
      edge: { a: distinctAddresses(known, 'a'), aaaa: distinctAddresses(known, 'aaaa') },
      rotating: seen.some(rotates) || rotates(ours.map(addressesText)),
    };
  }

  /** Returns the name that has the edge's addresses, at the end of the target's own CNAME chain, and the servers of that name's zone. */
  async #sourceOfAddresses(target: string): Promise<{ readonly name: string; readonly servers: readonly NameServer[] }> {
    const { chain } = await this.#chainOf(target, []);
    const name = chain.at(-1) ?? target;
    const { zone } = await new ZoneFinder(this.#resolver.fork(), this.#zoneOptions).find(name);
    return { name, servers: (zone?.servers ?? []).flatMap(({ at }) => ('failure' in at ? [] : [at])) };
  }

  async #addressesAt(server: NameServer, name: string): Promise<Addresses> {
    const [a, aaaa] = await Promise.all([this.#resolver.ask(server, name, 'A'), this.#resolver.ask(server, name, 'AAAA')]);
    return { a: addressesIn(a, 'A'), aaaa: addressesIn(aaaa, 'AAAA') };
  }

  async #chainFrom(host: string, target: string, authoritative: readonly ServerAnswer[]): Promise<Pick<DnsFacts, 'chain' | 'loops'>> {
    const [cname] = authoritative.flatMap((answer) => (answer.kind === 'records' ? answer.records.cname : []));
    if (cname === undefined || cname === target) return { chain: cname === undefined ? [] : [cname], loops: false };
    if (cname === host) return { chain: [cname], loops: true };
    return this.#chainOf(cname, [host]);
  }

  /** Follows a CNAME chain one hop at a time. @param before the names that have already been followed */
  async #chainOf(start: string, before: readonly string[]): Promise<Pick<DnsFacts, 'chain' | 'loops'>> {
    const chain = [start];
    while (chain.length < MAX_HOPS) {
      const at = chain.at(-1) ?? start;
      const [next] = namesAt(await this.#resolver.resolve(at, 'CNAME'), at, 'CNAME');
      if (next === undefined) break;
      if (before.includes(next) || chain.includes(next)) return { chain: [...chain, next], loops: true };
      chain.push(next);
    }
    return { chain, loops: false };
  }

  /** Looks for two common mistakes: the provider appended the zone to the name, or the record was created at the parent. */
  async #misplacedRecord(host: string, { name: zone, servers }: Zone): Promise<DnsFacts['misplaced']> {
    const parent = host.slice(host.indexOf('.') + 1);
    for (const name of [`${host}.${zone}`, ...(host === zone || parent === zone ? [] : [parent])]) {
      const results = await Promise.all(servers.map(({ at }) => ('failure' in at ? undefined : this.#resolver.ask(at, name, 'CNAME'))));
      const [value] = results.flatMap((result) => namesAt(result, name, 'CNAME'));
      if (value !== undefined) return { name, value: `CNAME ${value}` };
    }
    return undefined;
  }

  /** Whether a random sibling name has one of the host's addresses, or the same CNAME as the host, if that CNAME is wrong. */
  async #isWildcard(host: string, target: string, zone: Zone | undefined, authoritative: readonly ServerAnswer[]): Promise<boolean> {
    const [answer] = authoritative.filter(({ kind }) => kind === 'records');
    if (zone === undefined || host === zone.name || answer?.kind !== 'records') return false;
    const { cname, a, aaaa } = answer.records;
    const here = new Set(cname.length > 0 ? cname.filter((name) => name !== target) : [...a, ...aaaa]);
    if (here.size === 0) return false;
    const beside = `${randomBytes(8).toString('hex')}${host.slice(host.indexOf('.'))}`;
    const found = zone.servers.map(async ({ at }): Promise<readonly string[]> => {
      if ('failure' in at) return [];
      if (cname.length > 0) return namesAt(await this.#resolver.ask(at, beside, 'CNAME'), beside, 'CNAME');
      const addresses = await this.#addressesAt(at, beside);
      return [...addresses.a, ...addresses.aaaa];
    });
    return (await Promise.all(found)).flat().some((each) => here.has(each));
  }

  async #caaLookups(host: string): Promise<readonly CaaLookup[]> {
    const lookups: CaaLookup[] = [];
    for (const name of caaClimb(host)) {
      const lookup = caaOf(name, await this.#resolver.resolve(name, 'CAA'));
      lookups.push(lookup);
      if (lookup.kind !== 'none') break;
    }
    return lookups;
  }

  /** Returns the TXT records at a name, from all authoritative servers together. */
  async #ownershipOf(servers: readonly AuthoritativeServer[], name: string): Promise<readonly string[]> {
    const results = await Promise.all(servers.map(({ at }) => ('failure' in at ? undefined : this.#resolver.ask(at, name, 'TXT'))));
    return [...new Set(results.flatMap((result) => (result?.kind === 'answer' && result.authoritative ? textsAt(result, name) : [])))];
  }
}

/** Returns the names of a zone's servers; none for a registry's zone, because a registry does not host its customers' records. */
function namesOf(zone: Zone | undefined, host: string): readonly string[] {
  return zone !== undefined && isAtOrBelow(zone.name, registeredDomain(host)) ? zone.servers.map(({ name }) => name) : [];
}

const NOT_RESPONSIBLE = { kind: 'failed', reason: 'not_responsible' } as const;
