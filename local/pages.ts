// The pages alongside the API: the API reference (reference/dist) and the health check.

import type { ServerResponse } from 'node:http';
import type { Readiness } from '../core/health.ts';
import { readReferenceFiles, START_PAGE } from '../platforms/built-files.ts';
import type { Page } from './host.ts';
import { sendStatic, staticFile } from './static-file.ts';

/** Allows only resources from this host, and nothing inline. */
const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface HealthOptions {
  /** Whether storage can be read. */
  readonly isHealthy: () => Promise<boolean>;
  /** Whether everything works that requests need, or will need soon. */
  readonly readiness: () => Promise<Readiness>;
}

/** The pages by path. */
export function createPages({ isHealthy, readiness }: HealthOptions): ReadonlyMap<string, Page> {
  return new Map<string, Page>([
    ['/', (_request, response) => send(response, 302, { location: '/docs' })],
    ...referencePages(),
    // Browsers request it unprompted; without an entry here, the request would count as one without a key.
    ['/favicon.ico', (_request, response) => send(response, 204, { 'cache-control': 'max-age=86400' })],
    // It says only that the process answers; restarting it would not repair anything else.
    ['/livez', (_request, response) => sendState(response, true, { status: 'ok' })],
    [
      '/readyz',
      (_request, response) => {
        readiness().then(
          ({ isReady, checks }) => sendState(response, isReady, { status: isReady ? 'ready' : 'not_ready', checks }),
          () => sendState(response, false, { status: 'not_ready', checks: [] }),
        );
      },
    ],
    // Not documented any more: load balancers are set up with it.
    [
      '/healthz',
      (_request, response) => {
        isHealthy().then(
          (healthy) => sendState(response, healthy, { status: healthy ? 'ok' : 'unavailable' }),
          () => sendState(response, false, { status: 'unavailable' }),
        );
      },
    ],
  ]);
}

function referencePages(): [path: string, page: Page][] {
  const files = readReferenceFiles();
  if (files === undefined) {
    return [
      ['/docs', (_request, response) => send(response, 503, { 'content-type': 'text/plain' }, 'The reference has not been built: npm run build\n')],
    ];
  }
  return files.map(({ name, content, compressed, contentType, cacheControl }) => {
    const headers = { 'cache-control': cacheControl, 'content-security-policy': REFERENCE_POLICY, 'referrer-policy': 'no-referrer' };
    const file = staticFile(content, contentType, headers, compressed);
    return [name === START_PAGE ? '/docs' : `/docs/${name}`, (request, response) => sendStatic(request, response, file)];
  });
}

function sendState(response: ServerResponse, isGood: boolean, state: object): void {
  send(response, isGood ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' }, JSON.stringify(state));
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, content: string | Buffer = ''): void {
  response.writeHead(status, status === 304 || status === 204 ? headers : { ...headers, 'content-length': Buffer.byteLength(content) });
  response.end(content);
}
