// An account's usage history: requests in the last minutes and days.

import type { Counters } from './admit.ts';
import { DAY_MS, DAYS_KEPT, MINUTE_MS, MINUTES_KEPT, windowsAt } from './windows.ts';

/** The count for one window. */
export interface PastWindow {
  /** Milliseconds since 1970. */
  readonly startsAt: number;
  readonly admitted: number;
}

export interface PastDay extends PastWindow {
  /** Requests that got a 429: a lower bound, because processes report them up to a minute late. */
  readonly refused: number;
}

/** Oldest first, without gaps; the last entry of each is the current window. */
export interface History {
  readonly minutes: readonly PastWindow[];
  readonly days: readonly PastDay[];
}

/** Returns the history at a moment, in milliseconds since 1970. */
export function historyOf(counters: { readonly minutes: Counters; readonly days: Counters; readonly refused: Counters }, now: number): History {
  const { minute, day } = windowsAt(now);
  return {
    minutes: lastWindows(minute, MINUTES_KEPT).map((window) => ({ startsAt: window * MINUTE_MS, admitted: counters.minutes.get(window) ?? 0 })),
    days: lastWindows(day, DAYS_KEPT).map((window) => ({
      startsAt: window * DAY_MS,
      admitted: counters.days.get(window) ?? 0,
      refused: counters.refused.get(window) ?? 0,
    })),
  };
}

function lastWindows(current: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => current - count + 1 + index);
}
