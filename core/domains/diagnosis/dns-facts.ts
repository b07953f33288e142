// DNS facts as plain data: collected by an adapter, judged by diagnose.ts.

import { BlockList } from 'node:net';
import { parseAddress } from '../../limits/address.ts';
import type { CaaLookup, ServerFailure } from './caa.ts';

/** The records at exactly one name, as returned by one server; a CNAME is reported, not followed. */
export interface NameRecords {
  /** Targets, lower case, without the trailing dot. More than one target violates RFC 2181, but does occur. */
  readonly cname: readonly string[];
  readonly a: readonly string[];
  readonly aaaa: readonly string[];
  /** The strings of each record, concatenated. */
  readonly txt: readonly string[];
  /** Other names that HTTPS records point to (RFC 9460), lower case. @default none */
  readonly https?: readonly string[];
  /** The parent name whose DNAME record creates the CNAME (RFC 6672). @default the CNAME is an ordinary record */
  readonly dname?: string | undefined;
}

export type ServerAnswer =
  | {
      readonly server: string;
      readonly kind: 'records';
      readonly records: NameRecords;
      /** Seconds for which a recursive resolver will keep giving this answer (RFC 2308); undefined if unknown. */
      readonly ttlSeconds?: number | undefined;
    }
  | {
      readonly server: string;
      /** NXDOMAIN or NODATA. */
      readonly kind: 'none';
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
  /** The address of a resolver that answers only if validation is disabled. */
  readonly seenBy: string;
  /**
   * What the resolver reports (RFC 8914, section 4). `unsigned`: the parent zone has a DS record, but the zone has no keys. `other`: most likely, the
   * DS record does not match the zone's keys.
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
  /** One answer from each recursive resolver: what the world sees. Empty until the configuration is right, because resolvers cache early answers. */
  readonly recursive: readonly ServerAnswer[];
  /** The zone whose answers a recursive resolver considers forged; undefined if there is none. */
  readonly bogus: BogusZone | undefined;
  /**
   * Answers from servers that the parent zone refers to, but that the zone does not list, or lists with another address; some resolvers query them.
   * Collected only if resolvers see something other than what is configured.
   */
  readonly referred: readonly ServerAnswer[];
  /** The CNAME chain at the name, hop by hop, as a recursive resolver follows it, to its end or to where the resolver gave up. */
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
  /** Lookups made during the CAA climb, up to the first that found records or failed; empty if the climb is not needed yet. */
  readonly caa: readonly CaaLookup[];
}

// Addresses that a public name server can have. Without this check, the name servers that an owner chooses could be on this machine or its network.

/** IANA's special-purpose registries (RFC 6890), and multicast: addresses that are not globally reachable or do not belong to a single host. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Special blocks within 2000::/3, the only allocated part of IPv6: Teredo and neighboring blocks, documentation, 6to4. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const special = new BlockList();
const givenOut = new BlockList();
for (const network of SPECIAL_IPV4) add(special, network, 'ipv4');
for (const network of SPECIAL_IPV6) add(special, network, 'ipv6');
add(givenOut, '2000::/3', 'ipv6');

/** @returns false for invalid addresses as well */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (!address.includes(':')) return !special.check(address, 'ipv4');
  return givenOut.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

function add(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits = ''] = network.split('/');
  list.addSubnet(address, Number(bits), family);
}

// Address ranges of proxies, which hide the actual record. Cloudflare publishes its ranges at https://www.cloudflare.com/ips/.

const CLOUDFLARE_IPV4 = [
  ...['103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '104.16.0.0/13', '104.24.0.0/14', '108.162.192.0/18', '131.0.72.0/22'],
  ...[
    '141.101.64.0/18',
    '162.158.0.0/15',
    '172.64.0.0/13',
    '173.245.48.0/20',
    '188.114.96.0/20',
    '190.93.240.0/20',
    '197.234.240.0/22',
    '198.41.128.0/17',
  ],
];
const CLOUDFLARE_IPV6 = [
  '2400:cb00::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2405:b500::/32',
  '2405:8100::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
];

const cloudflare = new BlockList();
for (const network of CLOUDFLARE_IPV4) add(cloudflare, network, 'ipv4');
for (const network of CLOUDFLARE_IPV6) add(cloudflare, network, 'ipv6');

/** Returns the provider whose proxy has this address; undefined if unknown. */
export function proxyOf(address: string): 'Cloudflare' | undefined {
  return cloudflare.check(address, address.includes(':') ? 'ipv6' : 'ipv4') ? 'Cloudflare' : undefined;
}
