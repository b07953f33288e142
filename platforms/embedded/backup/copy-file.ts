// Copies files and databases for a backup or a restore.

import { createHash } from 'node:crypto';
import { closeSync, constants, createWriteStream, fsyncSync, openSync, readSync } from 'node:fs';
import { type FileHandle, link, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { createFolderDurably } from '../../../adapters/files/durable.ts';
import type { BackupFile } from './manifest.ts';

/** Error codes when no hard link is possible: not all file systems have them, they can't cross file systems, and the number per file is limited. */
const NO_LINK = ['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'ENOENT'];

/** Pages copied per step: 1 MiB with SQLite's default page size. */
const STEP_PAGES = 256;
/** Total length of the pauses, in milliseconds, within the limits in REST: the larger the database, the shorter each pause. */
const PATIENCE_MS = 30_000;
/** Limits on the length of the pause after a step, as multiples of the step's length. */
const REST = { least: 9, most: 99 };
const MOST_REST_MS = 1_000;

/** The file is a link, a device, a pipe or a folder. */
export class NotAFile extends Error {
  override readonly name = 'NotAFile';
}

/**
 * Copies a file; the copy is flushed to disk, and readable only by its owner. Folders are created as needed. @returns the copy's size and digest
 * @param most maximum number of bytes to read. @default all @throws NotAFile instead of following a link, or waiting for a pipe
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

async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' || error.code === 'ENXIO' ? new NotAFile(`${path} is not a file`, { cause: error }) : error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new NotAFile(`${path} is not a file`);
}

/** Returns the first bytes of a file; fewer if it is shorter. */
export function startOf(file: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  try {
    return start.subarray(0, readSync(descriptor, start));
  } finally {
    closeSync(descriptor);
  }
}

/** Hard-links a file instead of copying it. @returns whether the file system supports this */
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

/**
 * Makes a consistent copy of a database in use: a new file, flushed to disk, readable only by its owner, that needs no other file.
 * Only a hundredth to a tenth of the time is spent copying; requests would otherwise wait for the disk.
 */
export async function copyDatabaseInSteps(from: string, to: string): Promise<void> {
  const descriptor = openSync(to, 'ax', 0o600);
  using database = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    // Within a transaction, the backup does not start over when other processes write.
    database.exec('BEGIN');
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    let began = performance.now();
    await backup(database, to, {
      rate: STEP_PAGES,
      progress: ({ totalPages }) => {
        fsyncSync(descriptor);
        const step = performance.now() - began;
        const share = (PATIENCE_MS * STEP_PAGES) / totalPages;
        pause(Math.min(Math.max(REST.least * step, Math.min(REST.most * step, share)), MOST_REST_MS));
        began = performance.now();
      },
    });
    using copy = new DatabaseSync(to);
    copy.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE');
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Pauses the whole process, not only this work. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
