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

export type ServerAnswer =
  | { readonly server: string; readonly kind: 'records'; readonly records: NameRecords }
  | {
      readonly server: string;
      /** NXDOMAIN or NODATA. */
      readonly kind: 'none';
      readonly exists: boolean;
      /** How long others may remember that there is nothing, in seconds (RFC 2308); undefined if the server did not say. */
      readonly negativeTtlSeconds: number | undefined;
    }
  | {
      readonly server: string;
      readonly kind: 'failed';
      /** `not_public`: it is said to be at an address that no public name server can have, and was not asked. */
      readonly reason: 'servfail' | 'refused' | 'timeout' | 'malformed' | 'not_public';
      /** SERVFAIL, but an answer when checking is disabled: a DNSSEC fault (RFC 4035, section 3.2.2). */
      readonly bogus: boolean;
    };

export interface DnsFacts {
  readonly host: string;
  /** The zone that holds the name; undefined if it could not be found out. */
  readonly zone: string | undefined;
  /** One answer of each authoritative server of the zone: what is configured. */
  readonly authoritative: readonly ServerAnswer[];
  /** One answer of each recursive server: what the world sees. */
  readonly recursive: readonly ServerAnswer[];
  /** Where a CNAME at the name leads, hop by hop, as a recursive server follows it; the last is the end. */
  readonly chain: readonly string[];
  /** Does the chain come back to a name that it has visited? */
  readonly loops: boolean;
  /** Addresses of the project's edge host. */
  readonly edge: { readonly a: readonly string[]; readonly aaaa: readonly string[] };
  /** A record that was found where it does not belong: at the name with its zone doubled, or at its parent. */
  readonly misplaced: { readonly name: string; readonly value: string } | undefined;
  /** Lookups of the CAA climb, up to the first that found or failed; empty where there is nothing to check yet. */
  readonly caa: readonly CaaLookup[];
}
