// Whether a data folder accepts changes. While an installation is being moved, a file stops them, even after restarts. Each process that may change
// the folder holds a lock, which is released even by a crash: once no process holds it, nothing changes.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { CHANGES_LOCK_FILE, CHANGES_STOPPED_FILE, MOVE_LOCK_FILE } from '../../adapters/files/data-folder.ts';
import { synchronizeFolder, writeDurably } from '../../adapters/files/durable.ts';
import { type LockKind, takeLock } from '../../adapters/files/lock.ts';
import { orNone, PlatformError } from '../platform.ts';
import { isHeld, isServed, runningService, usable } from './folder-lock.ts';

/** How long a stop waits for work in progress, in milliseconds. */
const CONFIRMED_MS = 60_000;
/** How long a service may need to take its lock again after an earlier stop, in milliseconds. */
const RESUMED_MS = 2_000;
const POLL_MS = 50;
/** Maximum attempts to take the lock, which a stop takes for less than a millisecond to test it. */
const TRIES = 100;

const stopSchema = z.object({
  /** The target of the move, as readable text. */
  where: z.string(),
  /** Whether the whole installation has been moved, so that hosts may have begun to serve it at the target. */
  isMoved: z.boolean().default(false),
  /** Milliseconds since 1970. */
  since: z.number(),
});

/** A stop, during which the data folder accepts no changes. */
export type ChangeStop = Readonly<z.infer<typeof stopSchema>>;

/**
 * Stops all changes to the installation in a data folder, durably, until they are allowed again. Resolves once no process changes anything but
 * admission counters and times of last use. This process must not have the folder open for changes.
 * @param where the move's target, such as `PostgreSQL at 10.0.0.5:5432, database petstore` @param confirmedMs how long to wait. @default 60,000
 * @throws PlatformError if that takes longer, or a process of an earlier version uses the folder; changes are then allowed as before
 */
export async function stopChanges(dataFolder: string, where: string, confirmedMs: number = CONFIRMED_MS): Promise<void> {
  // The target of an earlier move may already be serving, so changes stay stopped here.
  const isMoved = changeStop(dataFolder)?.isMoved ?? false;
  if (!areStopped(dataFolder)) await refuseUnaware(dataFolder);
  writeDurably(join(dataFolder, CHANGES_STOPPED_FILE), JSON.stringify({ where, isMoved, since: Date.now() } satisfies ChangeStop));
  if (await eventually(confirmedMs, () => isFree(dataFolder, 'alone'))) return;
  const service = isFree(dataFolder, 'main') ? undefined : runningService(dataFolder);
  if (!isMoved) allowChanges(dataFolder);
  const who = service === undefined ? 'a command, or a host that serves only the API,' : `the service (process ${service.pid}, ${service.url})`;
  throw new PlatformError(
    `${dataFolder}: ${who} has not finished its changes within ${confirmedMs / 1_000} s; changes are ${isMoved ? 'still stopped' : 'allowed again'}; try again`,
  );
}

/** Allows changes again. A running service continues within a second. */
export function allowChanges(dataFolder: string): void {
  rmSync(join(dataFolder, CHANGES_STOPPED_FILE), { force: true });
  synchronizeFolder(dataFolder);
}

/** Whether changes are stopped, or about to be. */
export function areStopped(dataFolder: string): boolean {
  return existsSync(join(dataFolder, CHANGES_STOPPED_FILE));
}

/** Returns why a data folder accepts no changes; undefined if it accepts them. */
export function changeStop(dataFolder: string): ChangeStop | undefined {
  if (!areStopped(dataFolder)) return undefined;
  const read = () => stopSchema.parse(JSON.parse(readFileSync(join(dataFolder, CHANGES_STOPPED_FILE), 'utf8')));
  return orNone(read) ?? { where: 'an unknown place', isMoved: true, since: 0 };
}

/** What to do after a move that did not finish: it was killed, or the power failed. */
export const UNFINISHED = 'run petstore move again, or petstore move --undo --yes';

/** Whether a move has stopped changes, and its process has ended before the move was complete. */
export function isUnfinished(dataFolder: string): boolean {
  return changeStop(dataFolder)?.isMoved === false && !isHeld(dataFolder, MOVE_LOCK_FILE, 'shared');
}

/** Records that all of a stopped installation has been moved elsewhere. */
export function markMoved(dataFolder: string): void {
  writeDurably(join(dataFolder, CHANGES_STOPPED_FILE), JSON.stringify({ ...changeStop(dataFolder), isMoved: true }));
}

/** Registers this process as one that makes changes, the service as `main`. @returns a function that ends this; undefined if changes are stopped */
export function beginChanges(dataFolder: string, kind: Exclude<LockKind, 'alone'>): (() => void) | undefined {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const release = lock(dataFolder, kind);
    // The file is read after the lock is taken, because a stop stores the file first, and then waits for the lock.
    const isStopped = areStopped(dataFolder);
    if (!isStopped && release !== undefined) return release;
    release?.();
    if (isStopped) return undefined;
  }
  return undefined;
}

/** Does what `beginChanges` does, for callers that can't continue if changes are stopped. @throws PlatformError if changes are stopped */
export function expectChanges(dataFolder: string): () => void {
  const end = beginChanges(dataFolder, 'shared');
  if (end === undefined) throw new PlatformError(stopText(dataFolder));
  return end;
}

/** Returns text that says why a data folder accepts no changes, and how to allow them again. */
export function stopText(dataFolder: string): string {
  const { where, since, isMoved } = changeStop(dataFolder) ?? { where: 'an unknown place', since: 0, isMoved: false };
  const moved = `its installation was moved to ${where}; to undo the move, run petstore move --undo --yes`;
  const moving = isUnfinished(dataFolder)
    ? `its move to ${where} did not finish; ${UNFINISHED}`
    : `its installation is still being moved to ${where}`;
  return `${dataFolder} has accepted no changes since ${new Date(since).toISOString()}: ${isMoved ? moved : moving}`;
}

/** Throws while a process of an earlier version runs: that process uses the folder without the lock, so it would go on changing it. */
async function refuseUnaware(dataFolder: string): Promise<void> {
  const isAware = () => !isServed(dataFolder) || !isFree(dataFolder, 'main');
  if (!(await eventually(RESUMED_MS, isAware)))
    throw new PlatformError(`${dataFolder}: a service of an earlier version is using it; restart it with this version, then try again`);
}

async function eventually(milliseconds: number, isSo: () => boolean): Promise<boolean> {
  for (const end = performance.now() + milliseconds; !isSo(); await sleep(POLL_MS)) if (performance.now() > end) return false;
  return true;
}

/** Whether the lock for changes could be taken. */
function isFree(dataFolder: string, kind: LockKind): boolean {
  const release = lock(dataFolder, kind);
  release?.();
  return release !== undefined;
}

function lock(dataFolder: string, kind: LockKind): (() => void) | undefined {
  return usable(dataFolder, () => takeLock(join(dataFolder, CHANGES_LOCK_FILE), kind));
}
