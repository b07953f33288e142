// The pages alongside the API: the API reference (reference/dist) and the health check.

import type { ServerResponse } from 'node:http';
import { dashboardPolicy, OPENER_POLICY } from '../core/dashboard-policy.ts';
import type { Readiness } from '../core/health.ts';
import { readDashboardFiles, readReferenceFiles, type ServedFile, START_PAGE } from '../platforms/built-files.ts';
import type { Page, PageSource } from './host.ts';
import { type StaticFile, sendStatic, staticFile } from './static-file.ts';

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
  /** Whether everything that requests need, now or soon, works. */
  readonly readiness: () => Promise<Readiness>;
}

/** Creates the pages, by path. */
export function createPages({ isHealthy, readiness }: HealthOptions): ReadonlyMap<string, Page> {
  return new Map<string, Page>([
    ['/', (_request, response) => send(response, 302, { location: '/docs' })],
    ...referencePages(),
    // Browsers request this icon on their own; without an entry here, the request would count as one without a key.
    ['/favicon.ico', (_request, response) => send(response, 204, { 'cache-control': 'max-age=86400' })],
    // This shows only that the process answers, because restarting it would not repair anything else.
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
    // No longer documented, but some load balancers still use it.
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

// The dashboard on the embedded host: the built files, and the start page for every URL within the dashboard.

const POLICY = dashboardPolicy();

/** Opens the built dashboard; undefined if it has not been built. @param client the dashboard's settings for signing in on this host */
export function openDashboard(client: object): PageSource | undefined {
  const built = readDashboardFiles(JSON.stringify(client));
  if (built === undefined) return undefined;
  const files = new Map(built.map((file) => [`/${file.name}`, servedFile(file)]));
  const start = files.get(`/${START_PAGE}`);
  return {
    pageFor: ({ headers }, path) => {
      const file = files.get(path);
      if (file !== undefined) return (request, response) => sendStatic(request, response, file);
      // URLs within the dashboard are pages only for browsers; other clients get a 404.
      const wantsPage = /\btext\/html\b/.test(headers.accept ?? '') && !/^\/(v1|docs|healthz|livez|readyz|oidc|dashboard|deploy)(\/|$)/.test(path);
      return wantsPage && start !== undefined ? (request, response) => sendStatic(request, response, start) : undefined;
    },
  };
}

function servedFile({ content, compressed, contentType, cacheControl }: ServedFile): StaticFile {
  const headers = {
    'cache-control': cacheControl,
    'content-security-policy': POLICY,
    [OPENER_POLICY.name]: OPENER_POLICY.value,
    'referrer-policy': 'no-referrer',
  };
  return staticFile(content, contentType, headers, compressed);
}
