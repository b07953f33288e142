// A request budget per key and minute, counted in the process: a restart resets it.

import { BoundedMap } from '../bounded-map.ts';
import { endOfMinute, windowsAt } from './windows.ts';

export interface MinuteBudget {
  /**
   * Counts a request if the budget allows it.
   *
   * @param now milliseconds since 1970
   * @returns seconds until a request is possible again; 0 if this one was counted
   */
  take(key: string, now: number): number;
}

/**
 * @param perMinute requests per clock minute
 * @param remembered maximum number of keys counted at a time; beyond that, the least recently used key's count is dropped
 */
export function createMinuteBudget(perMinute: number, remembered: number): MinuteBudget {
  const counts = new BoundedMap<string, { readonly minute: number; readonly used: number }>(remembered);
  return {
    take: (key, now) => {
      const { minute } = windowsAt(now);
      const counted = counts.get(key);
      // Any other minute starts a new count, even an earlier minute: the clock was set back.
      const used = counted?.minute === minute ? counted.used : 0;
      if (used >= perMinute) return Math.ceil((endOfMinute(minute) - now) / 1_000);
      counts.set(key, { minute, used: used + 1 });
      return 0;
    },
  };
}
