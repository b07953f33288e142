// Examines who owns the files in the data folder, and who can access them.

import { accessSync, constants, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHANGES_LOCK_FILE,
  DATABASE_FILE,
  IDENTITY_KEYS_FILE,
  LOCK_FILE,
  MOVE_LOCK_FILE,
  ROOT_KEY_FILE,
} from '../../../adapters/files/data-folder.ts';
import { messageOf, orNone, quoted } from '../../platform.ts';
import { about, type Finding, ok, problem, shown } from './finding.ts';

/** Files that only the service's user may access, besides the folder itself. */
const PRIVATE = [DATABASE_FILE, `${DATABASE_FILE}-wal`, IDENTITY_KEYS_FILE, ROOT_KEY_FILE];
/** Files to which the service and the command line write. */
const WRITTEN = [...PRIVATE, `${DATABASE_FILE}-shm`, LOCK_FILE, CHANGES_LOCK_FILE, MOVE_LOCK_FILE];
/** Matches folders with content that restores have replaced, which are no longer used. */
const UNUSED = /^replaced-/;
const ROOT_USER = 0;
const OTHERS = 0o077;

/** Returns what keeps the user out of the data folder; nothing if there is no folder. @param user id of the user who runs the command */
export function accessProblems(dataFolder: string, user: number): readonly Finding[] {
  try {
    const folder = statSync(dataFolder, { throwIfNoEntry: false });
    if (folder === undefined) return [];
    if (!folder.isDirectory())
      return [problem('data folder', `${dataFolder} is not a folder`, 'set PETSTORE_DATA to the folder that has petstore.db in it')];
    if (user !== ROOT_USER && folder.uid !== user && (folder.mode & OTHERS) === 0) {
      const found = `${dataFolder} belongs to user ${folder.uid}, and this command runs as user ${user}`;
      const action = `run this command as the user who runs the service: sudo -u '#${folder.uid}' petstore doctor; or, if the service should run as user ${user}, give that user the folder: as root, run: chown -R ${user} ${quoted(dataFolder)}`;
      return [problem('data folder', found, action)];
    }
    // The superuser can access all files, but the service may run as another user.
    const closed = [{ path: dataFolder, stats: folder }, ...entriesIn(dataFolder)].filter(
      ({ path, stats }) => stats.uid === folder.uid && isClosed(dataFolder, path, stats),
    );
    const owner = examineOwner(dataFolder);
    const found = `its owner can't read and write ${shown(closed.map(({ path }) => path))}`;
    if (closed.length > 0) return [...owner, problem('data folder', found, `run: chmod -R u+rwX ${quoted(dataFolder)}`)];
    accessSync(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
    const files = WRITTEN.map((name) => join(dataFolder, name)).filter((file) => existsSync(file));
    return files.every((file) => orNone(() => accessSync(file, constants.R_OK | constants.W_OK) ?? true)) ? [] : owner;
  } catch (error) {
    const action =
      'if the disk is read-only (EROFS), see dmesg, check the file system and mount it writable; otherwise run this command and the service as the user who owns the folder';
    return [problem('data folder', `${dataFolder} can't be used by user ${user}: ${messageOf(error)}`, action)];
  }
}

function isClosed(dataFolder: string, path: string, stats: Stats): boolean {
  const needed = stats.isDirectory() ? 0o700 : WRITTEN.some((name) => path === join(dataFolder, name)) ? 0o600 : stats.isFile() ? 0o400 : 0;
  return (stats.mode & needed) !== needed;
}

/** Finds files that other users can access although only the service's user may. */
export function examineModes(dataFolder: string): readonly Finding[] {
  const paths = ['', ...PRIVATE].map((name) => join(dataFolder, name)).filter((path) => existsSync(path));
  const open = paths.filter((path) => (statSync(path).mode & OTHERS) !== 0);
  if (open.length === 0) return [ok('modes', 'only the owner can read and write')];
  return [problem('modes', `other users of this machine can access ${open.join(', ')}`, `run: chmod go= ${open.map(quoted).join(' ')}`)];
}

/** Finds files that do not belong to the data folder's owner. */
export function examineOwner(dataFolder: string): readonly Finding[] {
  const { uid } = statSync(dataFolder);
  const others = entriesIn(dataFolder).filter(({ stats }) => stats.uid !== uid);
  const action = `to let the service use them, as root, run: chown -R ${uid} ${quoted(dataFolder)}`;
  const paths = others.map(({ path }) => path);
  return about(paths, String, (files) => problem('owner', `not owned by the data folder's owner: ${files}`, action));
}

/** Returns the entries in a folder and below, except in folders that this process can't enter; their owners and modes show why. */
function entriesIn(folder: string): readonly { readonly path: string; readonly stats: Stats }[] {
  const names = orNone(() => readdirSync(folder)) ?? [];
  return names
    .filter((name) => !UNUSED.test(name))
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = orNone(() => lstatSync(path, { throwIfNoEntry: false }));
      return stats === undefined ? [] : [{ path, stats }, ...(stats.isDirectory() ? entriesIn(path) : [])];
    });
}
