// An account's usage history: the last hour by minute, the last day by hour, the last 30 days by day. Admission counts requests by minute and by day,
// and keeps only recent windows; once one is final, its count is copied to the history. An hour is the sum of its minutes. Refusals, which admission
// does not count, are counted directly in the history. Times are in milliseconds since 1970.

import type { Counters } from './admit.ts';
import { CLOCK_DIFFERENCE_MS } from './ban.ts';
import { DAY_MS, HOUR_MS, hourOf, MINUTE_MS, MINUTES_AN_HOUR, windowsAt } from './windows.ts';

/** How many windows of each kind are shown, including the current one. */
export const MINUTES_SHOWN = 60;
export const HOURS_SHOWN = 24;
export const DAYS_SHOWN = 30;

/** The counts for one window. */
export interface PastWindow {
  readonly startsAt: number;
  readonly admitted: number;
  /** Number of requests that got a 429: a lower bound, because processes report them up to a minute late. */
  readonly refused: number;
}

/** Oldest first, without gaps; the last entry of each list is the current window. All windows are UTC. */
export interface History {
  readonly minutes: readonly PastWindow[];
  readonly hours: readonly PastWindow[];
  readonly days: readonly PastWindow[];
}

/** Requests by window. */
export interface WindowCounters {
  readonly minutes: Counters;
  readonly days: Counters;
}

/** Refusals by window. */
export interface RefusalCounters extends WindowCounters {
  readonly hours: Counters;
}

/** Returns the history at a given time. @param admitted must include all minutes of the hours that are shown */
export function historyOf({ admitted, refused }: { readonly admitted: WindowCounters; readonly refused: RefusalCounters }, now: number): History {
  const { minute, day } = windowsAt(now);
  const view = (windowMs: number, current: number, shown: number, of: { readonly admitted: Counters; readonly refused: Counters }) =>
    Array.from({ length: shown }, (_, index) => current - shown + 1 + index).map((window) => ({
      startsAt: window * windowMs,
      admitted: of.admitted.get(window) ?? 0,
      refused: of.refused.get(window) ?? 0,
    }));
  return {
    minutes: view(MINUTE_MS, minute, MINUTES_SHOWN, { admitted: admitted.minutes, refused: refused.minutes }),
    hours: view(HOUR_MS, hourOf(minute), HOURS_SHOWN, { admitted: hoursOf(admitted.minutes), refused: refused.hours }),
    days: view(DAY_MS, day, DAYS_SHOWN, { admitted: admitted.days, refused: refused.days }),
  };
}

/** Returns the sums of minutes by hour. */
export function hoursOf(minutes: Counters): Counters {
  const hours = new Map<number, number>();
  for (const [minute, count] of minutes) hours.set(hourOf(minute), (hours.get(hourOf(minute)) ?? 0) + count);
  return hours;
}

/** Returns the oldest windows that are shown at a given time. Minutes go back as far as hours. */
export function oldestShown(now: number): { readonly minute: number; readonly hour: number; readonly day: number } {
  const { minute, day } = windowsAt(now);
  const hour = hourOf(minute) - HOURS_SHOWN + 1;
  return { minute: hour * MINUTES_AN_HOUR, hour, day: day - DAYS_SHOWN + 1 };
}

/**
 * Returns the counters that no longer change, because their windows have ended according to every machine's clock. All copies of such a counter are
 * equal, so any number of processes can copy it.
 */
export function finalCounters({ minutes, days }: WindowCounters, now: number): WindowCounters {
  const { minute, day } = windowsAt(now - CLOCK_DIFFERENCE_MS);
  const before = (counters: Counters, current: number) => new Map([...counters].filter(([window]) => window < current));
  return { minutes: before(minutes, minute), days: before(days, day) };
}

/** Merges two sets of counters. If a window is in both sets, its larger count is kept; the counts differ only if a clock was set back. */
export function merged(one: Counters, other: Counters): Counters {
  const all = new Map(one);
  for (const [window, count] of other) all.set(window, Math.max(count, all.get(window) ?? 0));
  return all;
}
