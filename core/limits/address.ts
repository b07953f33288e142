// Requests without a valid key are limited by client address, to the Free plan's limit per minute, so that a 401 has rate-limit headers as well. They
// are counted in the process, so a restart resets the counts. A valid key is never refused because of its address.

import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { PLANS } from '../access/plans.ts';
import type { QuotaStatus } from './decide.ts';
import { endOfMinute, windowsAt } from './windows.ts';

export const FAILURES_A_MINUTE = PLANS.free.limits.perMinute;

/** Returns the quota status of an address with this many requests in the current minute. */
export function addressQuota(used: number, now: number): QuotaStatus {
  return minuteQuota(FAILURES_A_MINUTE, used, now);
}

/** Returns the status of a per-minute quota after this many requests. */
export function minuteQuota(limit: number, used: number, now: number): QuotaStatus {
  return { limit, remaining: Math.max(0, limit - used), resetAt: endOfMinute(windowsAt(now).minute) };
}

/**
 * Returns what counts as one address: an IPv4 address, or the /64 of an IPv6 address, which is what one subscriber gets (RFC 6177).
 *
 * @returns `unknown` for anything that is not an address, so that invented addresses gain nothing
 */
export function addressGroup(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'unknown';
  return parsed.includes(':') ? `${first64Bits(parsed)}::/64` : parsed;
}

// Normalizes IPv4 and IPv6 addresses, so that a client can't count as two by using two forms of its address.

/**
 * Returns an address as in RFC 5952: lower case, shortest form. An IPv4-mapped IPv6 address (`::ffff:192.0.2.7`, RFC 4291, section 2.5.5.2) becomes
 * the IPv4 address, and a zone (`%eth0`), which has a meaning only on one machine, is dropped.
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
