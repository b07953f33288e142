// The embedded service stores everything in one SQLite file. The server and the command line open it at the same time: with WAL, readers continue
// while one process writes, and other writers wait.

import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreFault } from '../../../core/store-fault.ts';
import { MIGRATIONS } from './migrations.ts';

/** How long a write waits for another process, in milliseconds. After that, the response is a 503. */
const BUSY_MS = 2_000;
/** The longest pause between two attempts, in milliseconds; the first is 1 ms. */
const LONGEST_PAUSE_MS = 50;
/** SQLITE_BUSY, in the low byte of several extended codes (https://www.sqlite.org/rescode.html). */
const BUSY = 5;

/**
 * How much of the file is memory-mapped. Without it, each page that SQLite's small cache misses costs a system call, and a list over a million animals
 * takes a third longer than one over a thousand.
 */
const MAPPED_BYTES = 2 ** 30;

/**
 * What a commit must survive. `crash`: the end of the process (even a kill -9 loses nothing that was committed). `power_loss`: also the end of the
 * machine, at the cost of an fsync per commit.
 */
export type Durability = 'crash' | 'power_loss';

export const DATABASE_FILE = 'petstore.db';

/**
 * Opens a data folder's database, creates both if needed, and migrates the database to the newest version.
 *
 * @param references whether rows may only refer to rows that exist
 */
export function openDatabase(folder: string, durability: Durability, references = true): DatabaseSync {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, DATABASE_FILE);
  makePrivate(file);
  // SQLite's own waiting blocks the event loop; acceptable only here, before anything is served.
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'power_loss' ? 'FULL' : 'NORMAL'}; PRAGMA foreign_keys = ${references ? 'ON' : 'OFF'}`,
    );
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
 * Creates the file readable only by its owner before there is data in it. SQLite gives its other files the same mode.
 *
 * An existing file is never opened here: closing any descriptor of it would release all of this process's locks (POSIX, fcntl), including those of
 * an open connection. The next process to exit would then believe it is the last one and delete the log, with whatever is not in the main file yet
 * (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, 0o600);
}

/** Runs work in one write transaction. Waits like `written`. An SQLite failure becomes a StoreFault. */
export function transaction<T>(database: DatabaseSync, work: () => T): Promise<T> {
  return written(() => transactionNow(database, work));
}

/**
 * Runs a write. While another process writes, it is retried for up to 2 s without blocking the event loop, so requests that need no storage are
 * answered as usual. An SQLite failure becomes a StoreFault.
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

/** Whether the error means that another process holds the lock; nothing was written. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof StoreFault ? error.cause : error;
  return cause instanceof Error && 'errcode' in cause && (Number(cause.errcode) & 0xff) === BUSY;
}

/** Like `transaction`, but without waiting. */
export function transactionNow<T>(database: DatabaseSync, work: () => T): T {
  return guarded(() => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite may already have rolled back, for example on a full disk.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}

/** Turns an SQLite failure (busy, full disk, corrupt file, closed because the file is gone) into a StoreFault. */
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
    // Read again, because another process may have migrated the database while this one waited for the lock.
    const from = version();
    if (from > MIGRATIONS.length) {
      throw new Error(
        `the data folder was written by a newer version (schema ${from}, this version supports up to ${MIGRATIONS.length}); upgrade, or set PETSTORE_DATA to another folder`,
      );
    }
    for (const migration of MIGRATIONS.slice(from)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}
