// Counts events per key and clock minute in this process: requests by address, or by user.

import { BoundedMap } from '../../core/bounded-map.ts';
import { minuteQuota } from '../../core/limits/address.ts';
import type { QuotaStatus } from '../../core/limits/decide.ts';
import { windowsAt } from '../../core/limits/windows.ts';

/** Number of keys counted at a time; beyond that, the least recently used key is forgotten. */
const REMEMBERED_KEYS = 50_000;

export interface MinuteLimiter {
  /** Returns the key's quota status; counts nothing. */
  quota(key: string, now: number): QuotaStatus;
  /** Counts one event. Returns false if the key's limit was used up. */
  count(key: string, now: number): boolean;
  /** Uncounts an event that was counted in this minute. */
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
