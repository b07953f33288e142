// What a data folder knows of its last backup.

import { chownSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { LAST_BACKUP_FILE } from '../../../adapters/files/data-folder.ts';
import { writeDurably } from '../../../adapters/files/durable.ts';

const schema = z.object({
  /** Milliseconds since 1970. */
  createdAt: z.number(),
  /** Where it was made. @default made by an earlier version */
  folder: z.string().optional(),
});

export type LastBackup = Readonly<z.infer<typeof schema>>;

/**
 * Makes known that there is a backup. The backup is complete without that.
 *
 * @returns why the data folder can't be written, for example because its disk is full; undefined if it was
 */
export function recordBackup(dataFolder: string, { createdAt, folder }: LastBackup): string | undefined {
  const file = join(dataFolder, LAST_BACKUP_FILE);
  try {
    writeDurably(file, JSON.stringify({ createdAt, folder }));
    const { uid, gid } = statSync(dataFolder);
    // The service reads it, also if the superuser has made the backup.
    if (process.geteuid?.() === 0) chownSync(file, uid, gid);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns what is known of the last backup; undefined if none was made. @throws if the file can't be read, or is damaged */
export function readLastBackup(dataFolder: string): LastBackup | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataFolder, LAST_BACKUP_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${LAST_BACKUP_FILE} is damaged`, { cause: error });
  }
}
