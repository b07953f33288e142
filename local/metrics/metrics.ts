// Everything that is counted while the service runs. Values that are read on demand are in platforms/embedded/metrics/.

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
  /** Returns the counter of an API's requests; every call with the same name returns the same one. */
  observerOf(api: string): RequestObserver;
  readonly edge: ReturnType<typeof countEdge>;
  /** Counts requests that are not for an API. */
  readonly pages: HostWatch;
}

/** The name of the host itself, which refuses requests that are not for any API. */
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

const STATES = ['ok', 'warning', 'failed'] as const;

/** Creates the part that says whether the service is ready, as `/readyz` does. */
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

/** Creates the parts about a data folder's files. If an adapter stores the installation, there is nothing to back up. */
export function folderParts({ settings: { dataFolder }, isShared }: Pick<DataFolder, 'settings' | 'isShared'>): readonly Part[] {
  return [filesPart(dataFolder), ...(isShared ? [] : [backupPart(dataFolder)])];
}

/** Creates the parts about domains and work that is due. @param clock milliseconds since 1970 */
export function workParts(folder: Pick<DataFolder, 'state' | 'ownAddresses' | 'certificates' | 'settings'>, clock: () => number): readonly Part[] {
  const { state, settings } = folder;
  return [domainsPart(state, () => ownExpiry(folder, platformHost(settings)), clock), queuesPart(state, clock), planRequestsPart(state)];
}
