// Requests that each of many may make in a minute, counted in the process: a restart forgets it.

import { BoundedMap } from '../bounded-map.ts';
import { endOfMinute, windowsAt } from './windows.ts';

export interface MinuteBudget {
  /**
   * Counts a request, if one is left.
   *
   * @param now milliseconds since 1970
   * @returns seconds until there is one again; 0 if this one was counted
   */
  take(key: string, now: number): number;
}

/**
 * @param perMinute requests in a minute of the clock
 * @param remembered keys that are counted at a time; beyond that the one that was quiet longest begins anew
 */
export function createMinuteBudget(perMinute: number, remembered: number): MinuteBudget {
  const counts = new BoundedMap<string, { readonly minute: number; readonly used: number }>(remembered);
  return {
    take: (key, now) => {
      const { minute } = windowsAt(now);
      const counted = counts.get(key);
      // Another minute is another count, also one before: the clock was set back.
      const used = counted?.minute === minute ? counted.used : 0;
      if (used >= perMinute) return Math.ceil((endOfMinute(minute) - now) / 1_000);
      counts.set(key, { minute, used: used + 1 });
      return 0;
    },
  };
}
