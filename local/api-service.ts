// The embedded service without a dashboard and domains: `petstore start --only api`. With adapters for the catalogue's stores, any number of such hosts
// serve one catalogue.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Stores } from '../core/stores.ts';
import { openAdapters } from '../platforms/embedded/configuration.ts';
import { openDataFolder } from '../platforms/embedded/folder.ts';
import type { Settings } from '../platforms/embedded/settings.ts';
import { startApi } from './api.ts';
import { accountsAnswer, storesAnswer } from './health.ts';
import type { Service } from './service.ts';

interface CatalogueStores {
  readonly stores: Pick<Stores, 'pets' | 'usage' | 'leases'>;
  readonly isHealthy: () => Promise<boolean>;
  readonly close: () => void | Promise<void>;
  readonly dataFolder: string | undefined;
}

/** Starts the service. If it can't, rejects with a message for operators and leaves nothing running. */
export async function startApiService(settings: Settings, logger: Logger, onFault: (error: unknown) => void): Promise<Service> {
  const clock = Date.now;
  const { stores, isHealthy, close, dataFolder } = await openStores(settings, clock);
  try {
    const { host, finish } = await startApi({ stores, isHealthy, settings, logger, clock, onFault });
    const stop = async () => {
      await host.stop();
      await finish();
      await close();
    };
    return { url: host.url, publicUrl: settings.publicUrl, dataFolder, edge: undefined, demo: undefined, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The adapters' stores, or those of the data folder, which is not touched if adapters provide all of them. */
async function openStores(settings: Settings, clock: () => number): Promise<CatalogueStores> {
  const adapters = await openAdapters(settings.configurationFile, clock);
  const { pets, accounts, usage, leases } = adapters.ports;
  if (pets !== undefined && accounts !== undefined && usage !== undefined) {
    const stores = { pets, usage, ...(leases !== undefined && { leases }) };
    return { stores, isHealthy: () => accountsAnswer(accounts), close: adapters.close, dataFolder: undefined };
  }
  try {
    const folder = openDataFolder(settings, adapters);
    return { stores: folder, isHealthy: () => storesAnswer(folder), close: folder.close, dataFolder: settings.dataFolder };
  } catch (error) {
    await adapters.close();
    throw error;
  }
}
