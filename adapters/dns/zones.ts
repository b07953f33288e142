// Finds the zone that holds a host, and its authoritative servers.

import type { Answer, RecordType, StringAnswer } from 'dns-packet';
import { caaClimb, type ServerFailure } from '../../core/domains/diagnosis/caa.ts';
import { isPublicAddress } from '../../core/domains/diagnosis/dns-facts.ts';
import { isAtOrBelow, registeredDomain } from '../../core/domains/host-name.ts';
import { nameOf, namesAt } from './answers.ts';
import type { NameServer } from './name-server.ts';
import type { QueryResult } from './query.ts';
import type { Resolver } from './resolver.ts';

/** Maximum number of zone cuts followed, from the registered domain down to the host. */
const MAX_CUTS = 5;
/** Maximum number of names queried for an SOA record, from the host (up to 120 labels) up. The first answer has one, unless the name is an alias. */
const MAX_SOA_NAMES = 3;
/** Maximum number of name servers queried per zone; zones have fewer in practice. */
const MAX_NAME_SERVERS = 8;

/** An authoritative server: where it listens, or why it is not queried. */
export interface AuthoritativeServer {
  /** Lower case, without the trailing dot. */
  readonly name: string;
  /** The server's name, with its address in parentheses. */
  readonly label: string;
  readonly at: NameServer | { readonly failure: ServerFailure };
}

export interface Zone {
  readonly name: string;
  readonly servers: readonly AuthoritativeServer[];
}

export interface ZoneOptions {
  readonly authoritativePort: number;
  /** Query servers at addresses that no public name server can have. */
  readonly privateNetworks: boolean;
}

/** Finds zones within one lookup. */
export class ZoneFinder {
  readonly #resolver: Resolver;
  readonly #options: ZoneOptions;

  constructor(resolver: Resolver, options: ZoneOptions) {
    this.#resolver = resolver;
    this.#options = options;
  }

