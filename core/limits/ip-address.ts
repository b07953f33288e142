// Normalizes IPv4 and IPv6 addresses, so that a client can't count as two by writing its address in two forms.

import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * Returns an address in the form given in RFC 5952: lower case, shortest form. An IPv4-mapped IPv6 address (`::ffff:192.0.2.7`, RFC 4291, section
 * 2.5.5.2) becomes the IPv4 address, and a zone (`%eth0`) is dropped, because it is meaningful on one machine only.
 *
 * @returns undefined if the text is not an address
 */
export function parseAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return undefined;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/s, ''), family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/** Returns the first 64 bits of an IPv6 address, as `2001:db8:0:1`. @param address as returned by parseAddress */
export function first64Bits(address: string): string {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail === undefined) return groups.slice(0, 4).join(':');
  // The last two groups may be in IPv4 notation.
  const right = tail.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0');
  const after = right === '' ? [] : right.split(':');
  while (groups.length + after.length < 8) groups.push('0');
  return [...groups, ...after].slice(0, 4).join(':');
}
