// When to read again: after the next automatic check, whose time the API reports, not at a fixed interval.

import type { Domain } from './shapes.ts';

/** The part of a domain that determines when it may change. */
type Watched = Pick<Domain, 'inProgress' | 'since' | 'nextCheckAt'>;

/** Time for a check to finish, in milliseconds. */
const CHECK_MS = 1_000;
/** Bounds on the interval while a check is overdue, in milliseconds. */
const SOONEST_MS = 2_000;
const LATEST_MS = 30_000;
/** The longest interval after failures, in milliseconds. */
const LATEST_AFTER_FAILURE_MS = 120_000;
/** In browsers, longer timers fire at once (HTML, section 8.7). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Returns the time until a domain should be read again, in milliseconds, or false if it only changes on command. A check that is due may take a
 * while, so the interval grows the longer the check is overdue. @param readAt when it was read, by the service's clock
 */
export function refreshAfterMs({ inProgress, since, nextCheckAt }: Watched, readAt: number): number | false {
  // Even a domain that stays in its state changes when it is checked.
  if (!inProgress && nextCheckAt === undefined) return false;
  const untilDue = Date.parse(nextCheckAt ?? since) - readAt;
  if (untilDue > 0) return Math.min(Math.max(untilDue + CHECK_MS, SOONEST_MS), LONGEST_TIMER_MS);
  return Math.min(Math.max(-untilDue / 2, SOONEST_MS), LATEST_MS);
}

/** Returns the shortest of several intervals; false if there is none. */
export function soonestOf(intervals: readonly (number | false)[]): number | false {
  return intervals.reduce<number | false>((soonest, each) => (soonest === false || (each !== false && each < soonest) ? each : soonest), false);
}

/** Doubles an interval with each consecutive failure. @param failures the number of failed reads since the last successful one */
export function afterFailures(interval: number | false, failures: number): number | false {
  if (interval === false || failures === 0) return interval;
  return Math.max(interval, Math.min(interval * 2 ** failures, LATEST_AFTER_FAILURE_MS));
}

/** Returns how far the service's clock is ahead of the browser's, in milliseconds. @param date a response's Date header, which has whole seconds */
export function clockDifference(date: string | null, now: number): number | undefined {
  const there = Date.parse(date ?? '');
  return Number.isNaN(there) ? undefined : there - now;
}
