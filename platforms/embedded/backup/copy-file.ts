// Copies a file for a backup or a restore.

import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, link, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createFolderDurably } from '../../../adapters/files/durable.ts';
import type { BackupFile } from './manifest.ts';

/** Some file systems have no hard links, none has them across file systems, and the number of links to a file is limited. */
const NO_LINK = ['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'ENOENT'];

/** It is a link, a device, a pipe or a folder. */
export class NotAFile extends Error {
  override readonly name = 'NotAFile';
}

/**
 * Copies a file; the copy is on the disk, and readable only by its owner. Folders are created as needed.
 *
 * @param most bytes to read at most. @default all
 * @returns what was copied
 * @throws NotAFile instead of following a link, or waiting for a pipe
 */
export async function copyFile(from: string, to: string, most = Number.POSITIVE_INFINITY): Promise<Pick<BackupFile, 'bytes' | 'sha256'>> {
  await createFolderDurably(dirname(to));
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
  };
  const source = await openFile(from);
  const read = source.createReadStream(Number.isFinite(most) ? { end: Math.max(most, 1) } : {});
  await pipeline(read, counted, createWriteStream(to, { mode: 0o600, flags: 'wx', flush: true }));
  return { bytes, sha256: hash.digest('hex') };
}

/** Opens a regular file. */
async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' || error.code === 'ENXIO' ? new NotAFile(`${path} is not a file`, { cause: error }) : error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new NotAFile(`${path} is not a file`);
}

/** Gives a file another name, without a copy. @returns whether the file system can do that */
export async function linkFile(from: string, to: string): Promise<boolean> {
  await createFolderDurably(dirname(to));
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (NO_LINK.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
