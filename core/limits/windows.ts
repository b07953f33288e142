// Fixed windows, aligned to the clock: the UTC minute and the UTC day. Unix time has no leap seconds, so it divides evenly into both.

import { BoundedMap } from '../bounded-map.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The windows that contain a given time, each by its number since 1970. */
export interface Windows {
  readonly minute: number;
  readonly day: number;
}

/** Returns the windows that contain a given time. @param now milliseconds since 1970 */
export function windowsAt(now: number): Windows {
  return { minute: Math.floor(now / MINUTE_MS), day: Math.floor(now / DAY_MS) };
}

/** Returns the time at which the window ends, in milliseconds since 1970. */
export function endOfMinute(minute: number): number {
  return (minute + 1) * MINUTE_MS;
}

/** Returns the time at which the window ends, in milliseconds since 1970. */
export function endOfDay(day: number): number {
  return (day + 1) * DAY_MS;
}

/** Returns the hour that contains a minute, both by number since 1970. */
export function hourOf(minute: number): number {
  return Math.floor(minute / MINUTES_AN_HOUR);
}

export const MINUTES_AN_HOUR = HOUR_MS / MINUTE_MS;

/**
 * How many counters are stored with admission, including the current one. Admission needs two, because a machine whose clock is behind by less than a
 * window still counts in the previous window, and must not find it empty. The others are for the usage history, which copies them once they are
 * final, and retries if a copy fails.
 */
export const MINUTES_KEPT = 8;
export const DAYS_KEPT = 7;

/** Whether the counter of this window may be dropped. */
export function isStale(window: number, current: number, kept: number): boolean {
  return window <= current - kept;
}

// A request budget per key and minute, counted in the process, so a restart resets it.

export interface MinuteBudget {
  /** Counts a request, if allowed. @param now milliseconds since 1970 @returns seconds until a request is allowed; 0 if this one was counted */
  take(key: string, now: number): number;
}

/**
 * @param perMinute requests per clock minute
 * @param remembered maximum number of keys counted at a time; beyond it, the count of the least recently used key is dropped
 */
export function createMinuteBudget(perMinute: number, remembered: number): MinuteBudget {
  const counts = new BoundedMap<string, { readonly minute: number; readonly used: number }>(remembered);
  return {
    take: (key, now) => {
      const { minute } = windowsAt(now);
      const counted = counts.get(key);
      // Any other minute starts a new count, even an earlier one, which occurs if the clock was set back.
      const used = counted?.minute === minute ? counted.used : 0;
      if (used >= perMinute) return Math.ceil((endOfMinute(minute) - now) / 1_000);
      counts.set(key, { minute, used: used + 1 });
      return 0;
    },
  };
}
