// Migrates a database to the newest schema. A migration can only be undone with a copy of the database, so a copy is made first.

import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE, UPGRADES_FOLDER } from '../../files/data-folder.ts';
import { MIGRATIONS, NEWEST_VERSION, OLDEST_VERSION } from './migrations.ts';
import { transactionNow } from './transaction.ts';

/** How many copies made before upgrades are kept. */
const KEPT = 2;
const COPY_PATTERN = /^schema-(\d+)\.db$/;

/** Returns the version of a database's schema; 0 if it is new. */
export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** Copies a database to the folder `upgrades`, then migrates it. @throws Error that says what to do, if it can't be migrated or copied */
export function migrate(database: DatabaseSync, folder: string): void {
  if (schemaVersion(database) === NEWEST_VERSION) return;
  transactionNow(database, () => {
    // Read again, because another process may have migrated the database while this one waited for the lock.
    const from = schemaVersion(database);
    if (from > NEWEST_VERSION) throw new Error(newerVersion(folder, from));
    if (from === NEWEST_VERSION) return;
    if (isTooOld(from)) throw new Error(`the data folder ${olderVersion(from)}, or set PETSTORE_DATA to another folder`);
    if (from > 0) copyBefore(folder, from);
    for (const step of from === 0 ? newestSchema() : MIGRATIONS.slice(from - OLDEST_VERSION + 1)) database.exec(step);
    database.exec(`PRAGMA user_version = ${NEWEST_VERSION}`);
  });
}

let newest: readonly string[] | undefined;

/** Returns the statements that create the tables, indexes and triggers of a new database. Running all migrations takes longer, so it is done once. */
export function newestSchema(): readonly string[] {
  if (newest !== undefined) return newest;
  using database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  const made = database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').all();
  newest = made.map(({ sql }) => String(sql));
  return newest;
}

/** Whether a database is from a release before 0.2.0, which this version can't upgrade. */
export function isTooOld(version: number): boolean {
  return version > 0 && version < OLDEST_VERSION;
}

/** Returns instructions for upgrading an installation with such a database. */
export function olderVersion(version: number): string {
  return `was written by a release before 0.2.0 (schema ${version}, this version supports ${OLDEST_VERSION} to ${NEWEST_VERSION}); start release 0.2.0 with it once, which upgrades it`;
}

/** Copies the committed data. Nothing is committed meanwhile, because the caller holds the lock. */
function copyBefore(folder: string, version: number): void {
  const copies = join(folder, UPGRADES_FOLDER);
  const copy = join(copies, `schema-${version}.db`);
  const partial = `${copy}.partial`;
  try {
    mkdirSync(copies, { recursive: true, mode: 0o700 });
    rmSync(partial, { force: true });
    copyDatabase(join(folder, DATABASE_FILE), partial);
    renameSync(partial, copy);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(`the database can't be copied to ${copies} before its upgrade (${reason}); free up space there, and start again`);
  }
  for (const old of copiesIn(folder).slice(0, -KEPT)) rmSync(join(copies, `schema-${old}.db`));
}

/** Makes a consistent copy of a database. @param to a new file, readable only by its owner; written to the disk at the end, or removed on failure */
function copyDatabase(from: string, to: string): void {
  closeSync(openSync(to, 'ax', 0o600));
  const database = new DatabaseSync(from, { timeout: 5_000 });
  try {
    // A copy of the file would not be consistent, and Node's backup API is asynchronous, while migration is synchronous.
    database.prepare('VACUUM INTO ?').run(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  } finally {
    database.close();
  }
  // SQLite does not wait for the disk here (https://sqlite.org/lang_vacuum.html#vacuuminto).
  const descriptor = openSync(to, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the versions of the copies in a data folder, the oldest first. */
function copiesIn(folder: string): readonly number[] {
  try {
    return readdirSync(join(folder, UPGRADES_FOLDER))
      .flatMap((name) => COPY_PATTERN.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

/** Returns the path of the latest copy made before an upgrade that this version supports; undefined if there is none. */
export function copyBeforeUpgrade(folder: string): string | undefined {
  const copy = copiesIn(folder).findLast((each) => each <= NEWEST_VERSION && !isTooOld(each));
  return copy === undefined ? undefined : join(folder, UPGRADES_FOLDER, `schema-${copy}.db`);
}

function newerVersion(folder: string, version: number): string {
  const copy = copyBeforeUpgrade(folder);
  const back =
    copy === undefined
      ? 'restore a backup from before its upgrade with petstore restore --replace'
      : `go back to the state before its upgrade with petstore restore ${copy} --replace`;
  return `the data folder was written by a newer version (schema ${version}, this version supports up to ${NEWEST_VERSION}); install that version, ${back}, or set PETSTORE_DATA to another folder`;
}
