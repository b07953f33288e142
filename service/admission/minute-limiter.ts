// Counts something by key in this process, in minutes of the clock: requests by address, or by user.

import { BoundedMap } from '../../core/bounded-map.ts';
import { minuteQuota } from '../../core/limits/address.ts';
import type { QuotaStatus } from '../../core/limits/decide.ts';
import { windowsAt } from '../../core/limits/windows.ts';

/** Keys that a process counts at a time; beyond that it forgets the one that was quiet longest. */
const REMEMBERED_KEYS = 50_000;

export interface MinuteLimiter {
  /** How the key stands; counts nothing. */
  quota(key: string, now: number): QuotaStatus;
  /** Counts one. False if the key had none left. */
  count(key: string, now: number): boolean;
  /** Takes back one that was counted in this minute. */
  takeBack(key: string, now: number): void;
}

/** @param limit a minute, for each key */
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
