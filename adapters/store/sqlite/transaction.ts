// Writes to SQLite, each in a transaction. If another process holds the lock, a write waits without blocking the event loop.

import type { DatabaseSync } from 'node:sqlite';
import { StoreFault } from '../../../core/refusal.ts';

/** How long a write waits for another process, in milliseconds. After that, the response is a 503. */
const BUSY_MS = 2_000;
/** The longest pause between two attempts, in milliseconds; the first pause is 1 ms. */
const LONGEST_PAUSE_MS = 50;
/** SQLITE_BUSY, in the low byte of several extended codes (https://www.sqlite.org/rescode.html). */
const BUSY = 5;
/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL: a write fails, while reads may go on. */
const NOT_STORED = [8, 10, 13];

/** Runs work in one write transaction, and waits like `written`. An SQLite failure becomes a StoreFault. */
export function transaction<T>(database: DatabaseSync, work: () => T): Promise<T> {
  return written(() => transactionNow(database, work));
}

/** Runs, in one transaction, a write of one row and whatever depends on it. @returns false if there is no such row; then nothing else is done */
export function changed(database: DatabaseSync, write: () => { readonly changes: number | bigint }, also: () => void): Promise<boolean> {
  return transaction(database, () => {
    const isChanged = write().changes === 1;
    if (isChanged) also();
    return isChanged;
  });
}

/** Runs a write. While another process writes, retries for 2 s, without blocking. An SQLite failure becomes a StoreFault. */
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
  return resultCodeOf(error) === BUSY;
}

/** Whether the error means that the disk accepts no writes: it is full, broken or read-only, or a quota is used up. */
export function isNotStored(error: unknown): boolean {
  return NOT_STORED.includes(resultCodeOf(error) ?? 0);
}

function resultCodeOf(error: unknown): number | undefined {
  const cause = error instanceof StoreFault ? error.cause : error;
  return cause instanceof Error && 'errcode' in cause ? Number(cause.errcode) & 0xff : undefined;
}

/** Does what `transaction` does, but without waiting. */
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

// Group commit: requests that arrive in the same turn of the event loop share a transaction, which costs the same for fifty as for one.

type Waiting<I, O> = PromiseWithResolvers<O> & { readonly input: I };

/** Returns a function that collects inputs until the turn ends. @param flush turns inputs into outputs, in order; all callers get its error */
export function batched<I, O>(flush: (inputs: readonly I[]) => Promise<readonly O[]>): (input: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];

  async function run(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const outputs = await flush(batch.map(({ input }) => input));
      batch.forEach(({ resolve }, index) => {
        resolve(outputs[index] as O);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (input) => {
    if (waiting.length === 0) setImmediate(run);
    const answer = { input, ...Promise.withResolvers<O>() };
    waiting.push(answer);
    return answer.promise;
  };
}