  /**
   * Finds the zone that holds the host, and its servers. Recursive resolvers locate the registered domain; from there down, each zone's own servers
   * are queried. If the resolvers can't locate it, the registry's servers are queried for the delegation.
   */
  async find(host: string): Promise<{ zone: Zone | undefined; registered: boolean }> {
    const registered = registeredDomain(host);
    for (const name of caaClimb(registered)) {
      const result = await this.#resolver.resolve(name, 'NS', { unchecked: true });
      if (name === registered && result.kind === 'answer' && !result.exists) return { zone: { name, servers: [] }, registered: false };
      if (result.kind === 'failed') this.#resolver.forgetSilent();
      const nameServers = namesAt(result, name, 'NS');
      if (nameServers.length === 0) continue;
      const zone = await this.#descend({ name, servers: await this.#serversNamed(nameServers, []) }, host);
      return { zone, registered: isAtOrBelow(zone.name, registered) || (await this.#isKnownAt(zone, registered)) };
    }
    return { zone: undefined, registered: true };
  }

  /**
   * Returns false if all of the registry's servers that answer say that the name does not exist, or that it has no records. An expired name may still
   * exist, because of the addresses of name servers below it; and a registry may have records of its own for a name instead of a delegation.
   */
  async #isKnownAt({ servers }: Zone, registered: string): Promise<boolean> {
    const ask = async (type: RecordType) =>
      (await this.#askAll(servers, registered, type)).filter((result) => result?.kind === 'answer' && result.authoritative);
    const delegations = await ask('NS');
    if (delegations.length === 0) return true;
    if (!delegations.some((result) => result?.kind === 'answer' && result.exists)) return false;
    if (delegations.some(hasAnswers)) return true;
    const others = (await Promise.all((['A', 'AAAA', 'MX', 'TXT'] as const).map(ask))).flat();
    return others.length === 0 || others.some(hasAnswers);
  }

  #askAll(servers: readonly AuthoritativeServer[], name: string, type: RecordType): Promise<readonly (QueryResult | undefined)[]> {
    return Promise.all(servers.map(async ({ at }) => ('failure' in at ? undefined : this.#resolver.ask(at, name, type))));
  }

  /** Returns the servers to which the parent zone refers for a zone, with the addresses in the referral; none if the parent can't be queried. */
  async referral(zone: string): Promise<readonly AuthoritativeServer[]> {
    for (const above of caaClimb(zone).slice(1)) {
      const nameServers = namesAt(await this.#resolver.resolve(above, 'NS', { unchecked: true }), above, 'NS');
      if (nameServers.length === 0) continue;
      const results = await this.#askAll(await this.#serversNamed(nameServers, []), zone, 'NS');
      const found = results.map((result) => referralOf(result, above, zone)).find((each) => each?.zone === zone);
      return found === undefined ? [] : this.#serversNamed(found.nameServers, found.glue, true);
    }
    return [];
  }

  /** Follows referrals down to the zone that holds the host. */
  async #descend(zone: Zone, host: string): Promise<Zone> {
    let current = zone;
    for (let cuts = 0; cuts < MAX_CUTS; cuts += 1) {
      const results = await this.#askAll(current.servers, host, 'CNAME');
      const servers = current.servers.map((server, index) => withFailure(server, results[index]));
      const below =
        results.map((result) => referralOf(result, current.name, host)).find((found) => found !== undefined) ??
        (await this.#zoneBeside({ ...current, servers }, host));
      if (below === undefined) return { ...current, servers };
      current = { name: below.zone, servers: await this.#serversNamed(below.nameServers, below.glue) };
    }
    return current;
  }

  /** Finds a child zone on the same servers, which send no referral to it (RFC 1034, section 4.3.2). The zone starts at the name with an SOA. */
  async #zoneBeside({ name: zone, servers }: Zone, host: string): Promise<Referral | undefined> {
    const names = caaClimb(host).filter((each) => each !== zone && isAtOrBelow(each, zone));
    for (const name of names.slice(0, MAX_SOA_NAMES)) {
      const results = await this.#askAll(servers, name, 'SOA');
      const found = results.map((result) => zoneIn(result, name)).find((each) => each !== undefined);
      if (found === undefined) continue;
      if (found === zone || !isAtOrBelow(found, zone)) return undefined;
      const delegations = await this.#askAll(servers, found, 'NS');
      const nameServers = [...new Set(delegations.flatMap((result) => namesAt(result, found, 'NS')))];
      return nameServers.length === 0 ? undefined : { zone: found, nameServers, glue: [] };
    }
    return undefined;
  }

  /** @param glue addresses from the referral: the only source for servers inside their own zone @param prefersGlue whether they take precedence */
  #serversNamed(nameServers: readonly string[], glue: readonly Answer[], prefersGlue = false): Promise<readonly AuthoritativeServer[]> {
    return Promise.all(
      nameServers
        .toSorted()
        .slice(0, MAX_NAME_SERVERS)
        .map(async (name): Promise<AuthoritativeServer> => {
          const { a, aaaa } = await this.#resolver.addressesOf(name, { unchecked: true });
          const found = [...a, ...aaaa];
          const fromGlue = glue
            .filter((answer) => answer.name.toLowerCase() === name && (answer.type === 'A' || answer.type === 'AAAA'))
            .map((answer) => (answer as StringAnswer).data);
          const addresses = found.length > 0 && !(prefersGlue && fromGlue.length > 0) ? found : fromGlue;
          const [first] = addresses;
          if (first === undefined) return { name, label: name, at: { failure: 'no_address' } };
          const address = this.#options.privateNetworks ? first : addresses.find(isPublicAddress);
          if (address === undefined) return { name, label: `${name} (${first})`, at: { failure: 'not_public' } };
          return { name, label: `${name} (${address})`, at: { address, port: this.#options.authoritativePort } };
        }),
    );
  }
}

/** Marks a server that timed out, so that it is not queried again during the lookup. */
function withFailure(server: AuthoritativeServer, result: QueryResult | undefined): AuthoritativeServer {
  return result?.kind === 'failed' && result.reason === 'timeout' ? { ...server, at: { failure: 'timeout' } } : server;
}

function hasAnswers(result: QueryResult | undefined): boolean {
  return result?.kind === 'answer' && result.answers.length > 0;
}

/** Returns the zone that holds a name, according to a server's answer about its SOA record; undefined if the name is an alias. */
function zoneIn(result: QueryResult | undefined, name: string): string | undefined {
  if (result?.kind !== 'answer' || !result.authoritative) return undefined;
  const records = result.answers.length > 0 ? result.answers.filter((answer) => answer.name.toLowerCase() === name) : result.authorities;
  const zone = records.find(({ type }) => type === 'SOA')?.name.toLowerCase();
  return zone !== undefined && isAtOrBelow(name, zone) ? zone : undefined;
}

interface Referral {
  readonly zone: string;
  readonly nameServers: readonly string[];
  /** Addresses of name servers whose names are in that zone. */
  readonly glue: readonly Answer[];
}

/** Returns the zone to which a server refers for the host, if that zone is below the server's own; referrals up or sideways are ignored. */
function referralOf(result: QueryResult | undefined, zone: string, host: string): Referral | undefined {
  if (result?.kind !== 'answer' || result.authoritative || result.answers.length > 0) return undefined;
  const delegation = result.authorities.filter((answer): answer is StringAnswer => answer.type === 'NS');
  const name = delegation[0]?.name.toLowerCase();
  if (name === undefined || name === zone || !isAtOrBelow(name, zone) || !isAtOrBelow(host, name)) return undefined;
  return { zone: name, nameServers: delegation.map(({ data }) => nameOf(data)), glue: result.additionals };
}
