// Work that is delayed by a few seconds, such as reporting refusals. It runs when due, or when the service stops.

import type { Later } from '../service/admission/refusals.ts';

export interface PendingWork {
  readonly later: Later;
  /** Runs all waiting work immediately; resolves when it is done. */
  finish(): Promise<void>;
}

/** Creates an empty list of pending work. */
export function createPendingWork(): PendingWork {
  const waiting = new Map<NodeJS.Timeout, () => Promise<void> | void>();
  return {
    later: (milliseconds, work) => {
      const timer = setTimeout(() => {
        waiting.delete(timer);
        void work();
      }, milliseconds);
      waiting.set(timer, work);
    },
    finish: async () => {
      const left = [...waiting.values()];
      for (const timer of waiting.keys()) clearTimeout(timer);
      waiting.clear();
      await Promise.all(left.map((work) => work()));
    },
  };
}
