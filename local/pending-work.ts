// Work that waits a few seconds, such as the report of refusals: done when its time comes, or when the service stops.

import type { Later } from '../service/admission/refusals.ts';

export interface PendingWork {
  readonly later: Later;
  /** Does at once what still waits, and resolves when it is done. */
  finish(): Promise<void>;
}

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
