// Runs of the sweeps.

import { randomUUID } from 'node:crypto';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import type { SweepStore } from '../../core/domains/queue.ts';
import type { SweepRun } from '../../service/workflow/sweep-cycle.ts';

/** Nothing is listed at the edge. */
export const emptyEdge = {
  entries: async () => ({ items: [], next: undefined }),
  made: async () => ({ items: [], next: undefined }),
};

/** One run with as much time as it needs. @param store @default a new one */
export function sweepRun(clock: () => number, store: SweepStore = createMemorySweepStore()): SweepRun {
  return { store, id: randomUUID(), clock, remainingMs: () => 3_600_000 };
}
