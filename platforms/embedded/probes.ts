// What readiness depends on, on one machine.

import { statfsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { written } from '../../adapters/store/sqlite/transaction.ts';
import { type HealthCheck, type Probe, stateOf } from '../../core/health.ts';
import { MINUTE_MS } from '../../core/limits/windows.ts';

const MIB = 2 ** 20;

/** With less free space, in MiB, nothing can be stored soon. */
const LEAST_FREE_MIB = 16;
const COMFORTABLE_FREE_MIB = 1_024;
/** Domains and messages whose work may be late without a fault of the timers. */
const EXCUSED = 2;
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

/**
 * Whether the work on domains and messages is done when it is due. That of a few domains may be late through a fault of their own, which is a warning
 * and takes no one else off the network; the timers have failed if more than that is late.
 *
 * @param clock milliseconds since 1970
 */
export function timersProbe(database: DatabaseSync, clock: () => number): Probe {
  const earliest = database.prepare(
    `SELECT at FROM (
       SELECT * FROM (SELECT wake_at AS at FROM domains WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT ${EXCUSED + 1})
       UNION ALL SELECT * FROM (SELECT due_at FROM notifications WHERE due_at IS NOT NULL ORDER BY due_at LIMIT ${EXCUSED + 1})
     ) ORDER BY at LIMIT ${EXCUSED + 1}`,
  );
  return (): HealthCheck => {
    const late = earliest.all().map(({ at }) => clock() - Number(at));
    const lateMs = late[0] ?? 0;
    const hasFailed = stateOf(late[EXCUSED] ?? 0, LATE) === 'failed';
    const state = hasFailed ? 'failed' : stateOf(lateMs, LATE) === 'ok' ? 'ok' : 'warning';
    return state === 'ok' ? { name: 'timers', state } : { name: 'timers', state, reason: `work is ${Math.floor(lateMs / MINUTE_MS)} minutes late` };
  };
}

/** Whether the certificate authority accepts this installation's account. Only a warning: domains stay served until their certificates expire. */
export function authorityProbe(database: DatabaseSync, directory: string): Probe {
  const select = database.prepare('SELECT refused FROM acme_accounts WHERE directory = ?');
  return (): HealthCheck => {
    const refused = select.get(directory)?.refused ?? null;
    if (refused === null) return { name: 'authority', state: 'ok' };
    return { name: 'authority', state: 'warning', reason: "the certificate authority refuses this installation's account" };
  };
}
