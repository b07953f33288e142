// All that is counted while the service runs. Values that are read on demand are in platforms/embedded/metrics/.

import type { Readiness } from '../../core/health.ts';
import { createRegistry, type Registry } from '../../core/metrics/registry.ts';
import type { DataFolder } from '../../platforms/embedded/folder.ts';
import { countEdge, countRefusedConnections } from '../../platforms/embedded/metrics/edge-counts.ts';
import { FAMILIES, type Part } from '../../platforms/embedded/metrics/families.ts';
import { backupPart, domainsPart, filesPart, ownExpiry, planRequestsPart, queuesPart } from '../../platforms/embedded/metrics/storage.ts';
import { platformHost } from '../../platforms/embedded/settings.ts';
import { VERSION } from '../../platforms/version.ts';
import type { RequestObserver } from '../../service/http/observe.ts';
import type { HostWatch } from '../watch.ts';
import { countRequests } from './request-counts.ts';

export interface Metrics {
  readonly registry: Registry;
  /** Counts the requests of an API; the same for each call with its name. */
  observerOf(api: string): RequestObserver;
  readonly edge: ReturnType<typeof countEdge>;
  /** Counts what is not an API's. */
  readonly pages: HostWatch;
}

/** The host itself, which refuses what is for no API. */
const LISTENER = 'listener';

/** Creates the counts, all zero. */
export function createMetrics(): Metrics {
  const registry = createRegistry();
  registry.cell(FAMILIES.build, VERSION, process.version).value = 1;
  const observers = new Map<string, RequestObserver>();
  const observerOf = (api: string) => {
    const observer = observers.get(api) ?? countRequests(registry, api);
    observers.set(api, observer);
    return observer;
  };
  return {
    registry,
    observerOf,
    edge: countEdge(registry),
    pages: {
      follow: (_request, response, _client, { api, operation }) => {
        const observer = observerOf(api);
        const began = observer.begun();
        response.once('close', () => observer.ended(began, operation, response.statusCode, undefined));
      },
      refused: (code) => {
        registry.cell(FAMILIES.refusals, LISTENER, code).value += 1;
      },
      connectionRefused: countRefusedConnections(registry, 'api'),
    },
  };
}

// What the metrics of a service with a data folder consist of.

const STATES = ['ok', 'warning', 'failed'] as const;

/** Whether the service is ready, as `/readyz` reports it. */
export function readinessPart(readiness: () => Promise<Readiness>): Part {
  return {
    name: 'readiness',
    families: [FAMILIES.ready, FAMILIES.checks],
    collect: async (registry) => {
      const { isReady, checks } = await readiness();
      registry.cell(FAMILIES.ready).value = isReady ? 1 : 0;
      for (const { name, state } of checks) for (const each of STATES) registry.cell(FAMILIES.checks, name, each).value = each === state ? 1 : 0;
    },
  };
}

/** What a data folder reports about its files. If an adapter stores the installation, there is nothing to back up. */
export function folderParts({ settings: { dataFolder }, isShared }: Pick<DataFolder, 'settings' | 'isShared'>): readonly Part[] {
  return [filesPart(dataFolder), ...(isShared ? [] : [backupPart(dataFolder)])];
}

/** What the installation reports about domains and about work that is due. @param clock milliseconds since 1970 */
export function workParts(folder: Pick<DataFolder, 'state' | 'ownAddresses' | 'certificates' | 'settings'>, clock: () => number): readonly Part[] {
  const { state, settings } = folder;
  return [domainsPart(state, () => ownExpiry(folder, platformHost(settings)), clock), queuesPart(state, clock), planRequestsPart(state)];
}
