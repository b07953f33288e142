// Networks of proxies whose forwarding headers are trusted.

import { BlockList } from 'node:net';
import { parseAddress } from '../limits/ip-address.ts';

export interface Network {
  /** Normalized by parseAddress. */
  readonly address: string;
  /** Prefix length: 0 to 32 for IPv4, 0 to 128 for IPv6. */
  readonly prefix: number;
}

/** Whether an address, as returned by parseAddress, is a trusted proxy's. */
export type TrustedProxies = (address: string) => boolean;

/** Number of bits before the IPv4 address in an IPv4-mapped IPv6 address. */
const MAPPED_BITS = 96;

/** Parses an address or a network in CIDR notation (RFC 4632, RFC 4291, section 2.3). @returns undefined if it is neither */
export function parseNetwork(text: string): Network | undefined {
  const [, given = '', length] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = parseAddress(given);
  if (address === undefined) return undefined;
  const bits = address.includes(':') ? 128 : 32;
  const before = given.includes(':') && bits === 32 ? MAPPED_BITS : 0;
  const prefix = length === undefined ? bits : Number(length) - before;
  return prefix >= 0 && prefix <= bits ? { address, prefix } : undefined;
}

/** Builds the check for addresses in these networks. */
export function trustNetworks(networks: readonly Network[]): TrustedProxies {
  // One list per address family: Node treats every IPv4 address as part of ::/0.
  const [ipv4, ipv6] = [new BlockList(), new BlockList()];
  for (const { address, prefix } of networks) {
    if (address.includes(':')) ipv6.addSubnet(address, prefix, 'ipv6');
    else ipv4.addSubnet(address, prefix, 'ipv4');
  }
  return (address) => (address.includes(':') ? ipv6.check(address, 'ipv6') : ipv4.check(address, 'ipv4'));
}
