// Locks between processes. A lock ends with its process, however that ends. It is SQLite's own, on an empty file, because Node has no file locks.

import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from './durable.ts';

/** `shared`: any number of processes; `main`: one, plus shared ones; `alone`: only one (SHARED, RESERVED, EXCLUSIVE in sqlite.org/lockingv3.html). */
export type LockKind = 'shared' | 'main' | 'alone';

const BEGIN: Readonly<Record<LockKind, string>> = {
  // SQLite takes the lock only when something is read.
  shared: 'BEGIN; SELECT 1 FROM sqlite_schema',
  main: 'BEGIN IMMEDIATE',
  alone: 'BEGIN EXCLUSIVE',
};
/** Held locks: a connection that nothing refers to would be closed, and its lock released. */
const held = new Set<DatabaseSync>();

/** SQLITE_BUSY (https://www.sqlite.org/rescode.html). */
const BUSY = 5;

/**
 * Takes a lock. @param file created if missing, readable only by its owner; its folder must exist @throws Error for operators, if it can't be written
 * @returns a function that releases the lock; undefined if other processes' locks exclude it
 */
export function takeLock(file: string, kind: LockKind): (() => void) | undefined {
  createPrivateFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec(BEGIN[kind]);
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) return undefined;
    throw error;
  }
  held.add(lock);
  return () => {
    if (held.delete(lock)) lock.close();
  };
}
