// Replaces a data folder's content with a backup's. An interruption leaves the old or the new content, or no database, and then no service starts.

import { accessSync, constants, existsSync, mkdirSync, realpathSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE, KEY_FILES, RESTORING_FOLDER, SITES_FOLDER, UPLOADS_FOLDER } from '../../../adapters/files/data-folder.ts';
import { synchronizeFolder } from '../../../adapters/files/durable.ts';
import { isTooOld, olderVersion, schemaVersion } from '../../../adapters/store/sqlite/migrate.ts';
import { NEWEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { messageOf, orNone, PlatformError } from '../../platform.ts';
import { expectChanges } from '../changes.ts';
import { lockFolder } from '../folder-lock.ts';
import { databaseDamage } from './check-backup.ts';
import { copyFile, NotAFile, startOf } from './copy-file.ts';
import { type BackupFile, backupName, backupsIn, digestOf, readManifest, UnreadableBackup } from './manifest.ts';

/** What a backup replaces, in this order, because the service does not start without the first. */
const REPLACED = [...[DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`], ...[...KEY_FILES, SITES_FOLDER, UPLOADS_FOLDER]];

/** The first bytes of a database (https://sqlite.org/fileformat.html). */
const DATABASE_HEADER = 'SQLite format 3\0';

export interface RestoreOptions {
  /** A backup, or only a database, such as a copy made before an upgrade, in which case files and keys stay unchanged. */
  readonly backup: string;
  readonly dataFolder: string;
  /** Whether the current content of the data folder may be moved away. */
  readonly replace: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface Restored {
  readonly dataFolder: string;
  readonly files: number;
  readonly bytes: number;
  /** When the backup was made, in milliseconds since 1970. @default undefined: it is a single database */
  readonly createdAt: number | undefined;
  /** Where the previous content of the data folder is now. @default undefined: there was none */
  readonly replacedTo: string | undefined;
  /** Key files that are only there now, because the backup lacks them. */
  readonly replacedKeys: readonly string[];
}

interface Source {
  readonly files: readonly (BackupFile & { readonly from: string })[];
  readonly schema: number;
  readonly createdAt: number | undefined;
  /** Names in the data folder that the backup replaces. */
  readonly replaces: readonly string[];
}

/** Restores a backup. @throws PlatformError if it is incomplete or changed, a service is running, or there is data that must not be replaced */
export async function restoreBackup({ backup, dataFolder, replace, clock }: RestoreOptions): Promise<Restored> {
  const source = orNone(() => statSync(backup).isFile()) ? await databaseSource(backup) : backupSource(backup);
  if (source.schema > NEWEST_VERSION)
    throw new PlatformError(
      `${backup} was made by a newer version (schema ${source.schema}, this version supports up to ${NEWEST_VERSION}); install that version`,
    );
  if (isTooOld(source.schema)) throw new PlatformError(`${backup} ${olderVersion(source.schema)}`);
  const lock = lockFolder(dataFolder, 'alone');
  let endChanges = () => {};
  try {
    endChanges = expectChanges(dataFolder);
    const present = source.replaces.filter((name) => existsSync(join(dataFolder, name)));
    if (present.length > 0 && !replace)
      throw new PlatformError(
        `PETSTORE_DATA: ${dataFolder} has data (${present.join(', ')}); to move it to a folder replaced-… there, add --replace`,
      );
    const bytes = source.files.reduce((sum, file) => sum + file.bytes, 0);
    checkSpace(dataFolder, bytes);
    await arrive(source, dataFolder).catch((error) => {
      rmSync(join(dataFolder, RESTORING_FOLDER), { recursive: true, force: true });
      throw error;
    });
    const replacedTo = present.length > 0 ? join(dataFolder, `replaced-${backupName(clock())}`) : undefined;
    if (replacedTo !== undefined) moveAll(present, dataFolder, replacedTo);
    // The database comes last, so once it is there, everything is.
    const arriving = join(dataFolder, RESTORING_FOLDER);
    const arrived = REPLACED.toReversed().filter((name) => existsSync(join(arriving, name)));
    moveAll(arrived, arriving, dataFolder);
    rmSync(arriving, { recursive: true, force: true });
    const replacedKeys = present.filter((key) => KEY_FILES.includes(key) && !source.files.some(({ name }) => name === key));
    return { dataFolder, files: source.files.length, bytes, createdAt: source.createdAt, replacedTo, replacedKeys };
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError(`can't restore ${backup} to ${dataFolder}: ${messageOf(error)}`);
  } finally {
    endChanges();
    lock.release();
  }
}

function backupSource(backup: string): Source {
  const manifest = readManifest(backup);
  if (manifest === undefined) {
    const newest = backupsIn(backup).at(-1);
    const hint =
      newest === undefined
        ? 'allowed: a folder that petstore backup made, or a database'
        : `it contains backups, of which the newest is ${join(backup, newest)}`;
    throw new PlatformError(`${backup} is not a backup; ${hint}`);
  }
  const files = manifest.files.map((file) => ({ ...file, from: join(backup, file.name) }));
  const root = realpathSync(backup);
  const elsewhere = files.find(({ from }) => existsSync(from) && !`${realpathSync(dirname(from))}/`.startsWith(`${root}/`));
  if (elsewhere !== undefined) throw new PlatformError(`the backup is damaged: ${elsewhere.from} is outside it, via a link; use another backup`);
  return { files, schema: manifest.schema, createdAt: manifest.createdAt, replaces: REPLACED };
}

async function databaseSource(file: string): Promise<Source> {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UnreadableBackup(file, error);
  }
  if (!isDatabase(file)) throw new PlatformError(`${file} is not a database; allowed: a folder that petstore backup made, or a database`);
  // Changes that are only in the write-ahead log would be lost.
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0)
    throw new PlatformError(
      `${basename(file)}-wal next to ${file} has changes that are not in the database yet; restore a backup that petstore backup made`,
    );
  const damage = databaseDamage(file);
  if (damage !== undefined) throw new PlatformError(`${file} is damaged (${damage}); use another one`);
  using database = new DatabaseSync(file, { readOnly: true });
  const files = [{ name: DATABASE_FILE, from: file, ...(await digestOf(file)) }];
  return { files, schema: schemaVersion(database), createdAt: undefined, replaces: REPLACED.slice(0, 3) };
}

