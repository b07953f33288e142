// Turns of processes that change the edge map, which otherwise refuse each other's updates.

import { randomUUID } from 'node:crypto';
import type { SweepStore } from '../../core/domains/sweep-store.ts';
import type { ChangeOptions, Turns } from './key-value-changes.ts';

/** A turn ends after this time even if its process has died, in milliseconds. Its change is then refused if another was faster. */
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
