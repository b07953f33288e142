// Counts in this process, for a service that is one process. A restart resets the counts.

import { BoundedMap } from '../../../core/bounded-map.ts';
import type { MinuteCounter } from '../../../core/limits/ports.ts';
import { windowsAt } from '../../../core/limits/windows.ts';

/** Number of counts in memory; beyond that, the one that has not changed for longest is forgotten. */
const REMEMBERED_COUNTS = 50_000;

/** Creates a counter. */
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
