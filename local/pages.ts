// The pages beside the API: the reference (Scalar, from its package, nothing from the network) and the health check.

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Page } from './host.ts';
import { sendStatic, staticFile } from './static-file.ts';

const SCRIPT_PATH = '/docs/scalar.js';

/** The package exports its modules alone; the script that stands by itself lies beside them. */
const SCALAR_FILE = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'));

const REFERENCE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Petstore catalogue API</title>
</head>
<body>
<div id="reference"></div>
<script src="${SCRIPT_PATH}"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `Scalar.createApiReference('#reference', {
  url: '/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  mcp: { disabled: true },
});
`;

/** Everything from this host; Scalar sets styles from script, which needs 'unsafe-inline' for styles alone. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const REVALIDATED = { 'cache-control': 'no-cache' };

/** @param isHealthy does storage answer? */
export function createPages(isHealthy: () => Promise<boolean>): ReadonlyMap<string, Page> {
  const reference = staticFile(Buffer.from(REFERENCE), 'text/html; charset=utf-8', { ...REVALIDATED, 'content-security-policy': CSP });
  const scalar = staticFile(readFileSync(SCALAR_FILE), 'text/javascript; charset=utf-8', REVALIDATED);
  const start = staticFile(Buffer.from(START), 'text/javascript; charset=utf-8', REVALIDATED);
  return new Map<string, Page>([
    ['/', (_request, response) => send(response, 302, { location: '/docs' })],
    ['/docs', (request, response) => sendStatic(request, response, reference)],
    [SCRIPT_PATH, (request, response) => sendStatic(request, response, scalar)],
    // Browsers ask for it unasked; without an answer of its own it would count as a request without a key.
    ['/favicon.ico', (_request, response) => send(response, 204, { 'cache-control': 'max-age=86400' })],
    ['/docs/start.js', (request, response) => sendStatic(request, response, start)],
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

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, content: string | Buffer = ''): void {
  response.writeHead(status, status === 304 || status === 204 ? headers : { ...headers, 'content-length': Buffer.byteLength(content) });
  response.end(content);
}
