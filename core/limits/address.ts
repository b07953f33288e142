// Requests without a valid key are limited by the address that they come from, at the Free plan's minute limit, so that a 401
// carries the headers too. Counted in the process; a restart forgets it. A valid key is never refused for its address.

import { PLAN_LIMITS } from '../access/plans.ts';
import type { Standing } from './decide.ts';
import { endOfMinute, windowsAt } from './windows.ts';

const LIMIT = PLAN_LIMITS.free.perMinute;

/** How an address stands that has made so many requests in this minute. */
export function addressStanding(used: number, now: number): Standing {
  return { limit: LIMIT, remaining: Math.max(0, LIMIT - used), resetAt: endOfMinute(windowsAt(now).minute) };
}

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 address, which is what one subscriber gets (RFC 6177). */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const right = tail === '' ? [] : tail.split(':');
    while (left.length + right.length < 8) left.push('0');
    left.push(...right);
  }
  return `${left
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')}::/64`;
}
