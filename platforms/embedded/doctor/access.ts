// Who owns what is in the data folder, and who can access it.

import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE, IDENTITY_KEYS_FILE, ROOT_KEY_FILE } from '../../../adapters/files/data-folder.ts';
import { about, type Finding, messageOf, ok, problem, quoted, shown } from './finding.ts';

/** What only the service's user may access, besides the folder itself. */
const PRIVATE = [DATABASE_FILE, `${DATABASE_FILE}-wal`, IDENTITY_KEYS_FILE, ROOT_KEY_FILE];
/** What restores have replaced is no longer used. */
const UNUSED = /^replaced-/;
const ROOT_USER = 0;
const OTHERS = 0o077;

/** What keeps the user from the data folder; undefined if nothing does, or there is no folder. @param user id of the user who runs the command */
export function accessProblem(dataFolder: string, user: number): Finding | undefined {
  try {
    const folder = statSync(dataFolder, { throwIfNoEntry: false });
    if (folder === undefined) return undefined;
    if (user !== ROOT_USER && folder.uid !== user && (folder.mode & OTHERS) === 0)
      return problem(
        'data folder',
        `${dataFolder} belongs to user ${folder.uid}, and this command runs as user ${user}`,
        `run this command as the user who runs the service: sudo -u '#${folder.uid}' petstore doctor; only if the service should run as user ${user}, as root, run: chown -R ${user} ${quoted(dataFolder)}`,
      );
    // The superuser can access them in any case, but the service may run as another user.
    if ((folder.mode & 0o700) !== 0o700) return closed([dataFolder], 'rwx');
    const files = PRIVATE.map((name) => join(dataFolder, name)).filter((file) => existsSync(file) && (statSync(file).mode & 0o600) !== 0o600);
    if (files.length > 0) return closed(files, 'rw');
    accessSync(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return problem(
      'data folder',
      `${dataFolder} can't be used by user ${user}: ${messageOf(error)}`,
      'if the disk is read-only (EROFS), see dmesg, check the file system and mount it writable; otherwise run this command and the service as the user who owns the folder',
    );
  }
}

function closed(paths: readonly string[], permissions: string): Finding {
  return problem('data folder', `its owner can't read and write ${shown(paths)}`, `run: chmod u+${permissions} ${paths.map(quoted).join(' ')}`);
}

/** Whether other users can access what only the service's user may, and whether everything is that user's. */
export function examineModes(dataFolder: string): readonly Finding[] {
  const paths = ['', ...PRIVATE].map((name) => join(dataFolder, name)).filter((path) => existsSync(path));
  const open = paths.filter((path) => (statSync(path).mode & OTHERS) !== 0);
  const owner = statSync(dataFolder).uid;
  const foreign = allIn(dataFolder).filter((path) => lstatSync(path, { throwIfNoEntry: false })?.uid !== owner && existsSync(path));
  return [
    open.length === 0
      ? ok('modes', 'only the owner can read and write')
      : problem('modes', `other users of this machine can access ${open.join(', ')}`, `run: chmod go= ${open.map(quoted).join(' ')}`),
    ...about(foreign, String, (files) =>
      problem(
        'owner',
        `not owned by the data folder's owner: ${files}`,
        `so that the service can use them, as root, run: chown -R ${owner} ${quoted(dataFolder)}`,
      ),
    ),
  ];
}

function allIn(dataFolder: string): readonly string[] {
  return readdirSync(dataFolder, { withFileTypes: true })
    .filter(({ name }) => !UNUSED.test(name))
    .flatMap((entry) => {
      const path = join(dataFolder, entry.name);
      return entry.isDirectory() ? [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))] : [path];
    });
}
