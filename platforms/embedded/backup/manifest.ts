// The content of a backup. Its manifest is written last, so a folder without one is not a backup.

import { createHash, hash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { DATABASE_FILE, IDENTITY_KEYS_FILE } from '../../../adapters/files/data-folder.ts';
import { orNone, PlatformError, quoted } from '../../platform.ts';

export const MANIFEST_FILE = 'backup.json';

/** Backups are named after their creation time, so they sort by it. */
const NAME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d{3})?Z$/;

const fileSchema = z.object({
  /** The path relative to the backup, with slashes. */
  name: z.string().refine((name) => !name.startsWith('/') && !name.split('/').includes('..'), 'a path inside the backup'),
  bytes: z.number().int().min(0),
  /** Lower-case hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestSchema = z.object({
  format: z.literal(1),
  /** Version of the program that made the backup. */
  version: z.string(),
  /** The version of the database's schema. */
  schema: z.number().int().min(1),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
  files: z.array(fileSchema),
});

export type BackupFile = Readonly<z.infer<typeof fileSchema>>;
export type BackupManifest = Readonly<z.infer<typeof manifestSchema>>;

/** Returns the name of a backup. @param at milliseconds since 1970 */
export function backupName(at: number): string {
  return new Date(at).toISOString().replaceAll(':', '-');
}

/** Whether an entry in a folder for backups has the name of a backup. */
export function isBackupName(name: string): boolean {
  return NAME_PATTERN.test(name);
}

/** Returns the names of the backups in a folder, the oldest first; none if there is no such folder. */
export function backupsIn(folder: string): readonly string[] {
  return (orNone(() => readdirSync(folder)) ?? []).filter((name) => isBackupName(name) && existsSync(join(folder, name, MANIFEST_FILE))).sort();
}

/** Returns the backups of a data folder's installation in another folder, the newest first: those with its keys, or with its first account. */
export function backupsOf(dataFolder: string, folder: string): readonly string[] {
  const isOwn = (backup: string) => (keysOf(backup) ?? '') === keysOf(dataFolder) || (firstAccount(backup) ?? '') === firstAccount(dataFolder);
  const all = backupsIn(folder).map((name) => join(folder, name));
  return all.filter(isOwn).toReversed();
}

const keysOf = (folder: string) => orNone(() => hash('sha256', readFileSync(join(folder, IDENTITY_KEYS_FILE))));

/** Returns the id of the first account in a data folder or a backup; undefined if there is none, or it can't be read. */
export function firstAccount(folder: string): string | undefined {
  return orNone(() => {
    using database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
    return database.prepare('SELECT id FROM accounts ORDER BY created_at, id LIMIT 1').get()?.id?.toString();
  });
}

const WRITABLE_BY_OTHERS = 0o022;
/** The mode of folders that all users share, such as /tmp. */
const SHARED = 0o1000;

/** Returns what to do about a folder for backups to which other users can write; undefined if they can't. */
export function closingAdvice(folder: string): string | undefined {
  const { mode } = statSync(folder);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  return `run: ${(mode & SHARED) === 0 ? `chmod go-w ${quoted(folder)}` : `petstore backup ${quoted(join(folder, 'petstore-backups'))}`}`;
}

/** Error codes for a missing file. */
const ABSENT = ['ENOENT', 'ENOTDIR'];

/** Returns a backup's manifest; undefined if it is incomplete. @throws PlatformError, or UnreadableBackup if this user can't read it */
export function readManifest(backup: string): BackupManifest | undefined {
  const file = join(backup, MANIFEST_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (ABSENT.includes(code)) return undefined;
    throw code === 'EACCES' ? new UnreadableBackup(file, error) : new PlatformError(`${file} can't be read: ${message}`);
  }
  const parsed = manifestSchema.safeParse(orNone(() => JSON.parse(text)));
  if (!parsed.success) throw new PlatformError(`${file} is damaged, or was written by a newer version; use another backup`);
  return parsed.data;
}

/** Returns a file's size and digest. */
export async function digestOf(file: string): Promise<Pick<BackupFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** A backup that this user can't read may be complete. */
export class UnreadableBackup extends PlatformError {
  /** @param path the unreadable path; it, or a folder above it, belongs to another user */
  constructor(path: string, cause: unknown) {
    const { folder, owner } = ownerOf(path);
    super(
      `${path} can't be read (${(cause as NodeJS.ErrnoException).code}): ${folder} belongs to user ${owner}, and this command runs as user ${process.geteuid?.()}`,
      { cause },
    );
  }
}

function ownerOf(path: string): { readonly folder: string; readonly owner: number } {
  try {
    return { folder: path, owner: statSync(path).uid };
  } catch (error) {
    if (path === dirname(path)) throw error;
    return ownerOf(dirname(path));
  }
}
