// Requests without a valid key are limited by the address that they come from, at the Free plan's minute limit, so that a 401
// carries the headers too. Counted in the process; a restart forgets it. A valid key is never refused because of its address.

import { PLANS } from '../access/plans.ts';
import type { QuotaStatus } from './decide.ts';
import { first64Bits, parseAddress } from './ip-address.ts';
import { endOfMinute, windowsAt } from './windows.ts';

export const FAILURES_A_MINUTE = PLANS.free.limits.perMinute;

/** How an address stands that has made so many requests in this minute. */
export function addressQuota(used: number, now: number): QuotaStatus {
  return minuteQuota(FAILURES_A_MINUTE, used, now);
}

/** How something stands that has used so much of a limit of this minute. */
export function minuteQuota(limit: number, used: number, now: number): QuotaStatus {
  return { limit, remaining: Math.max(0, limit - used), resetAt: endOfMinute(windowsAt(now).minute) };
}

/**
 * What counts as one address: an IPv4 address, or the /64 of an IPv6 address, which is what one subscriber gets (RFC 6177).
 *
 * @returns all that is no address counts as one, `unknown`: nobody gets more by inventing some
 */
export function addressGroup(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'unknown';
  return parsed.includes(':') ? `${first64Bits(parsed)}::/64` : parsed;
}
