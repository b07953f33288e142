// Files that are either complete or absent, even after a power cut. A file gets its name only when its content is on the disk, and the name is on the
// disk only after its folder has been synchronized (fsync(2)).

import { closeSync, existsSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Error codes of file systems that can't synchronize folders, where nothing else can be done. */
const NOT_SYNCHRONIZED = ['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'];

/** Writes a file that only its owner may read, and creates its folder if needed. Whatever happens, the file has either its old or its new content. */
export function writeDurably(file: string, content: string | Uint8Array): void {
  createParents(dirname(file));
  const partial = `${file}.${process.pid}.partial`;
  try {
    const descriptor = openSync(partial, 'w', 0o600);
    try {
      // A partial file left behind by another process may have another mode.
      fchmodSync(descriptor, 0o600);
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  synchronizeFolder(dirname(file));
}

/** Renames a file whose content is on the disk, replacing any file with the new name. Both folders must exist, in the same file system. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await synchronize(dirname(to));
}

/** Creates a folder that only its owner may enter, and missing folders above it. */
export async function createFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const parent of parentsOf(folder, first)) await synchronize(parent);
}

function createParents(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const parent of parentsOf(folder, first)) synchronizeFolder(parent);
}

/** Returns the folders that have a new entry. @param first the highest folder that was created; undefined if none was */
function parentsOf(folder: string, first: string | undefined): readonly string[] {
  if (first === undefined) return [];
  const parents = [dirname(folder)];
  for (let created = dirname(folder); created.length >= first.length; created = dirname(created)) parents.push(dirname(created));
  return parents;
}

/** Writes the names in a folder to the disk. */
export function synchronizeFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    unlessImpossible(error);
  }
}

async function synchronize(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    unlessImpossible(error);
  }
}

function unlessImpossible(error: unknown): void {
  if (!NOT_SYNCHRONIZED.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}

const ROOT_USER = 0;

/**
 * Creates a data folder, and the folders above it, unless it exists. Git ignores its content, which includes private keys.
 * @throws Error with a message for operators, if it can't be created, or belongs to another user
 */
export function createDataFolder(folder: string): void {
  if (createFolder(folder)) writeFileSync(join(folder, '.gitignore'), '*\n', { mode: 0o600 });
  const owner = statSync(folder).uid;
  // The owner could not use what this user creates. A folder that belongs to root is allowed: it may be a mounted volume that others can write to.
  if (owner !== ROOT_USER && owner !== process.geteuid?.())
    throw new Error(`${folder} belongs to another user (${owner}); run the command as that user`);
}

/**
 * Creates a folder and those above it; false if it exists. Not with `recursive`, which hangs if a file system refuses with ENOENT, as /proc does.
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

/**
 * Creates an empty file that only its owner may read, unless it exists. An existing file is never opened: closing any descriptor of it would release
 * all of this process's locks on it (POSIX, fcntl), including those of an open connection to a database. The next process to exit would then believe
 * it is the last one and delete the log, with whatever is not in the main file yet (https://sqlite.org/howtocorrupt.html, section 2.2).
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
