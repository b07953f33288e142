// Makes a backup of a data folder while the service runs. It is consistent as of the moment when the database is copied: a deployment's files never
// change, so those of deployments in that copy can be read at any time.

import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE, IDENTITY_KEYS_FILE, KEY_FILES, ROOT_KEY_FILE, SITES_FOLDER } from '../../../adapters/files/data-folder.ts';
import { createFolder, synchronizeFolder, writeDurably } from '../../../adapters/files/durable.ts';
import { takeLock } from '../../../adapters/files/lock.ts';
import { schemaVersion } from '../../../adapters/store/sqlite/migrate.ts';
import { messageOf, orNone, PlatformError } from '../../platform.ts';
import { databaseDamage, recordBackup } from './check-backup.ts';
import { copyDatabaseInSteps, copyFile, linkFile } from './copy-file.ts';
import {
  type BackupFile,
  backupName,
  backupsIn,
  backupsOf,
  closingAdvice,
  digestOf,
  firstAccount,
  isBackupName,
  MANIFEST_FILE,
  readManifest,
} from './manifest.ts';

/** Maximum number of copies of the database. It is copied again if a deployment was deleted before its files were copied. */
const ATTEMPTS = 5;

const LOCK = '.lock';
const PARTIAL = '.partial';

export interface BackupOptions {
  readonly dataFolder: string;
  /** The folder for backups, outside of the data folder. Created if it does not exist. */
  readonly target: string;
  /** How many backups of this installation are kept in the folder, including this one. @default all */
  readonly keep?: number | undefined;
  /** The program's version. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface Backup {
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly files: number;
  readonly bytes: number;
  /** How many of the bytes are shared with the previous backup and take no extra space. */
  readonly sharedBytes: number;
  /** Earlier backups that were removed; none if this one is incomplete: they may have what it lacks. */
  readonly removed: readonly string[];
  /** Backups in the folder that are not known to belong to this installation. They are never removed. */
  readonly others: readonly string[];
  /** Why the data folder has no record of this backup. @default undefined: it has a record */
  readonly unrecorded: string | undefined;
  /** The files that the data folder itself lacks: a sentence for each deployment, and for each key file. */
  readonly incomplete: readonly string[];
}

interface Deployment {
  readonly id: string;
  readonly projectId: string;
  readonly files: number;
  readonly bytes: number;
}

/** Makes a backup. @throws PlatformError if there is no data folder, its database is damaged, a backup is in progress, or a file can't be written */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { dataFolder, keep } = options;
  const target = resolve(options.target);
  let unlock: ReturnType<typeof takeLock>;
  try {
    checkFolders(dataFolder, target);
    refuseDamaged(dataFolder);
    unlock = takeLock(join(target, LOCK), 'alone');
    if (unlock === undefined) throw new PlatformError(`another backup is being made in ${target}; wait for it`);
    // Left by backups that were interrupted.
    for (const name of readdirSync(target)) if (isPartial(name)) rmSync(join(target, name), { recursive: true });
    const made = await make(options, target);
    const unrecorded = recordBackup(dataFolder, made);
    const { own, others } = earlierIn(target, made.folder);
    const surplus = keep === undefined || made.incomplete.length > 0 ? [] : own.slice(0, Math.max(0, own.length - (keep - 1)));
    return { ...made, removed: removeAll(surplus), others, unrecorded };
  } catch (error) {
    throw error instanceof PlatformError ? error : new PlatformError(`can't make a backup in ${target}: ${messageOf(error)}`);
  } finally {
    unlock?.();
  }
}

/** Refuses a damaged database: the copy would have only readable rows, and replace a complete backup. */
function refuseDamaged(dataFolder: string): void {
  const damage = databaseDamage(join(dataFolder, DATABASE_FILE));
  if (damage !== undefined)
    throw new PlatformError(
      `the database in ${dataFolder} is damaged (${damage}): no backup was made, and none was removed; petstore doctor --full says what to do`,
    );
}

/** Refuses folders in which other users could plant files that this backup or the next one would take for its own. */
function checkFolders(dataFolder: string, target: string): void {
  if (!existsSync(join(dataFolder, DATABASE_FILE))) throw new PlatformError(`PETSTORE_DATA: there is no data in ${dataFolder}`);
  const inside = `${target} is in the data folder ${dataFolder}, and would be lost with it; choose a folder elsewhere, preferably on another disk`;
  if (isBelow(resolve(dataFolder), target)) throw new PlatformError(inside);
  try {
    createFolder(target);
  } catch (error) {
    throw new PlatformError(messageOf(error));
  }
  if (isBelow(realpathSync(dataFolder), realpathSync(target))) throw new PlatformError(inside);
  const { uid } = statSync(target);
  if (uid !== process.getuid?.())
    throw new PlatformError(`${target} belongs to another user; run the command as that user, or choose another folder`);
  const advice = closingAdvice(target);
  if (advice !== undefined) throw new PlatformError(`other users can write to ${target}, and could replace what is backed up; ${advice}`);
}

