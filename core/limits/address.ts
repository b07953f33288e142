// Requests without a valid key are limited by client address, to the Free plan's limit per minute, so that a 401 has rate-limit headers as well.
// They are counted in the process, and a restart resets the counts. A valid key is never refused because of its address.

import { PLANS } from '../access/plans.ts';
import type { QuotaStatus } from './decide.ts';
import { first64Bits, parseAddress } from './ip-address.ts';
import { endOfMinute, windowsAt } from './windows.ts';

export const FAILURES_A_MINUTE = PLANS.free.limits.perMinute;

/** The quota status of an address with this many requests in the current minute. */
export function addressQuota(used: number, now: number): QuotaStatus {
  return minuteQuota(FAILURES_A_MINUTE, used, now);
}

/** The status of a per-minute quota of which this much is used. */
export function minuteQuota(limit: number, used: number, now: number): QuotaStatus {
  return { limit, remaining: Math.max(0, limit - used), resetAt: endOfMinute(windowsAt(now).minute) };
}

/**
 * What counts as one address: an IPv4 address, or the /64 of an IPv6 address, which is what one subscriber gets (RFC 6177).
 *
 * @returns `unknown` for anything that is not an address, so that inventing addresses gains nothing
 */
export function addressGroup(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'unknown';
  return parsed.includes(':') ? `${first64Bits(parsed)}::/64` : parsed;
}
