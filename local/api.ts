// The listener with the catalogue API, which every embedded service has.

import { randomInt } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Changes, Stores } from '../core/ports.ts';
import type { Settings } from '../platforms/embedded/settings.ts';
import { createCatalogue } from '../service/catalogue/create-catalogue.ts';
import type { HttpHandler } from '../service/http/pipeline.ts';
import { isSafe } from '../service/http/refuse-changes.ts';
import { createPendingWork } from './health.ts';
import { type Host, startHost } from './host.ts';
import { type AccessLog, logPages } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { createPages, type HealthOptions } from './pages.ts';
import { watchedBy } from './watch.ts';

export interface ApiOptions {
  readonly stores: Pick<Stores, 'pets' | 'usage' | 'leases'>;
  readonly health: HealthOptions;
  /** @default they are never stopped */
  readonly changes?: Changes | undefined;
  readonly settings: Pick<Settings, 'draftHeaders' | 'port' | 'host' | 'publicUrl' | 'trustedProxies' | 'sockets'>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called with faults in the service itself. */
  readonly onFault: (error: unknown) => void;
  /** @default nothing counts requests */
  readonly metrics?: Metrics | undefined;
  /** @default no requests are logged */
  readonly accessLog?: AccessLog | undefined;
}

export interface Api {
  readonly host: Host;
  /** Immediately runs work that is delayed by a few seconds. To be called when the host has stopped. */
  readonly finish: () => Promise<void>;
}

/** Starts listening. Rejects with a message for operators if the port is unavailable. */
export async function startApi({ stores, health, changes, settings, logger, clock, onFault, metrics, accessLog }: ApiOptions): Promise<Api> {
  const { draftHeaders, port, host: address, publicUrl, trustedProxies, sockets } = settings;
  const { later, finish } = createPendingWork();
  const catalogue = createCatalogue({
    stores,
    clock,
    random32: () => randomInt(2 ** 32),
    logger,
    later,
    draftHeaders,
    accessLogger: accessLog?.write ?? 'off',
    observer: metrics?.observerOf('catalogue'),
    areChangesStopped: changes?.isStopped,
  });
  const api: HttpHandler = (event, context) => {
    const answer = catalogue(event, context);
    return changes === undefined || isSafe(event.requestContext.http.method) ? answer : changes.follow(answer);
  };
  const pages = createPages(health);
  const watch = watchedBy([metrics?.pages, accessLog && logPages(accessLog, clock)]);
  const onLimit = (message: string) => logger.warn(`API: ${message}`);
  const listener = { port, host: address, descriptor: sockets.api, publicUrl, trustedProxies };
  const host = await startHost({ api, pages, clock, onFault, onLimit, watch, ...listener }).catch((error) => {
    throw new Error(listenProblem(error, settings));
  });
  return { host, finish };
}

function listenProblem(error: NodeJS.ErrnoException, { host, port }: Pick<Settings, 'host' | 'port'>): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `PETSTORE_PORT: ${port} is in use on ${host}; stop the process that uses it, or choose another port`;
    case 'EACCES':
      return `PETSTORE_PORT: no permission to listen on ${port}; choose a port from 1024 up`;
    default:
      return `PETSTORE_HOST: can't listen on ${host}: ${error.message}`;
  }
}
