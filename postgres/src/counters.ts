// What an account's row in `usage` contains: the counters of its latest windows, as JSON.

import { type Limits, merged, type PlanName, type WindowCounters, windowsAt } from 'petstore-platform';

/** The columns of an account that admission reads. */
export interface AccountRow {
  readonly plan: PlanName;
  readonly per_minute: bigint;
  readonly per_day: bigint;
  readonly suspended: boolean;
  readonly windows: string | null;
}

/** An account's counters. */
export interface StoredCounters extends WindowCounters {
  /** Counters that could not be copied to the history yet. */
  readonly waiting: WindowCounters;
}

/** Counters, as in the JSON. */
interface Stored {
  readonly minutes: readonly (readonly [window: number, requests: number])[];
  readonly days: readonly (readonly [window: number, requests: number])[];
}

/** No counters. */
export const NOTHING: WindowCounters = { minutes: new Map(), days: new Map() };

/** Returns the counters in an account's row. */
export function countersOf({ windows }: Pick<AccountRow, 'windows'>): StoredCounters {
  const stored: Stored & { readonly waiting?: Stored } = windows === null ? { minutes: [], days: [] } : JSON.parse(windows);
  const read = ({ minutes, days }: Stored): WindowCounters => ({ minutes: new Map(minutes), days: new Map(days) });
  return { ...read(stored), waiting: stored.waiting === undefined ? NOTHING : read(stored.waiting) };
}

/** Returns the row's text, with these counters. */
export function windowsText({ waiting, ...counters }: StoredCounters): string {
  const written = ({ minutes, days }: WindowCounters): Stored => ({ minutes: [...minutes], days: [...days] });
  const hasWaiting = waiting.minutes.size + waiting.days.size > 0;
  return JSON.stringify({ ...written(counters), ...(hasWaiting && { waiting: written(waiting) }) });
}

/** Combines two sets of counters; a window that is in both is counted once. */
export function both(one: WindowCounters, other: WindowCounters): WindowCounters {
  return { minutes: merged(one.minutes, other.minutes), days: merged(one.days, other.days) };
}

/** Returns the limits in an account's row. */
export function limitsOf({ per_minute, per_day }: AccountRow): Limits {
  return { perMinute: Number(per_minute), perDay: Number(per_day) };
}

/** Returns what the account has used in the current windows. @param now milliseconds since 1970 */
export function usedAt({ minutes, days }: WindowCounters, now: number): { readonly minute: number; readonly day: number } {
  const { minute, day } = windowsAt(now);
  return { minute: minutes.get(minute) ?? 0, day: days.get(day) ?? 0 };
}