function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || !(below === '..' || below.startsWith(`..${sep}`));
}

async function make({ dataFolder, version, clock }: BackupOptions, target: string): Promise<Omit<Backup, 'removed' | 'others' | 'unrecorded'>> {
  const createdAt = clock();
  const name = backupName(createdAt);
  const partial = join(target, `${name}${PARTIAL}`);
  mkdirSync(partial, { mode: 0o700 });
  try {
    const sites = createSiteCopies(dataFolder, partial, previousIn(target));
    const { schema, incomplete } = await copyTogether(dataFolder, partial, sites);
    const files: BackupFile[] = [{ name: DATABASE_FILE, ...(await digestOf(join(partial, DATABASE_FILE))) }, ...sites.files()];
    for (const key of KEY_FILES)
      if (existsSync(join(dataFolder, key))) files.push({ name: key, ...(await copyFile(join(dataFolder, key), join(partial, key))) });
    const keys = missingKeys(files, dataFolder, target);
    writeDurably(join(partial, MANIFEST_FILE), JSON.stringify({ format: 1, version, schema, createdAt, files }));
    renameSync(partial, join(target, name));
    synchronizeFolder(target);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return {
      folder: join(target, name),
      createdAt,
      files: files.length,
      bytes,
      sharedBytes: sites.sharedBytes(),
      incomplete: [...incomplete, ...keys],
    };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Returns a sentence for each key file that the installation has had, and lacks now. One that serves only the API has never had the first. */
function missingKeys(files: readonly BackupFile[], dataFolder: string, target: string): readonly string[] {
  const [hasKeys, hasRoot, hasRootKey] = KEY_FILES.map((key) => files.some(({ name }) => name === key));
  const hadKeys = () => backupsOf(dataFolder, target).some((backup) => existsSync(join(backup, IDENTITY_KEYS_FILE)));
  const missing = [...(hasKeys || !hadKeys() ? [] : [IDENTITY_KEYS_FILE]), ...(hasRoot && !hasRootKey ? [ROOT_KEY_FILE] : [])];
  return missing.map((name) => `${name} is missing from the data folder, where it used to be`);
}

/** Copies the database, and the files of all deployments in it. */
async function copyTogether(
  dataFolder: string,
  partial: string,
  sites: ReturnType<typeof createSiteCopies>,
): Promise<{ schema: number; incomplete: readonly string[] }> {
  const copy = join(partial, DATABASE_FILE);
  for (let attempt = 1; ; attempt++) {
    rmSync(copy, { force: true });
    await copyDatabaseInSteps(join(dataFolder, DATABASE_FILE), copy);
    const { schema, deployments } = contentOf(copy);
    const incomplete: Deployment[] = [];
    for (const deployment of deployments) if (!(await sites.copy(deployment))) incomplete.push(deployment);
    sites.drop(deployments);
    // A deployment deleted since then does not count as lost, but the copied database still has it, so the database is copied again.
    const left = new Set(contentOf(join(dataFolder, DATABASE_FILE)).deployments.map(({ id }) => id));
    if (incomplete.every(({ id }) => left.has(id)) || attempt === ATTEMPTS) return { schema, incomplete: incomplete.map(lacks) };
  }
}

function lacks({ id, projectId, files, bytes }: Deployment): string {
  return `deployment ${id} of project ${projectId} is incomplete in the data folder; it should have ${files} files with ${bytes} bytes`;
}

function contentOf(file: string): { readonly schema: number; readonly deployments: readonly Deployment[] } {
  using database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const hasDeployments = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deployments'").get() !== undefined;
  const rows = hasDeployments ? database.prepare('SELECT id, project_id AS projectId, files, bytes FROM deployments ORDER BY created_at').all() : [];
  return { schema: schemaVersion(database), deployments: rows as unknown as Deployment[] };
}

/** Returns the backup with the latest name in a folder, with its files by name. */
function previousIn(target: string): { readonly folder: string; readonly files: ReadonlyMap<string, BackupFile> } | undefined {
  const newest = backupsIn(target).at(-1);
  if (newest === undefined) return undefined;
  const folder = join(target, newest);
  return { folder, files: new Map(manifestOf(folder)?.files.map((file) => [file.name, file])) };
}

/** Returns an installation's identity: its sign-in keys, which are created once, or the first account of a host that serves only the API. */
function identityOf(backup: string): string | undefined {
  const files = manifestOf(backup)?.files;
  return files?.find(({ name }) => name === IDENTITY_KEYS_FILE)?.sha256 ?? (files && firstAccount(backup));
}

/** A damaged backup shares nothing with the next one, and is not known to belong to the same installation. */
const manifestOf = (backup: string) => orNone(() => readManifest(backup));

function createSiteCopies(dataFolder: string, partial: string, previous: ReturnType<typeof previousIn>) {
  const copied = new Map<string, { readonly isComplete: boolean; readonly files: readonly BackupFile[]; readonly shared: number }>();
  const folderOf = ({ projectId, id }: Deployment) => `${SITES_FOLDER}/${projectId}/${id}`;

  async function copyAll(deployment: Deployment) {
    const files: BackupFile[] = [];
    let shared = 0;
    for (const name of filesBelow(join(dataFolder, folderOf(deployment)))) {
      const path = `${folderOf(deployment)}/${name}`;
      const source = join(dataFolder, path);
      const known = previous?.files.get(path);
      const isLinked =
        previous !== undefined &&
        known?.bytes === statSync(source).size &&
        // Damage to the earlier copy must not become damage to this one.
        (await digestOf(join(previous.folder, path)).catch(() => undefined))?.sha256 === known.sha256 &&
        (await linkFile(join(previous.folder, path), join(partial, path)));
      if (isLinked && known !== undefined) {
        files.push(known);
        shared += known.bytes;
      } else files.push({ name: path, ...(await copyFile(source, join(partial, path))) });
    }
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { isComplete: files.length === deployment.files && bytes === deployment.bytes, files, shared };
  }

  return {
    /** Copies a deployment's files once. @returns whether they are complete */
    copy: async (deployment: Deployment): Promise<boolean> => {
      const folder = folderOf(deployment);
      const done = copied.get(folder) ?? (await copyAll(deployment).catch(unlessGone));
      if (done !== undefined) copied.set(folder, done);
      else rmSync(join(partial, folder), { recursive: true, force: true });
      return done?.isComplete === true;
    },
    /** Removes the copies of all other deployments. */
    drop: (deployments: readonly Deployment[]): void => {
      const kept = new Set(deployments.map(folderOf));
      for (const folder of copied.keys()) {
        if (kept.has(folder)) continue;
        copied.delete(folder);
        rmSync(join(partial, folder), { recursive: true, force: true });
      }
    },
    files: () => [...copied.values()].flatMap(({ files }) => files),
    sharedBytes: () => [...copied.values()].reduce((sum, { shared }) => sum + shared, 0),
  };
}

/** Ignores a missing file, because a deployment may be deleted, with its files, at any moment. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Returns the paths of all files in a folder and below, relative to it; none if there is no such folder. @throws if it can't be read */
function filesBelow(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Whether an entry is an unfinished backup. The folder may also contain unrelated files. */
function isPartial(name: string): boolean {
  return name.endsWith(PARTIAL) && isBackupName(name.slice(0, -PARTIAL.length));
}

/**
 * Returns the other backups in a folder, the oldest first. If the clock was wrong, one of them may have a later name than the backup just made.
 * Another installation's backups may be all that is left of it: if the data folder's disk is missing, a starting service creates a new installation.
 */
function earlierIn(target: string, made: string): { readonly own: readonly string[]; readonly others: readonly string[] } {
  const identity = identityOf(made);
  const all = backupsIn(target).map((name) => join(target, name));
  const isOwn = (folder: string) => identity !== undefined && identityOf(folder) === identity;
  return { own: all.filter((folder) => folder !== made && isOwn(folder)), others: all.filter((folder) => folder !== made && !isOwn(folder)) };
}

function removeAll(folders: readonly string[]): readonly string[] {
  // The manifest is deleted first, so that the folder no longer counts as a backup even if this is interrupted.
  for (const folder of folders) {
    rmSync(join(folder, MANIFEST_FILE));
    renameSync(folder, `${folder}${PARTIAL}`);
    rmSync(`${folder}${PARTIAL}`, { recursive: true });
  }
  return folders;
}
