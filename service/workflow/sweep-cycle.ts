// A sweep runs in parts: it goes through its lists page by page, stores its position after each page, and stops when the run's time is nearly up. The
// next run continues from there. If a run dies, its last page is repeated, so the work on a page must be safe to repeat.

import type { Counts, SweepCycle, SweepName, SweepProgress, SweepStore } from '../../core/domains/queue.ts';
import { StalePage } from '../../core/page.ts';

/** One run of a sweep. */
export interface SweepRun {
  readonly store: SweepStore;
  /** Different for each run. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** How much time the run has left, in milliseconds. */
  readonly remainingMs: () => number;
}

/** Milliseconds since 1970. */
export interface CycleTimes {
  readonly startedAt: number;
  /** When the last complete cycle began; undefined if unknown. */
  readonly lastStartedAt: number | undefined;
}

/** The work for one page of a list. */
export type SweepList = (after: string | undefined, cycle: CycleTimes) => Promise<{ next: string | undefined; counts: Counts }>;

export interface SweepOutcome {
  /** This run's counts. */
  readonly counted: Counts;
  /** Whether a cycle ended with this run. */
  readonly complete: boolean;
  /** The best known figures: the cycle's, if this run completed it; otherwise, the higher of the previous cycle's and this cycle's so far. */
  readonly known: Counts;
}

export interface CycleOptions {
  /** Whether to do nothing if no cycle is in progress. @default false */
  readonly onlyContinue?: boolean;
  /** Minimum time from the start of one cycle to the start of the next, in milliseconds. @default 0 */
  readonly everyMs?: number;
}

/** A run with less time left begins no further page. A page takes less than this, even if all name servers are silent and every call is retried. */
export const LAST_PAGE_MS = 75_000;

/** Continues a sweep, or begins its next cycle. @returns undefined if another run holds the sweep, or if there is nothing to do */
export async function runSweep(
  { store, id, clock, remainingMs }: SweepRun,
  name: SweepName,
  lists: readonly SweepList[],
  { onlyContinue = false, everyMs = 0 }: CycleOptions = {},
): Promise<SweepOutcome | undefined> {
  const until = () => clock() + remainingMs();
  // The sweep is not even taken, because a run that begins the next cycle may start at the same moment.
  if (onlyContinue && (await store.read(name)).cycle === undefined) return undefined;
  const taken = await store.take(name, id, clock(), until());
  if (taken === undefined) return undefined;
  let progress: SweepProgress = taken;
  let counted: Counts = {};
  let complete = false;
  try {
    const isDue = !onlyContinue && clock() - (progress.lastStartedAt ?? 0) >= everyMs;
    if (progress.cycle === undefined && !isDue) return undefined;
    let cycle: SweepCycle = progress.cycle ?? { startedAt: clock(), list: 0, before: {}, current: {} };
    while (!complete && remainingMs() > LAST_PAGE_MS) {
      const page = await (lists[cycle.list] as SweepList)(cycle.after, {
        startedAt: cycle.startedAt,
        lastStartedAt: progress.lastStartedAt,
      }).catch((error: unknown) => {
        if (error instanceof StalePage && cycle.after !== undefined) return undefined;
        throw error;
      });
      if (page === undefined) {
        cycle = { startedAt: cycle.startedAt, list: cycle.list, before: cycle.before, current: {} };
        continue;
      }
      counted = sum(counted, page.counts);
      cycle = following(cycle, page);
      complete = cycle.list === lists.length;
      progress = complete ? { last: cycle.before, lastStartedAt: cycle.startedAt } : { ...progress, cycle };
      // Another run has taken over, because this one exceeded its time.
      if (!(await store.save(name, id, progress, until()))) break;
    }
    const soFar = progress.cycle === undefined ? {} : sum(progress.cycle.before, progress.cycle.current);
    return { counted, complete, known: highest(progress.last ?? {}, soFar) };
  } finally {
    await store.save(name, id, progress, 0);
  }
}

function following(cycle: SweepCycle, { next, counts }: { readonly next: string | undefined; readonly counts: Counts }): SweepCycle {
  const current = sum(cycle.current, counts);
  if (next !== undefined) return { ...cycle, after: next, current };
  return { startedAt: cycle.startedAt, list: cycle.list + 1, before: sum(cycle.before, current), current: {} };
}

/**
 * Processes a page's items, several at a time. An item that fails does not stop the others. @returns the counts, including `failed`
 * @param work processes an item; its counts are kept even if it then fails @param onFault called for each item that failed
 */
export async function forEachItem<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, count: (name: string) => void) => Promise<void>,
  onFault: (error: unknown, item: Item) => void,
): Promise<Counts> {
  const waiting = [...items];
  const counts: Record<string, number> = {};
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const current = item;
      await work(current, count).catch((error: unknown) => {
        count('failed');
        onFault(error, current);
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return counts;
}

function sum(one: Counts, other: Counts): Counts {
  return combined(one, other, (a, b) => a + b);
}

function highest(one: Counts, other: Counts): Counts {
  return combined(one, other, Math.max);
}

function combined(one: Counts, other: Counts, of: (a: number, b: number) => number): Counts {
  return Object.fromEntries([...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [key, of(one[key] ?? 0, other[key] ?? 0)]));
}
