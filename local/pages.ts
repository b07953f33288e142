// The pages alongside the API: the API reference (reference/dist) and the health check.

import type { ServerResponse } from 'node:http';
import { readReferenceFiles, START_PAGE } from '../platforms/built-files.ts';
import type { Page } from './host.ts';
import { sendStatic, staticFile } from './static-file.ts';

/** Allows only resources from this host, and nothing inline. */
const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The pages by path. @param isHealthy whether storage answers */
export function createPages(isHealthy: () => Promise<boolean>): ReadonlyMap<string, Page> {
  return new Map<string, Page>([
    ['/', (_request, response) => send(response, 302, { location: '/docs' })],
    ...referencePages(),
    // Browsers request it unprompted; without an entry here, the request would count as one without a key.
    ['/favicon.ico', (_request, response) => send(response, 204, { 'cache-control': 'max-age=86400' })],
    [
      '/healthz',
      (_request, response) => {
        isHealthy().then(
          (healthy) =>
            send(
              response,
              healthy ? 200 : 503,
              { 'content-type': 'application/json', 'cache-control': 'no-store' },
              JSON.stringify({ status: healthy ? 'ok' : 'unavailable' }),
            ),
          () => send(response, 503, { 'content-type': 'application/json', 'cache-control': 'no-store' }, JSON.stringify({ status: 'unavailable' })),
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
  return files.map(({ name, content, contentType, cacheControl }) => {
    const file = staticFile(content, contentType, {
      'cache-control': cacheControl,
      'content-security-policy': REFERENCE_POLICY,
      'referrer-policy': 'no-referrer',
    });
    return [name === START_PAGE ? '/docs' : `/docs/${name}`, (request, response) => sendStatic(request, response, file)];
  });
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, content: string | Buffer = ''): void {
  response.writeHead(status, status === 304 || status === 204 ? headers : { ...headers, 'content-length': Buffer.byteLength(content) });
  response.end(content);
}
