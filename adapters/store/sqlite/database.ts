// One SQLite file holds everything of the embedded service. The server and the command line open it at the same time:
// WAL lets readers go on beside one writer, and a writer waits its turn.

import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreFault } from '../../../core/store-fault.ts';
import { MIGRATIONS } from './migrations.ts';

/** How long a write waits for another process's, in milliseconds. Beyond it the answer is 503. */
const BUSY_MS = 2_000;
/** Between two tries, growing to this. */
const LONGEST_PAUSE_MS = 50;
/** SQLITE_BUSY, of which there are several kinds (https://www.sqlite.org/rescode.html). */
const BUSY = 5;

/**
 * How much of the file is read through memory mapping: without it a page that SQLite's own small cache lacks costs a system
 * call, and a list over a million animals a third more than one over a thousand.
 */
const MAPPED_BYTES = 2 ** 30;

/**
 * How much a commit must survive. `crash`: the process dies (a kill -9 loses nothing that was committed).
 * `power_loss`: the machine dies too, at the price of an fsync a commit.
 */
export type Durability = 'crash' | 'power_loss';

export const DATABASE_FILE = 'petstore.db';

/** Opens the database of a data folder, making folder and file if needed, and brings it to the newest version. */
export function openDatabase(folder: string, durability: Durability): DatabaseSync {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, DATABASE_FILE);
  makePrivate(file);
  // SQLite's own wait holds up the event loop: only while a file is opened, and nothing is served yet.
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'power_loss' ? 'FULL' : 'NORMAL'}; PRAGMA foreign_keys = ON`);
    database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    migrate(database);
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * For the owner alone before anything is in it. What SQLite keeps beside the file gets the file's own mode.
 *
 * A file that is there is never opened here: whoever closes it, by any descriptor, takes all of this process's locks away (POSIX, fcntl),
 * also those of a connection that it has open. The next process to leave would then take itself for the last one, and delete the log with
 * what is not in the file yet (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, 0o600);
}

/** Runs the work in one write transaction: all of it or nothing. A failure of SQLite becomes a StoreFault. Waits as `written` does. */
export function transaction<T>(database: DatabaseSync, work: () => T): Promise<T> {
  return written(() => transactionNow(database, work));
}

/**
 * Runs a write. While another process writes, it is tried again for up to 2 s, and the event loop goes on meanwhile: requests that need no
 * storage are answered as ever. A failure of SQLite becomes a StoreFault.
 */
export async function written<T>(work: () => T): Promise<T> {
  let waitedMs = 0;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return guarded(work);
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_MS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    waitedMs += pauseMs;
  }
}

/** Does another process hold the lock? Nothing was written then. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof StoreFault ? error.cause : error;
  return cause instanceof Error && 'errcode' in cause && (Number(cause.errcode) & 0xff) === BUSY;
}

/** As `transaction`, at once or not at all. */
export function transactionNow<T>(database: DatabaseSync, work: () => T): T {
  return guarded(() => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself, on a full disk for example.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}

/** Turns a failure of SQLite (busy, full disk, broken file, closed because its file is gone) into a StoreFault. */
export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ERR_SQLITE_ERROR' || error.code === 'ERR_INVALID_STATE')) {
      throw new StoreFault('unavailable', `SQLite: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function migrate(database: DatabaseSync): void {
  const version = () => Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version() === MIGRATIONS.length) return;
  transactionNow(database, () => {
    // Read again: another process may have migrated while this one waited for the lock.
    const from = version();
    if (from > MIGRATIONS.length) {
      throw new Error(
        `the data folder was written by a newer version (schema ${from}, this one knows ${MIGRATIONS.length}); upgrade, or choose another folder with PETSTORE_DATA`,
      );
    }
    for (const migration of MIGRATIONS.slice(from)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}
