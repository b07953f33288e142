// Removes what has ended, rows and files: at the start, and every hour.

import type { DataFolder } from '../platforms/embedded/folder.ts';
import { actingAs } from '../service/audit/acting.ts';

const EVERY_MS = 3_600_000;

/** What removes something, until it is done or no time is left. @param now milliseconds since 1970 */
export type Sweep = (now: number, isTimeLeft: () => boolean) => Promise<unknown>;

/** The sweeps of a data folder. */
export function sweepsOf({ removeExpired, sweepFiles }: Pick<DataFolder, 'removeExpired' | 'sweepFiles'>): readonly Sweep[] {
  return [removeExpired, sweepFiles];
}

/** Starts sweeps, one after another. @param clock milliseconds since 1970 @returns stops them once what is being removed is gone */
export function startSweeps(sweeps: readonly Sweep[], clock: () => number, onFault: (error: unknown) => void): () => Promise<void> {
  let stopped = false;
  const run = () =>
    actingAs({ kind: 'sweep' }, async () => {
      for (const sweep of sweeps) if (!stopped) await sweep(clock(), () => !stopped).catch(onFault);
    });
  let running = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, EVERY_MS);
  return () => {
    stopped = true;
    clearInterval(timer);
    return running;
  };
}
