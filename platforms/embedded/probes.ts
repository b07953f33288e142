// What readiness depends on, on one machine.

import { statfsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { written } from '../../adapters/store/sqlite/transaction.ts';
import { type HealthCheck, type Probe, stateOf } from '../../core/health.ts';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;

/** With less free space, in MiB, nothing can be stored soon. */
const LEAST_FREE_MIB = 16;
const COMFORTABLE_FREE_MIB = 1_024;
/** Work that is due waits some seconds for its turn; a retry waits a minute. */
const LATE = { warning: 5 * MINUTE_MS, failed: 30 * MINUTE_MS };

/** Whether something can be stored: reading works on a full disk, too. */
export function storageProbe(database: DatabaseSync): Probe {
  const write = database.prepare('INSERT OR REPLACE INTO heartbeat (id, at) VALUES (1, ?)');
  return () =>
    written(() => void write.run(Date.now())).then(
      () => ({ name: 'storage', state: 'ok' }),
      (error) => ({ name: 'storage', state: 'failed', reason: `nothing can be stored: ${causeOf(error)}` }),
    );
}

/** SQLite's own words, which name no files. */
function causeOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^SQLite: /, '') : 'unknown';
}

/** Whether there is room. */
export function spaceProbe(folder: string): Probe {
  return (): HealthCheck => {
    const { bavail, bsize } = statfsSync(folder);
    const free = Math.floor((bavail * bsize) / MIB);
    if (free < LEAST_FREE_MIB) return { name: 'space', state: 'failed', reason: `${free} MiB free` };
    return free < COMFORTABLE_FREE_MIB ? { name: 'space', state: 'warning', reason: `${free} MiB free` } : { name: 'space', state: 'ok' };
  };
}

/** Whether the work on domains and messages is done when it is due. @param clock milliseconds since 1970 */
export function timersProbe(database: DatabaseSync, clock: () => number): Probe {
  const earliest = database.prepare(
    'SELECT min(at) AS at FROM (SELECT min(wake_at) AS at FROM domains WHERE wake_at IS NOT NULL UNION ALL SELECT min(due_at) FROM notifications WHERE due_at IS NOT NULL)',
  );
  return (): HealthCheck => {
    const at = earliest.get()?.at;
    const lateMs = typeof at === 'number' ? clock() - at : 0;
    const state = stateOf(lateMs, LATE);
    return state === 'ok' ? { name: 'timers', state } : { name: 'timers', state, reason: `work is ${Math.floor(lateMs / MINUTE_MS)} minutes late` };
  };
}