function isDatabase(file: string): boolean {
  return startOf(file, DATABASE_HEADER.length).toString('latin1') === DATABASE_HEADER;
}

function checkSpace(dataFolder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dataFolder);
  if (bavail * bsize < bytes)
    throw new PlatformError(`${dataFolder} has ${bavail * bsize} bytes of free space, and the backup has ${bytes}; free up space there`);
}

/** Copies all files into the data folder, so that they only have to be renamed later, and checks each against the manifest. */
async function arrive({ files, schema }: Source, dataFolder: string): Promise<void> {
  const arriving = join(dataFolder, RESTORING_FOLDER);
  // Left by a restore that was interrupted.
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(arriving, { mode: 0o700 });
  for (const { name, from, bytes, sha256 } of files) {
    const copied = await copyFile(from, join(arriving, name), bytes).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new PlatformError(`the backup is incomplete: ${from} is missing; use another backup`);
      if (error.code === 'EACCES') throw new UnreadableBackup(from, error);
      if (error instanceof NotAFile) throw new PlatformError(`the backup is damaged: ${from} is not a file; use another backup`);
      throw error;
    });
    if (copied.bytes !== bytes || copied.sha256 !== sha256)
      throw new PlatformError(`the backup is damaged: ${from} has changed since the backup was made; use another backup`);
  }
  checkSchema(join(arriving, DATABASE_FILE), schema);
  compact(join(arriving, DATABASE_FILE));
}

/** Checks the database itself, whatever the manifest says. */
function checkSchema(file: string, schema: number): void {
  using database = new DatabaseSync(file, { readOnly: true });
  if (schemaVersion(database) !== schema)
    throw new PlatformError('the backup is damaged: its database has a different schema than its manifest says');
}

/** Compacts a database with many free pages, because removed rows do not shrink it, and its backup includes free pages. */
function compact(file: string): void {
  using database = new DatabaseSync(file);
  const count = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  if (count('freelist_count') > count('page_count') / 10) database.exec('VACUUM');
}

function moveAll(names: readonly string[], from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of names) {
    renameSync(join(from, name), join(to, name));
    synchronizeFolder(to);
    synchronizeFolder(from);
  }
}
