// Whether storage answers, for the health check. A load balancer stops sending requests to a host that can't reach its database.

import type { AccountStore } from '../core/access/ports.ts';
import { createReadiness, type HealthCheck } from '../core/health.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import { authorityProbe, spaceProbe, storageProbe, timersProbe } from '../platforms/embedded/probes.ts';
import type { HealthOptions } from './pages.ts';

/** Reads one account that no one has: cheap, and it needs everything that a request needs. Rejects if storage fails. */
async function accountsAnswer(accounts: AccountStore): Promise<boolean> {
  await accounts.getAccount('acc_');
  return true;
}

/** Whether the data folder answers, and the adapter that accounts are kept in, if there is one. Rejects if the adapter fails. */
async function storesAnswer(folder: { readonly accounts: AccountStore; isResponding(): boolean }): Promise<boolean> {
  return folder.isResponding() && accountsAnswer(folder.accounts);
}

/** What the health checks of a service on a data folder look at. @param clock milliseconds since 1970 */
export function folderHealth(
  folder: Pick<DataFolder, 'accounts' | 'isResponding' | 'database' | 'settings'>,
  { clock, hasTimers }: { readonly clock: () => number; readonly hasTimers: boolean },
): HealthOptions {
  const { acme } = folder.settings;
  return {
    isHealthy: () => storesAnswer(folder),
    readiness: createReadiness(
      {
        accounts: () => accountsProbe(folder.accounts),
        storage: storageProbe(folder.database),
        space: spaceProbe(folder.settings.dataFolder),
        ...(hasTimers && { timers: timersProbe(folder.database, clock) }),
        ...(hasTimers && acme !== undefined && { authority: authorityProbe(folder.database, acme.directory) }),
      },
      clock,
    ),
  };
}

/** What the health checks of a host look at that stores nothing itself. @param clock milliseconds since 1970 */
export function adapterHealth(accounts: AccountStore, clock: () => number): HealthOptions {
  return { isHealthy: () => accountsAnswer(accounts), readiness: createReadiness({ accounts: () => accountsProbe(accounts) }, clock) };
}

async function accountsProbe(accounts: AccountStore): Promise<HealthCheck> {
  await accountsAnswer(accounts);
  return { name: 'accounts', state: 'ok' };
}
