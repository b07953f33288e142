// Addresses of IPv4 and IPv6 in one spelling each, so that nobody is two clients by writing an address in two ways.

import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * An address as RFC 5952 writes it: lower case, shortest form. IPv4 within IPv6 (`::ffff:192.0.2.7`, RFC 4291, section 2.5.5.2) is the
 * IPv4 address, and a zone (`%eth0`) is cut: it means something on one machine only.
 *
 * @returns undefined if the text is no address
 */
export function parseAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/s, ''), family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/** The first 64 bits of an address of IPv6, written out as `2001:db8:0:1`. @param address as parseAddress gives it */
export function first64Bits(address: string): string {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail === undefined) return groups.slice(0, 4).join(':');
  // The last two groups may be written as an address of IPv4.
  const right = tail.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0');
  const after = right === '' ? [] : right.split(':');
  while (groups.length + after.length < 8) groups.push('0');
  return [...groups, ...after].slice(0, 4).join(':');
}
