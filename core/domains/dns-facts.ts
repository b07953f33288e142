// What was seen in the DNS, as plain data: gathered by an adapter, judged by diagnose.ts.

import type { CaaLookup } from './caa.ts';

/** The records at exactly one name, as one server gave them; a CNAME is told, never followed. */
export interface NameRecords {
  /** Targets, lower case, without the dot at the end. More than one is against RFC 2181, and seen. */
  readonly cname: readonly string[];
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
  /** Each record's strings joined. */
  readonly txt: readonly string[];
}

/**
 * Why a server gave no answer that counts. `not_public`: it is said to be at an address that no public name server can have, and was not
 * asked. `no_address`: none is known for its name. `not_responsible`: it does not answer for the zone with authority (RFC 1912, section
 * 2.8, "lame"), but sends elsewhere, or says what it has heard.
 */
export type ServerFailure = 'servfail' | 'refused' | 'timeout' | 'malformed' | 'not_public' | 'no_address' | 'not_responsible';

export type ServerAnswer =
  | {
      readonly server: string;
      readonly kind: 'records';
      readonly records: NameRecords;
      /** How long a recursive server goes on giving this answer, in seconds; undefined if it did not say. */
      readonly ttlSeconds?: number | undefined;
    }
  | {
      readonly server: string;
      /** NXDOMAIN or NODATA. */
      readonly kind: 'none';
      /** How long a recursive server goes on giving this answer, in seconds (RFC 2308); undefined if it did not say. */
      readonly ttlSeconds?: number | undefined;
    }
  | { readonly server: string; readonly kind: 'failed'; readonly reason: ServerFailure };

/** A set of addresses that was asked for several times. */
export interface Addresses {
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
}

export interface DnsFacts {
  readonly host: string;
  /** The zone that holds the name; undefined if it could not be found out. */
  readonly zone: string | undefined;
  /** False if the registry says that there is no such domain. */
  readonly registered: boolean;
  /** One answer of each authoritative server of the zone: what is configured. */
  readonly authoritative: readonly ServerAnswer[];
  /** One answer of each recursive server: what the world sees. Empty unless what is configured is right: who asks too early is remembered. */
  readonly recursive: readonly ServerAnswer[];
  /** The recursive server that takes the zone's answers for forged (RFC 4035): it answers only when it is not to check them. */
  readonly bogusSeenBy: string | undefined;
  /** Where a CNAME at the name leads, hop by hop, as a recursive server follows it; the last is the end, or where it was given up. */
  readonly chain: readonly string[];
  /** Does the chain come back to a name that it has visited? */
  readonly loops: boolean;
  /** All addresses of the project's edge host that were seen. */
  readonly edge: Addresses;
  /** Did the same question get other addresses from one time to the next, at the name or at the edge? No single answer is all then. */
  readonly rotating: boolean;
  /** Do other names beside this one have its addresses too? */
  readonly wildcard: boolean;
  /** A record that was found where it does not belong: at the name with its zone doubled, or at its parent. */
  readonly misplaced: { readonly name: string; readonly value: string } | undefined;
  /** Lookups of the CAA climb, up to the first that found or failed; empty where there is nothing to check yet. */
  readonly caa: readonly CaaLookup[];
}
