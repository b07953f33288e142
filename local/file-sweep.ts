// Removes files that no project needs: at the start, and every hour.

import type { DataFolder } from '../platforms/embedded/folder.ts';
import { actingAs } from '../service/audit/acting.ts';

const EVERY_MS = 3_600_000;

/** Starts the sweep. @param clock milliseconds since 1970 @returns stops it once what it is removing is gone */
export function startFileSweep(folder: Pick<DataFolder, 'sweepFiles'>, clock: () => number, onFault: (error: unknown) => void): () => Promise<void> {
  let stopped = false;
  const sweep = () => actingAs({ kind: 'sweep' }, () => folder.sweepFiles(clock(), () => !stopped)).catch(onFault);
  let sweeping = sweep();
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep);
  }, EVERY_MS);
  return () => {
    stopped = true;
    clearInterval(timer);
    return sweeping;
  };
}
