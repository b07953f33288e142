// The listener for Prometheus, on a separate address because metrics are for the operator.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHostCheck } from '../../core/http/host-names.ts';
import { requestProblem } from '../../core/http/request-form.ts';
import { CONTENT_TYPES, exposition, formatFor } from '../../core/metrics/exposition.ts';
import { createCollection, type Part } from '../../platforms/embedded/metrics/families.ts';
import { countCollections, processPart, startLagPart } from '../../platforms/embedded/metrics/process.ts';
import type { Settings } from '../../platforms/embedded/settings.ts';
import { foreignHostMessage } from '../refuse.ts';
import type { Metrics } from './metrics.ts';

const PATH = '/metrics';
/** Maximum number of connections: more than anyone's scrapers need. */
const MOST_CONNECTIONS = 32;
/** Time limits in milliseconds: for a request, and for a scraper that reads nothing. */
const REQUEST_TIMEOUT_MS = 5_000;
const WRITE_TIMEOUT_MS = 10_000;

export interface MetricsServerOptions {
  readonly metrics: Metrics | undefined;
  readonly settings: Pick<Settings, 'metrics'>;
  /** The parts other than the process's own. */
  readonly parts: readonly Part[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onFault: (error: unknown) => void;
}

export interface MetricsServer {
  /** With the path. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the listener if its setting is present. Rejects with a message for operators if it can't listen. */
export async function startMetrics({ metrics, settings, parts, clock, onFault }: MetricsServerOptions): Promise<MetricsServer | undefined> {
  if (metrics === undefined || settings.metrics === undefined) return undefined;
  const { host, port } = settings.metrics;
  const { registry } = metrics;
  const lag = startLagPart();
  const endCollections = countCollections(registry);
  const collect = createCollection(registry, [processPart(), lag.part, ...parts], clock);

  let hostVerdict: ReturnType<typeof createHostCheck> = () => 'refused';
  let origin = '';

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers: asked, socket, httpVersion, rawHeaders } = request;
    const isForeign = () => hostVerdict(asked.host ?? '', socket.localAddress ?? '', 'client') === 'refused';
    const problem = requestProblem(httpVersion, rawHeaders) ?? (isForeign() ? foreignHostMessage(asked.host, origin) : undefined);
    if (problem !== undefined) return send(response, 400, `${problem}\n`, { connection: 'close' });
    if (url.split('?')[0] !== PATH) return send(response, 404, `not here; metrics are at ${PATH}\n`);
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'method not allowed; allowed: GET, HEAD\n', { allow: 'GET, HEAD' });
    await collect();
    const format = formatFor(asked.accept);
    send(response, 200, exposition(registry.values(), format), { 'content-type': CONTENT_TYPES[format], vary: 'Accept' });
  }

  const server = createServer({ requireHostHeader: false }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy();
      onFault(error);
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.timeout = WRITE_TIMEOUT_MS;
  const stop = () =>
    new Promise<void>((resolve) => {
      lag.stop();
      endCollections();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  }).catch(async (error: NodeJS.ErrnoException) => {
    await stop();
    throw new Error(`PETSTORE_METRICS_PORT, PETSTORE_METRICS_HOST: can't listen on ${host}, port ${port}: ${error.message}; choose others`);
  });
  const bound = server.address() as AddressInfo;
  origin = `http://${bound.address.includes(':') ? `[${bound.address}]` : bound.address}:${bound.port}`;
  hostVerdict = createHostCheck({ host, address: bound.address, port: bound.port }, undefined);
  return { url: origin + PATH, stop };
}

function send(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
