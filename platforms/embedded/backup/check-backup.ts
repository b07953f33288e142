// Whether a backup can be restored, without restoring it.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SITES_FOLDER } from '../../../adapters/files/data-folder.ts';
import { isDamaged } from '../../../adapters/store/sqlite/database.ts';
import { digestOf, readManifest } from './manifest.ts';

export interface CheckOptions {
  /** Whether the content of sites is read, too, and not only the names and sizes of their files. */
  readonly full: boolean;
  /** When it was made, in milliseconds since 1970. @default unknown */
  readonly createdAt?: number;
}

/** Checks a backup against its manifest. @returns what is wrong, as the end of a sentence; undefined if nothing is */
export async function backupDamage(backup: string, { full, createdAt }: CheckOptions): Promise<string | undefined> {
  try {
    const manifest = readManifest(backup);
    if (manifest === undefined) return existsSync(backup) ? 'it is not a complete backup' : 'it is missing';
    if (createdAt !== undefined && manifest.createdAt !== createdAt) return 'another backup is in its place';
    for (const { name, bytes, sha256 } of manifest.files) {
      const found = statSync(join(backup, name), { throwIfNoEntry: false });
      if (found === undefined) return `${name} is missing`;
      if (found.size !== bytes) return `${name} has ${found.size} bytes instead of ${bytes}`;
      const isRead = full || !name.startsWith(`${SITES_FOLDER}/`);
      if (isRead && (await digestOf(join(backup, name))).sha256 !== sha256) return `${name} has changed`;
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Checks a database's pages, rows and indexes, of which a copy would lack what can't be read: 0.15 seconds for 300,000 animals, half of what the copy takes.
 *
 * @returns the first damage; undefined if there is none
 */
export function databaseDamage(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const found = String(database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check);
    return found === 'ok' ? undefined : found.split('\n').at(-1);
  } catch (error) {
    if (isDamaged(error)) return error.message;
    throw error;
  } finally {
    database.close();
  }
}
