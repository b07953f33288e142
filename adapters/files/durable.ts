// Files that are either complete or absent, even after a power cut. A file gets its name only when its content is on the disk, and a name is on the disk
// only once its folder is (fsync(2)).

import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Some file systems can't synchronize folders; nothing else can be done there. */
const NOT_SYNCHRONIZED = ['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'];

/**
 * Writes a file that only its owner may read; replaces one of the same name. Whatever happens meanwhile, the name then has the old content or the new one.
 *
 * @param file its folder is created if it does not exist
 */
export function writeDurably(file: string, content: string | Uint8Array): void {
  createFolder(dirname(file));
  const partial = `${file}.${process.pid}.partial`;
  try {
    const descriptor = openSync(partial, 'w', 0o600);
    try {
      // A partial file that was left behind may have had another mode.
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

/** Gives a file that is on the disk its name; replaces one of the same name. Both are in folders of the same file system, which exist. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await synchronize(dirname(to));
}

/** Creates a folder that only its owner may enter, with those above it. */
export async function createFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const parent of parentsOf(folder, first)) await synchronize(parent);
}

/** Creates a folder that only its owner may enter, with those above it. */
function createFolder(folder: string): void {
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

/** Puts the names in a folder on the disk. */
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
