// Which processes use a data folder: at most one service, any number of API-only hosts, and the command line. A restore excludes all others.

import { existsSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { LOCK_FILE, SERVICE_FILE } from '../../adapters/files/data-folder.ts';
import { createDataFolder, writeDurably } from '../../adapters/files/durable.ts';
import { type LockKind, takeLock } from '../../adapters/files/lock.ts';
import { messageOf, orNone, PlatformError } from '../platform.ts';

const serviceSchema = z.object({
  pid: z.number(),
  url: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
});

/** The service that uses a data folder. */
export type RunningService = Readonly<z.infer<typeof serviceSchema>>;

export interface FolderLock {
  /** Stores the service's addresses, for other processes. */
  announce(service: RunningService): void;
  /** Releases the folder. Can be called repeatedly. */
  release(): void;
}

/**
 * Reserves a data folder until the process ends. @throws PlatformError that names the service that uses it, or says why the folder can't be used
 * @param kind `main` for the service (two would run all timers twice), `shared` for a host that serves only the API, `alone` to replace everything
 */
export function lockFolder(folder: string, kind: LockKind): FolderLock {
  const release = usable(folder, () => {
    createDataFolder(folder);
    return takeLock(join(folder, LOCK_FILE), kind);
  });
  if (release === undefined) throw new PlatformError(`PETSTORE_DATA: ${inUse(folder)}; stop it first, or set PETSTORE_DATA to another folder`);
  let own: RunningService | undefined;
  return {
    announce: (service) => {
      own = service;
      writeDurably(join(folder, SERVICE_FILE), JSON.stringify(service));
    },
    release: () => {
      // The folder, and the file in it, may be another service's by now. On a read-only disk, the file stays; without the lock, it is ignored.
      if (own !== undefined && isDeepStrictEqual(announced(folder), own)) orNone(() => rmSync(join(folder, SERVICE_FILE), { force: true }));
      own = undefined;
      release();
    },
  };
}

/** Returns the service that uses a data folder. @returns undefined if there is none */
export function runningService(folder: string): RunningService | undefined {
  // If the lock is free, the file was left behind by a killed service.
  return isServed(folder) ? announced(folder) : undefined;
}

/** Whether a service holds a data folder's lock. */
export function isServed(folder: string): boolean {
  return isHeld(folder, LOCK_FILE, 'main');
}

/** Whether another process, or this one, holds a lock in a data folder. */
export function isHeld(folder: string, file: string, kind: LockKind): boolean {
  // The check must not create the lock file: created by another user, it would keep the service out.
  if (!existsSync(join(folder, file))) return false;
  const release = usable(folder, () => takeLock(join(folder, file), kind));
  release?.();
  return release === undefined;
}

function announced(folder: string): RunningService | undefined {
  return orNone(() => serviceSchema.parse(JSON.parse(readFileSync(join(folder, SERVICE_FILE), 'utf8'))));
}

function inUse(folder: string): string {
  const service = announced(folder);
  return service === undefined ? `another process is using ${folder}` : `another service is using ${folder} (process ${service.pid}, ${service.url})`;
}

/** Works on a folder. @throws PlatformError that says why it can't be used */
export function usable<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unusable(folder, error);
  }
}

/** Returns the error that says why a data folder can't be used, and what to do if its disk is full. */
export function unusable(folder: string, error: unknown): PlatformError {
  const advice = isDiskFull(folder, error) ? `; ${FULL_DISK}` : '';
  return new PlatformError(`PETSTORE_DATA: can't use ${folder}: ${messageOf(error)}${advice}`);
}

/** What to do about a full disk. */
export const FULL_DISK = 'the disk is full, or a quota is used up: free up space';
/** SQLITE_IOERR and SQLITE_CANTOPEN, which may have this reason, and SQLITE_IOERR_SHMSIZE, which has no other (https://www.sqlite.org/rescode.html). */
const [IOERR, CANTOPEN, IOERR_SHMSIZE] = [10, 14, 4_874];

/** Whether a full disk, or a quota that is used up, is the reason for an error. @param folder where something could not be stored */
export function isDiskFull(folder: string, error: unknown): boolean {
  if (/ENOSPC|EDQUOT|disk is full/.test(messageOf(error))) return true;
  const { errcode = 0 } = error as { readonly errcode?: number };
  return errcode === IOERR_SHMSIZE || ([IOERR, CANTOPEN].includes(errcode & 0xff) && orNone(() => statfsSync(folder).bavail) === 0);
}
