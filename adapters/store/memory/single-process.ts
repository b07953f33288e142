// The progress of the sweeps in memory, for a process that runs all of them. An unfinished sweep begins again after a restart.

import { BoundedMap } from '../../../core/bounded-map.ts';
import { isTaken, type SweepName, type SweepProgress, type SweepStore } from '../../../core/domains/queue.ts';
import type { MinuteCounter } from '../../../core/limits/ports.ts';
import { DAY_MS, windowsAt } from '../../../core/limits/windows.ts';

const REPORTED_MS = 7 * DAY_MS;

/** Creates an empty store. */
export function createMemorySweepStore(): SweepStore {
  const sweeps = new Map<SweepName, { readonly run: string; readonly until: number; readonly progress: SweepProgress }>();
  const reports = new Map<string, number>();
  return {
    read: async (name) => sweeps.get(name)?.progress ?? {},
    take: async (name, run, now, until) => {
      const found = sweeps.get(name);
      if (found !== undefined && isTaken(found.until, now, until)) return undefined;
      const progress = found?.progress ?? {};
      sweeps.set(name, { run, until, progress });
      return progress;
    },
    save: async (name, run, progress, until) => {
      if (sweeps.get(name)?.run !== run) return false;
      sweeps.set(name, { run, until, progress });
      return true;
    },
    firstReported: async (thing, now) => {
      const known = reports.get(thing);
      const since = known === undefined || known <= now - REPORTED_MS ? now : known;
      reports.set(thing, since);
      return since;
    },
  };
}

/** Maximum number of counts in memory; beyond that, the count that has not changed for the longest time is forgotten. */
const REMEMBERED_COUNTS = 50_000;

/** Creates a counter for a service that is one process. A restart resets the counts. */
export function createMemoryMinuteCounter(): MinuteCounter {
  const counts = new BoundedMap<string, number>(REMEMBERED_COUNTS);
  return {
    count: async (key, limit, now) => {
      const window = `${windowsAt(now).minute} ${key}`;
      const used = counts.get(window) ?? 0;
      if (used >= limit) return undefined;
      counts.set(window, used + 1);
      return used + 1;
    },
  };
}
