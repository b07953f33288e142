// The probes on which readiness depends, on one machine.

import { closeSync, fstatSync, openSync, readSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { written } from '../../adapters/store/sqlite/transaction.ts';
import type { HealthCheck, Probe } from '../../core/health.ts';
import { MINUTE_MS } from '../../core/limits/windows.ts';
import type { InstallationState, QueueName } from '../../core/ports.ts';
import { isUnfinished, UNFINISHED } from './changes.ts';

const MIB = 2 ** 20;

/** Free space, in MiB, below which writes will soon fail. */
const LEAST_FREE_MIB = 16;
const COMFORTABLE_FREE_MIB = 1_024;
/** How late work may be, in milliseconds: normally, it waits a few seconds for its turn, and a retry waits a minute. */
const LATE_MS = 5 * MINUTE_MS;

/**
 * Checks whether data can be written, because reading works even on a full disk, and whether the file is still ours: SQLite caches pages, so it may
 * notice only much later that another program has written to it. @param areChangesStopped whether writing is not allowed
 */
export function storageProbe(database: DatabaseSync, file: string, areChangesStopped: () => boolean = () => false): Probe {
  const write = database.prepare('INSERT OR REPLACE INTO heartbeat (id, at) VALUES (1, ?)');
  let latest: FileState = { isDatabase: true, bytes: 0, said: 0 };
  return async () => {
    const failed = (reason: string): HealthCheck => ({ name: 'storage', state: 'failed', reason });
    try {
      if (!areChangesStopped()) await written(() => void write.run(Date.now()));
    } catch (error) {
      return failed(`nothing can be stored: ${causeOf(error)}`);
    }
    let state: FileState;
    try {
      state = fileState(file);
    } catch (error) {
      return failed(`the database's file can't be opened: ${(error as NodeJS.ErrnoException).code}`);
    }
    // A checkpoint writes the header first, and then makes the file longer.
    const isCut = state.bytes < latest.bytes && state.bytes < state.said;
    if (!state.isDatabase || isCut) return failed('the database was overwritten or truncated while the service was running');
    latest = state;
    if (!areChangesStopped()) return { name: 'storage', state: 'ok' };
    const unfinished = `nothing can be changed, because the move of this installation did not finish; ${UNFINISHED}`;
    const reason = isUnfinished(dirname(file)) ? unfinished : 'this installation is being moved: nothing can be changed';
    return { name: 'storage', state: 'warning', reason };
  };
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** The state of a database's file, and of its header (SQLite's file format, 1.3). */
interface FileState {
  readonly isDatabase: boolean;
  readonly bytes: number;
  /** The file's length according to its header, in bytes. */
  readonly said: number;
}

function fileState(file: string): FileState {
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    // 1 means 65,536.
    const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    return {
      isDatabase: header.toString('latin1', 0, MAGIC.length) === MAGIC,
      bytes: fstatSync(descriptor).size,
      said: header.readUInt32BE(28) * pageBytes,
    };
  } finally {
    closeSync(descriptor);
  }
}

/** Returns SQLite's own message, which names no files. */
function causeOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^SQLite: /, '') : 'unknown';
}

/** Checks whether there is enough free space. */
export function spaceProbe(folder: string): Probe {
  return (): HealthCheck => {
    const { bavail, bsize } = statfsSync(folder);
    const free = Math.floor((bavail * bsize) / MIB);
    if (free < LEAST_FREE_MIB) return { name: 'space', state: 'failed', reason: `${free} MiB free` };
    return free < COMFORTABLE_FREE_MIB ? { name: 'space', state: 'warning', reason: `${free} MiB free` } : { name: 'space', state: 'ok' };
  };
}

/** Checks whether a queue's work is done on time. Only a warning, because requests are still answered. @param clock milliseconds since 1970 */
export function queueProbe(state: Pick<InstallationState, 'dueItems'>, queue: QueueName, clock: () => number): Probe {
  return async (): Promise<HealthCheck> => {
    const now = clock();
    const { since = now } = (await state.dueItems(now))[queue];
    if (now - since < LATE_MS) return { name: queue, state: 'ok' };
    return { name: queue, state: 'warning', reason: `work is ${Math.floor((now - since) / MINUTE_MS)} minutes late` };
  };
}

/** Checks whether the certificate authority accepts this installation's account. Only warns, because domains are served until certificates expire. */
export function authorityProbe(database: DatabaseSync, directory: string): Probe {
  const select = database.prepare('SELECT refused FROM acme_accounts WHERE directory = ?');
  return (): HealthCheck => {
    const refused = select.get(directory)?.refused ?? null;
    if (refused === null) return { name: 'authority', state: 'ok' };
    return { name: 'authority', state: 'warning', reason: "the certificate authority refuses this installation's account" };
  };
}
