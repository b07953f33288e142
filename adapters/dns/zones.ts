// Finds the zone that holds a host, and the servers that answer for it.

import type { Answer, StringAnswer } from 'dns-packet';
import { caaClimb } from '../../core/domains/caa.ts';
import type { ServerFailure } from '../../core/domains/dns-facts.ts';
import { isAtOrBelow, registeredDomain } from '../../core/domains/host-name.ts';
import { isPublicAddress } from '../../core/domains/public-address.ts';
import { allOf, nameOf, namesAt } from './answers.ts';
import type { NameServer } from './name-server.ts';
import type { QueryResult } from './query.ts';
import type { Resolver } from './resolver.ts';

/** Zones within zones that are gone down through, from the registered domain to the host. */
const MAX_CUTS = 5;
/** Name servers of a zone that are asked; more than a zone has in practice. */
const MAX_NAME_SERVERS = 8;

/** An authoritative server: where it listens, or why it is not asked. */
export interface AuthoritativeServer {
  /** Its name, and its address in parentheses. */
  readonly shown: string;
  readonly at: NameServer | { readonly failure: ServerFailure };
}

export interface Zone {
  readonly name: string;
  readonly servers: readonly AuthoritativeServer[];
}

export interface ZoneOptions {
  readonly authoritativePort: number;
  /** Ask servers at addresses that no public name server can have. */
  readonly privateNetworks: boolean;
}

export class ZoneFinder {
  readonly #resolver: Resolver;
  readonly #authoritativePort: number;
  readonly #privateNetworks: boolean;

  constructor(resolver: Resolver, { authoritativePort, privateNetworks }: ZoneOptions) {
    this.#resolver = resolver;
    this.#authoritativePort = authoritativePort;
    this.#privateNetworks = privateNetworks;
  }

  /**
   * The zone that holds the host, and its servers. Recursive servers are asked where the registered domain is; from there on down the way
   * is asked of its own servers. Where they can't say, the registry's servers are asked for what they have been told.
   */
  async find(host: string): Promise<{ zone: Zone | undefined; registered: boolean }> {
    const registered = registeredDomain(host);
    for (const name of caaClimb(registered)) {
      const result = await this.#resolver.resolve(name, 'NS', { unchecked: true });
      if (name === registered && result.kind === 'answer' && !result.exists) return { zone: { name, servers: [] }, registered: false };
      if (result.kind === 'failed') this.#resolver.askAllAgain();
      const nameServers = namesAt(result, name, 'NS');
      if (nameServers.length === 0) continue;
      const zone = await this.#descend({ name, servers: await this.#serversNamed(nameServers, []) }, host);
      return { zone, registered: isAtOrBelow(zone.name, registered) || (await this.#isKnownAt(zone, registered)) };
    }
    return { zone: undefined, registered: true };
  }

  /** False if all servers of the registry that answer say that there is no such name. */
  async #isKnownAt({ servers }: Zone, registered: string): Promise<boolean> {
    const results = await Promise.all(servers.map(({ at }) => ('failure' in at ? undefined : this.#resolver.ask(at, registered, 'NS'))));
    const answers = results.filter((result) => result?.kind === 'answer' && result.authoritative);
    return answers.length === 0 || answers.some((result) => result?.kind === 'answer' && result.exists);
  }

  /** Goes down through referrals to the zone that holds the host. */
  async #descend(zone: Zone, host: string): Promise<Zone> {
    let current = zone;
    for (let cuts = 0; cuts < MAX_CUTS; cuts += 1) {
      const results = await Promise.all(current.servers.map(({ at }) => ('failure' in at ? undefined : this.#resolver.ask(at, host, 'CNAME'))));
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
          const [a, aaaa] = await Promise.all([
            this.#resolver.resolve(name, 'A', { unchecked: true }),
            this.#resolver.resolve(name, 'AAAA', { unchecked: true }),
          ]);
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
}

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
