// The progress of the sweeps in memory, for a process that does all of them: a sweep that it does not finish begins again after a restart.

import { isTaken, type SweepName, type SweepProgress, type SweepStore } from '../../../core/domains/queue.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';

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
