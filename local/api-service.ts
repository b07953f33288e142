// The service without a dashboard or domains: `petstore start --only api`. With adapters, any number of such hosts can serve one catalogue.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Stores } from '../core/ports.ts';
import { describeProviders, openAdapters, type Providers } from '../platforms/embedded/configuration.ts';
import { openDataFolder } from '../platforms/embedded/folder.ts';
import { lockFolder } from '../platforms/embedded/folder-lock.ts';
import type { Part } from '../platforms/embedded/metrics/families.ts';
import type { Settings } from '../platforms/embedded/settings.ts';
import { startApi } from './api.ts';
import { type Sweep, startSweeps } from './background.ts';
import { openChanges, type ServiceChanges } from './changes.ts';
import { adapterHealth, folderHealth } from './health.ts';
import { openAccessLog } from './log.ts';
import { createMetrics, folderParts, readinessPart } from './metrics/metrics.ts';
import { startMetrics } from './metrics/serve-metrics.ts';
import type { HealthOptions } from './pages.ts';
import type { Service } from './service.ts';
import { folderWarnings } from './warnings.ts';

/** The ports that requests to the catalogue API use. An adapter for other ports, such as a mailer, is not opened. */
const CATALOGUE_PORTS = ['pets', 'accounts', 'usage', 'leases'] as const;

interface CatalogueStores {
  readonly stores: Pick<Stores, 'pets' | 'usage' | 'leases'>;
  readonly health: HealthOptions;
  /** The metrics about storage. */
  readonly parts: readonly Part[];
  /** Safe to run on several hosts at once. */
  readonly sweeps: readonly Sweep[];
  /** @default undefined: there is no data folder */
  readonly changes?: ServiceChanges;
  readonly close: () => void | Promise<void>;
  readonly dataFolder: string | undefined;
  readonly providers: Providers;
}

/** Starts the service. If it can't, rejects with a message for operators and leaves nothing running. */
export async function startApiService(settings: Settings, logger: Logger, onFault: (error: unknown) => void): Promise<Service> {
  const clock = Date.now;
  const { stores, health, parts, sweeps, changes, close, dataFolder, providers } = await openStores(settings, { clock, logger, onFault });
  const metrics = settings.metrics === undefined ? undefined : createMetrics();
  const accessLog = openAccessLog(settings, clock);
  try {
    const { host, finish } = await startApi({ stores, health, changes, settings, logger, clock, onFault, metrics, accessLog });
    const metricsServer = await startMetrics({ metrics, settings, parts: [readinessPart(health.readiness), ...parts], clock, onFault }).catch(
      async (error) => {
        await host.stop();
        throw error;
      },
    );
    await changes?.run(() => startSweeps(sweeps, clock, onFault));
    const stop = async () => {
      await metricsServer?.stop();
      await host.stop();
      await finish();
      accessLog?.flush();
      await close();
    };
    const warnings = dataFolder === undefined ? [] : folderWarnings(dataFolder);
    return {
      url: host.url,
      publicUrl: settings.publicUrl,
      dataFolder,
      edge: undefined,
      demo: undefined,
      adapters: describeProviders(providers),
      metrics: metricsServer?.url,
      warnings,
      stop,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the adapters' stores, or those in the data folder, which is not touched if adapters provide all stores. */
async function openStores(
  settings: Settings,
  { clock, logger, onFault }: { readonly clock: () => number; readonly logger: Logger; readonly onFault: (error: unknown) => void },
): Promise<CatalogueStores> {
  const adapters = await openAdapters(settings, clock, CATALOGUE_PORTS);
  const { pets, accounts, usage, leases } = adapters.ports;
  const { providers } = adapters;
  if (pets !== undefined && accounts !== undefined && usage !== undefined) {
    const stores = { pets, usage, ...(leases !== undefined && { leases }) };
    return { stores, health: adapterHealth(accounts, clock), parts: [], sweeps: [], close: adapters.close, dataFolder: undefined, providers };
  }
  const { dataFolder } = settings;
  let release = () => {};
  try {
    ({ release } = lockFolder(dataFolder, 'shared'));
    const folder = openDataFolder(settings, adapters);
    const changes = openChanges(folder, 'shared', logger, onFault);
    const close = async () => {
      await changes.close();
      await folder.close();
      release();
    };
    const health = folderHealth(folder, { clock, hasTimers: false, changes });
    return { stores: folder, health, parts: folderParts(folder), sweeps: [folder.removeExpired], changes, close, dataFolder, providers };
  } catch (error) {
    release();
    await adapters.close();
    throw error;
  }
}
