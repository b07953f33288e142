// The embedded service stores everything in one SQLite file. The server and the command line can open it at the same time: with WAL, readers continue
// while one process writes, and other writers wait.

import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { DATABASE_FILE, IDENTITY_KEYS_FILE, RESTORING_FOLDER, ROOT_KEY_FILE, SITES_FOLDER } from '../../files/data-folder.ts';
import { createDataFolder, createPrivateFile } from '../../files/durable.ts';
import { migrate } from './migrate.ts';

/** How long opening waits for another process, in milliseconds. */
const BUSY_MS = 2_000;
/** SQLITE_CORRUPT and SQLITE_NOTADB, in the low byte of several extended codes (https://www.sqlite.org/rescode.html). */
const DAMAGED = [11, 26];

/** How many bytes are memory-mapped. Without this, listing from a million animals takes a third longer than from a thousand. */
const MAPPED_BYTES = 2 ** 30;

/** `crash`: a commit survives a kill -9 of the process; `power_loss`: it also survives a power cut, at the cost of an fsync per commit. */
export type Durability = 'crash' | 'power_loss';

/**
 * Opens a data folder's database, creates both if needed, and migrates the database. @param references whether foreign keys are enforced
 * @throws Error that says what to do, if the database is damaged, from a newer version, or missing although files that belong to it exist
 */
export function openDatabase(folder: string, durability: Durability, references = true): DatabaseSync {
  createDataFolder(folder);
  const file = join(folder, DATABASE_FILE);
  refuseRemains(folder);
  makePrivate(file);
  // SQLite's own waiting blocks the event loop, which is acceptable only here, before anything is served.
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'power_loss' ? 'FULL' : 'NORMAL'}; PRAGMA foreign_keys = ${references ? 'ON' : 'OFF'}`,
    );
    database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    migrate(database, folder);
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw isDamaged(error) ? new Error(`${file} is damaged (${error.message}); restore a backup with petstore restore --replace`) : error;
  }
}

/** Whether an error says that a file is not a database, or is a damaged one. */
export function isDamaged(error: unknown): error is Error {
  return error instanceof Error && 'errcode' in error && DAMAGED.includes(Number(error.errcode) & 0xff);
}

/** Refuses a folder with an installation's files but no database: starting with a new database would hide the loss. */
function refuseRemains(folder: string): void {
  const remains = remainsIn(folder);
  if (!hasDatabase(folder) && remains.length > 0)
    throw new Error(
      `its database ${DATABASE_FILE} is missing, but it has ${remains.join(', ')}; restore a backup with petstore restore --replace, or set PETSTORE_DATA to another folder to start from scratch`,
    );
}

/** Whether a folder has neither a database nor files that belong to one. False if it can't be read. */
export function hasNoInstallation(folder: string): boolean {
  try {
    return !hasDatabase(folder) && remainsIn(folder).length === 0;
  } catch {
    return false;
  }
}

function hasDatabase(folder: string): boolean {
  return (statSync(join(folder, DATABASE_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function remainsIn(folder: string): readonly string[] {
  return [`${DATABASE_FILE}-wal`, IDENTITY_KEYS_FILE, ROOT_KEY_FILE, SITES_FOLDER, RESTORING_FOLDER].filter((name) =>
    isSomething(join(folder, name)),
  );
}

/** Whether there is a file or a folder that is not empty. */
function isSomething(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return found.isDirectory() ? readdirSync(path).length > 0 : found.size > 0;
}

/** Makes the database readable only by its owner before there is data in it. SQLite gives its other files the same mode. */
function makePrivate(file: string): void {
  createPrivateFile(file);
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, 0o600);
}

// Typed selects. SQLite's statements don't know the types of their rows, so a row's type is an assertion, made only here, next to the SQL.

export interface Select<Value> {
  one(...parameters: SQLInputValue[]): Value | undefined;
  all(...parameters: SQLInputValue[]): Value[];
}

/** Prepares a statement that returns rows. @param read converts a row to a value @param form `arrays` have bigints, at half the cost of `objects` */
export function prepareSelect<Row, Value = Row>(
  database: DatabaseSync,
  sql: string,
  read: (row: Row) => Value = (row) => row as unknown as Value,
  form: 'objects' | 'arrays' = 'objects',
): Select<Value> {
  const statement = database.prepare(sql);
  statement.setReturnArrays(form === 'arrays');
  statement.setReadBigInts(form === 'arrays');
  return {
    one: (...parameters) => {
      const row = statement.get(...parameters);
      return row && read(row as Row);
    },
    all: (...parameters) => statement.all(...parameters).map((row) => read(row as Row)),
  };
}

/** Renames columns to the properties of a value: `account_id AS accountId`. @param columns separated by commas */
export function asProperties(columns: string): string {
  return columns.replace(/\w+_\w+/g, (column) => `${column} AS ${column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())}`);
}

/** A row with the properties of a value; a column is null if the value lacks the property. */
export type RowOf<Value> = {
  readonly [Name in keyof Value]-?: undefined extends Value[Name] ? Exclude<Value[Name], undefined> | null : Value[Name];
};

/** Returns the value of a row, without properties that are null. */
export function withoutNull<Value>(row: RowOf<Value>): Value {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Value;
}
