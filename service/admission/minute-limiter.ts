// Counts events per key and clock minute in this process: requests by address, or by user.

import { BoundedMap } from '../../core/bounded-map.ts';
import { addressGroup, FAILURES_A_MINUTE, minuteQuota } from '../../core/limits/address.ts';
import type { QuotaStatus } from '../../core/limits/decide.ts';
import type { MinuteCounter } from '../../core/limits/ports.ts';
import { windowsAt } from '../../core/limits/windows.ts';

/** Maximum number of keys counted at a time; beyond it, the least recently used key is forgotten. */
const REMEMBERED_KEYS = 50_000;

export interface MinuteLimiter {
  /** Returns the key's quota status; counts nothing. */
  quota(key: string, now: number): QuotaStatus;
  /** Counts one event. Returns false, without counting it, if the key's limit is used up. */
  count(key: string, now: number): boolean;
  /** Takes back an event that was counted in this minute. */
  takeBack(key: string, now: number): void;
}

/** @param limit per minute and key */
export function createMinuteLimiter(limit: number): MinuteLimiter {
  const counts = new BoundedMap<string, number>(REMEMBERED_KEYS);
  let minute = 0;

  const usedOf = (key: string, now: number): number => {
    const current = windowsAt(now).minute;
    if (current !== minute) {
      counts.clear();
      minute = current;
    }
    return counts.get(key) ?? 0;
  };

  return {
    quota: (key, now) => minuteQuota(limit, usedOf(key, now), now),
    count: (key, now) => {
      const used = usedOf(key, now);
      if (used >= limit) return false;
      counts.set(key, used + 1);
      return true;
    },
    takeBack: (key, now) => counts.set(key, Math.max(0, usedOf(key, now) - 1)),
  };
}

export interface AddressLimiter extends Pick<MinuteLimiter, 'quota' | 'count'> {
  /** Whether the address has had as many failures in this minute as it may have. */
  isExhausted(address: string, now: number): boolean;
}

/** Creates a limiter that allows FAILURES_A_MINUTE per address group. */
export function createAddressLimiter(): AddressLimiter {
  const limiter = createMinuteLimiter(FAILURES_A_MINUTE);
  return {
    quota: (address, now) => limiter.quota(addressGroup(address), now),
    count: (address, now) => limiter.count(addressGroup(address), now),
    isExhausted: (address, now) => limiter.quota(addressGroup(address), now).remaining === 0,
  };
}

// Limits the requests of the control API's users, across all processes. Until the minute ends, a refusal is repeated from memory, which saves writes.

/** Requests per user and minute. An open dashboard page that refreshes itself sends about 60. */
const REQUESTS_A_MINUTE = 600;
/** Maximum number of refused users in memory; beyond it, the one refused first is forgotten. */
const REMEMBERED_USERS = 50_000;

export interface UserLimiter {
  /** Counts a user's request unless the limit is used up. Returns the quota including it. Rejects with StoreFault if the counter's storage fails. */
  admit(userId: string, now: number): Promise<{ readonly admitted: boolean; readonly quota: QuotaStatus }>;
}

/** Creates a limiter. @param counter shared by all processes */
export function createUserLimiter(counter: MinuteCounter): UserLimiter {
  /** The last minute in which the user was refused. */
  const refusedIn = new BoundedMap<string, number>(REMEMBERED_USERS);
  return {
    admit: async (userId, now) => {
      const { minute } = windowsAt(now);
      const counted = refusedIn.get(userId) === minute ? undefined : await counter.count(`user ${userId}`, REQUESTS_A_MINUTE, now);
      if (counted === undefined) refusedIn.set(userId, minute);
      return { admitted: counted !== undefined, quota: minuteQuota(REQUESTS_A_MINUTE, counted ?? REQUESTS_A_MINUTE, now) };
    },
  };
}
