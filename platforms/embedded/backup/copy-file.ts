// Copies a file for a backup or a restore.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createFolderDurably } from '../../../adapters/files/durable.ts';
import type { BackupFile } from './manifest.ts';

/** Some file systems have no hard links, none has them across file systems, and the number of links to a file is limited. */
const NO_LINK = ['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'ENOENT'];

/** Copies a file; the copy is on the disk, and readable only by its owner. Folders are created as needed. @returns what was copied */
export async function copyFile(from: string, to: string): Promise<Pick<BackupFile, 'bytes' | 'sha256'>> {
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
  await pipeline(createReadStream(from), counted, createWriteStream(to, { mode: 0o600, flags: 'wx', flush: true }));
  return { bytes, sha256: hash.digest('hex') };
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
