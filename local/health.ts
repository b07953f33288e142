// Checks whether storage answers. A load balancer stops sending requests to a host that can't reach its database.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { AccountStore } from '../core/access/ports.ts';
import { createReadiness, type HealthCheck } from '../core/health.ts';
import { type Changes, QUEUE_NAMES } from '../core/ports.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import { authorityProbe, queueProbe, spaceProbe, storageProbe } from '../platforms/embedded/probes.ts';
import type { Later } from '../service/admission/refusals.ts';
import type { HealthOptions } from './pages.ts';

/** Reads an account that does not exist, which is cheap but needs everything that a request needs. Rejects if storage fails. */
async function accountsAnswer(accounts: AccountStore): Promise<boolean> {
  await accounts.getAccount('acc_');
  return true;
}

/** Whether the data folder, and the accounts adapter if there is one, answer. Rejects if the adapter fails. */
async function storesAnswer(folder: { readonly accounts: AccountStore; isResponding(): boolean }): Promise<boolean> {
  return folder.isResponding() && accountsAnswer(folder.accounts);
}

/** Creates the health checks for a service on a data folder. @param clock milliseconds since 1970 */
export function folderHealth(
  folder: Pick<DataFolder, 'accounts' | 'isResponding' | 'database' | 'databaseFile' | 'settings' | 'state' | 'isShared'>,
  { clock, hasTimers, changes }: { readonly clock: () => number; readonly hasTimers: boolean; readonly changes: Pick<Changes, 'isStopped'> },
): HealthOptions {
  const { acme } = folder.settings;
  return {
    isHealthy: () => storesAnswer(folder),
    readiness: createReadiness(
      {
        accounts: () => accountsProbe(folder.accounts),
        storage: storageProbe(folder.database, folder.databaseFile, changes.isStopped),
        space: spaceProbe(folder.settings.dataFolder),
        ...(hasTimers && Object.fromEntries(QUEUE_NAMES.map((queue) => [queue, queueProbe(folder.state, queue, clock)]))),
        ...(hasTimers && !folder.isShared && acme !== undefined && { authority: authorityProbe(folder.database, acme.directory) }),
      },
      clock,
    ),
  };
}

/** Creates the health checks for a host that stores nothing itself. @param clock milliseconds since 1970 */
export function adapterHealth(accounts: AccountStore, clock: () => number): HealthOptions {
  return { isHealthy: () => accountsAnswer(accounts), readiness: createReadiness({ accounts: () => accountsProbe(accounts) }, clock) };
}

async function accountsProbe(accounts: AccountStore): Promise<HealthCheck> {
  await accountsAnswer(accounts);
  return { name: 'accounts', state: 'ok' };
}

// SQLite goes on writing to a deleted or replaced database, so without this check, everything answered with 201 from then on would be lost.

/** Interval between checks, in milliseconds. */
const CHECK_INTERVAL_MS = 500;

/** Watches the database file. @param onLost called once if the file is deleted or replaced @returns a function that ends the watch */
export function watchDatabase(file: string, onLost: () => void): () => void {
  const opened = statSync(file);
  const timer = setInterval(async () => {
    const now = await stat(file).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : opened));
    if (now?.ino === opened.ino && now.dev === opened.dev) return;
    clearInterval(timer);
    onLost();
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

// Work that is delayed by a few seconds, such as reporting refusals. It runs when due, or when the service stops.

export interface PendingWork {
  readonly later: Later;
  /** Runs all waiting work immediately; resolves when it is done. */
  finish(): Promise<void>;
}

/** Creates an empty list of pending work. */
export function createPendingWork(): PendingWork {
  const waiting = new Map<NodeJS.Timeout, () => Promise<void> | void>();
  return {
    later: (milliseconds, work) => {
      const timer = setTimeout(() => {
        waiting.delete(timer);
        void work();
      }, milliseconds);
      waiting.set(timer, work);
    },
    finish: async () => {
      const left = [...waiting.values()];
      for (const timer of waiting.keys()) clearTimeout(timer);
      waiting.clear();
      await Promise.all(left.map((work) => work()));
    },
  };
}
