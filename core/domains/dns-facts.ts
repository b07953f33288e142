// DNS facts as plain data: collected by an adapter, judged by diagnose.ts.

import type { CaaLookup, ServerFailure } from './caa.ts';

/** The records at exactly one name, as returned by one server; a CNAME is reported, not followed. */
export interface NameRecords {
  /** Targets, lower case, without the trailing dot. More than one violates RFC 2181, but occurs. */
  readonly cname: readonly string[];
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
  /** The strings of each record, concatenated. */
  readonly txt: readonly string[];
  /** Other names to which HTTPS records lead (RFC 9460), lower case. @default none */
  readonly https?: readonly string[];
  /** The parent name whose DNAME record creates the CNAME (RFC 6672). @default the CNAME is a record of its own */
  readonly dname?: string | undefined;
}

export type ServerAnswer =
  | {
      readonly server: string;
      readonly kind: 'records';
      readonly records: NameRecords;
      /** Seconds for which a recursive resolver will keep giving this answer; undefined if unknown. */
      readonly ttlSeconds?: number | undefined;
    }
  | {
      readonly server: string;
      /** NXDOMAIN or NODATA. */
      readonly kind: 'none';
      /** Seconds for which a recursive resolver will keep giving this answer (RFC 2308); undefined if unknown. */
      readonly ttlSeconds?: number | undefined;
    }
  | { readonly server: string; readonly kind: 'failed'; readonly reason: ServerFailure };

/** A set of addresses, collected from several queries. */
export interface Addresses {
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
}

/** A zone with invalid DNSSEC signatures (RFC 4035). */
export interface BogusZone {
  readonly name: string;
  /** The address of a resolver that answers only with validation switched off. */
  readonly seenBy: string;
  /**
   * What the resolver says of them (RFC 8914, section 4). `unsigned`: the zone above has a DS record, but the zone has no keys. `other`: most likely
   * the DS record is for other keys.
   */
  readonly why: 'expired' | 'not_yet_valid' | 'unsigned' | 'other';
}

export interface DnsFacts {
  readonly host: string;
  /** The zone of the name; undefined if it could not be determined. */
  readonly zone: string | undefined;
  /** The names of the zone's servers, lower case, without trailing dots; empty if unknown, or if only the registry's zone was found. */
  readonly nameServers: readonly string[];
  /** False if the registry reports that the domain does not exist. */
  readonly registered: boolean;
  /** One answer from each of the zone's authoritative servers: what is configured. */
  readonly authoritative: readonly ServerAnswer[];
  /**
   * One answer from each recursive resolver: what the world sees. Empty until the configuration is right, because resolvers cache the answers to
   * early queries.
   */
  readonly recursive: readonly ServerAnswer[];
  /** The zone whose answers a recursive resolver considers forged; undefined if there is none. */
  readonly bogus: BogusZone | undefined;
  /**
   * Answers of servers to which the parent zone refers, but which the zone itself does not list, or lists with another address: some resolvers query
   * these. Collected only if resolvers see something else than what is configured.
   */
  readonly referred: readonly ServerAnswer[];
  /**
   * The CNAME chain at the name, hop by hop, as a recursive resolver follows it. The last entry is the end of the chain, or where the resolver gave
   * up.
   */
  readonly chain: readonly string[];
  /** Whether the chain returns to a name that it has already visited. */
  readonly loops: boolean;
  /** All addresses seen for the project's edge host. */
  readonly edge: Addresses;
  /** Whether repeated queries got different addresses, for the name or for the edge. If so, a single answer is incomplete. */
  readonly rotating: boolean;
  /** Whether other names in the zone have the same CNAME or the same addresses. */
  readonly wildcard: boolean;
  /** A record that was found in the wrong place: at the name with its zone doubled, or at its parent. */
  readonly misplaced: { readonly name: string; readonly value: string } | undefined;
  /** Lookups made during the CAA climb, up to the first that found records or failed; empty if there is nothing to check yet. */
  readonly caa: readonly CaaLookup[];
}
