// Folders that only their owner may enter.

import { closeSync, existsSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT_USER = 0;

/**
 * Creates a data folder, and the folders above it, unless it exists. Git ignores its content, because it has private keys; a folder that exists is left
 * unchanged.
 *
 * @throws Error with a message for operators, if it can't be created, or belongs to another user
 */
export function createDataFolder(folder: string): void {
  if (createFolder(folder)) writeFileSync(join(folder, '.gitignore'), '*\n', { mode: 0o600 });
  const owner = statSync(folder).uid;
  // The owner could not use what this user creates. A folder of the superuser's may be a mounted volume, in which another user may write.
  if (owner !== ROOT_USER && owner !== process.geteuid?.())
    throw new Error(`${folder} belongs to another user (${owner}); run the command as that user`);
}

/**
 * Creates a folder, and those above it. Not with `recursive`, which never returns if a file system refuses a new folder in an existing one with ENOENT, as /proc does.
 *
 * @returns false if it exists
 * @throws Error with a message for operators, if it can't be created
 */
export function createFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !existsSync(dirname(folder))) {
      createFolder(dirname(folder));
      return createFolder(folder);
    }
    // Some file systems report that they are read-only, or that permission is missing, before they check whether the folder exists.
    if (!existsSync(folder)) throw new Error(`${folder} can't be created: ${message}`, { cause: error });
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`, { cause: error });
    return false;
  }
}

// Files that only their owner may read, from their first byte on.

/**
 * Creates an empty file, unless it exists.
 *
 * An existing file is never opened: closing any descriptor of it would release all of this process's locks on it (POSIX, fcntl), including those of an
 * open connection to a database. The next process to exit would then believe it is the last one and delete the log, with whatever is not in the main
 * file yet (https://sqlite.org/howtocorrupt.html, section 2.2).
 *
 * @throws Error with a message for operators, if it can't be created
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new Error(`${file} can't be written: ${message}`, { cause: error });
  }
}
