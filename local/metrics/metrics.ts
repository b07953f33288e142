// All that is counted while the service runs. Values that are read on demand are in platforms/embedded/metrics/.

import { createRegistry, type Registry } from '../../core/metrics/registry.ts';
import { countEdge, countRefusedConnections } from '../../platforms/embedded/metrics/edge-counts.ts';
import { FAMILIES } from '../../platforms/embedded/metrics/families.ts';
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
