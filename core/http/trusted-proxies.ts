// Networks whose proxies' forwarding headers are trusted.

import { BlockList } from 'node:net';
import { parseAddress } from '../limits/ip-address.ts';

export interface Network {
  /** As parseAddress gives it. */
  readonly address: string;
  /** Bits that count: 0 to 32 of IPv4, 0 to 128 of IPv6. */
  readonly prefix: number;
}

/** Is this a trusted proxy? Takes an address as parseAddress gives it. */
export type TrustedProxies = (address: string) => boolean;

/** IPv4 within IPv6 has this many bits before the address of IPv4. */
const MAPPED_BITS = 96;

/** Reads an address or a network in CIDR notation (RFC 4632, RFC 4291, section 2.3). @returns undefined if it is neither */
export function parseNetwork(text: string): Network | undefined {
  const [, given = '', length] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = parseAddress(given);
  if (address === undefined) return undefined;
  const bits = address.includes(':') ? 128 : 32;
  const before = given.includes(':') && bits === 32 ? MAPPED_BITS : 0;
  const prefix = length === undefined ? bits : Number(length) - before;
  return prefix >= 0 && prefix <= bits ? { address, prefix } : undefined;
}

export function trustNetworks(networks: readonly Network[]): TrustedProxies {
  // One list per address family: Node takes every IPv4 address for a part of ::/0.
  const [ipv4, ipv6] = [new BlockList(), new BlockList()];
  for (const { address, prefix } of networks) {
    if (address.includes(':')) ipv6.addSubnet(address, prefix, 'ipv6');
    else ipv4.addSubnet(address, prefix, 'ipv4');
  }
  return (address) => (address.includes(':') ? ipv6.check(address, 'ipv6') : ipv4.check(address, 'ipv4'));
}
