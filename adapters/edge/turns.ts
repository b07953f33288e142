// Turns for processes that change the edge map, whose updates would otherwise conflict.

import { randomUUID } from 'node:crypto';
import type { SweepStore } from '../../core/domains/queue.ts';
import type { ChangeOptions, Turns } from './key-value-changes.ts';

/** How long a turn lasts at most, in milliseconds, even if its process has died. A slower process's update is refused if another one came first. */
const TURN_MS = 5_000;
/** The longest pause before asking again, in milliseconds. */
const PAUSE_MS = 150;

/** Creates turns that all processes with the same store share. @param clock milliseconds since 1970 */
export function createTurns(
  store: Pick<SweepStore, 'take' | 'save'>,
  clock: () => number,
  { wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)), random = Math.random }: Pick<ChangeOptions, 'wait' | 'random'> = {},
): Turns {
  return {
    take: async (patienceMs) => {
      const id = randomUUID();
      for (const until = clock() + patienceMs; ; ) {
        const now = clock();
        if ((await store.take('publishing', id, now, now + TURN_MS)) !== undefined) return () => store.save('publishing', id, {}, 0);
        if (clock() >= until) return undefined;
        await wait(random() * PAUSE_MS);
      }
    },
  };
}
