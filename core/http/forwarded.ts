// What proxies report about the hops before them: X-Forwarded-For, and Forwarded (RFC 7239). Both lists grow at their right end and are parsed from
// there, so nothing that a client puts at the left, such as an unclosed quote, can hide what a proxy has added.

import { BlockList } from 'node:net';
import { parseAddress } from '../limits/address.ts';

/** One hop, as seen by the next proxy. */
export interface Hop {
  /** Normalized by parseAddress; undefined if the proxy gave no address: `unknown`, an obfuscated identifier, or junk. */
  readonly address: string | undefined;
  /** In lower case; undefined if not given. */
  readonly scheme: string | undefined;
}

/** Parses the entries of X-Forwarded-For, last first; lazily, because a client can send thousands. */
export function* parseForwardedFor(header: string): Generator<Hop> {
  for (const entry of header.split(',').reverse()) yield { address: parseNode(entry.trim()), scheme: undefined };
}

/** Parses the elements of Forwarded (RFC 7239, section 4), last first and lazily. */
export function* parseForwarded(header: string): Generator<Hop> {
  for (const element of splitFromRight(header, ',')) {
    const pairs = [...splitFromRight(element, ';')].map((pair) => pair.trim());
    const node = parameterOf(pairs, 'for');
    yield { address: node === undefined ? undefined : parseNode(node), scheme: parameterOf(pairs, 'proto')?.toLowerCase() };
  }
}

/** Returns a parameter's value; undefined if it is missing, or if it is repeated, which RFC 7239 forbids. */
function parameterOf(pairs: readonly string[], name: string): string | undefined {
  const start = `${name}=`;
  const [value, another] = pairs.filter((pair) => pair.slice(0, start.length).toLowerCase() === start).map((pair) => pair.slice(start.length));
  if (value === undefined || another !== undefined) return undefined;
  const quoted = /^"(.*)"$/s.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replace(/\\(.)/gs, '$1');
}

/** Returns a node's address, given with or without a port (RFC 7239, section 6): `192.0.2.7:80`, `[2001:db8::1]:_port`. */
function parseNode(node: string): string | undefined {
  const [, ipv6, ipv4] = /^(?:\[([^[\]]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? [];
  // Only IPv6 addresses have brackets.
  if (ipv6 !== undefined) return ipv6.includes(':') ? parseAddress(ipv6) : undefined;
  return parseAddress(ipv4 ?? node);
}

/** Splits a text at separators outside quoted strings (RFC 9110, section 5.6.4); last part first. */
function* splitFromRight(text: string, separator: string): Generator<string> {
  let quoted = false;
  let end = text.length;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === '"' && !isEscaped(text, at)) quoted = !quoted;
    if (quoted || text[at] !== separator) continue;
    yield text.slice(at + 1, end);
    end = at;
  }
  yield text.slice(0, end);
}

/** Whether an odd number of backslashes precedes this position. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

// Networks of proxies whose forwarding headers are trusted.

export interface Network {
  /** Normalized by parseAddress. */
  readonly address: string;
  /** Prefix length: 0 to 32 for IPv4, 0 to 128 for IPv6. */
  readonly prefix: number;
}

/** Whether an address, as returned by parseAddress, belongs to a trusted proxy. */
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
