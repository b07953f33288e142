// The pages beside the API: the reference (Scalar, from its package, nothing from the network) and the health check.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Page } from './host.ts';

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

/** @param isHealthy does storage answer? */
export function createPages(isHealthy: () => Promise<boolean>): ReadonlyMap<string, Page> {
  const reference = staticFile(Buffer.from(REFERENCE), 'text/html; charset=utf-8', { 'content-security-policy': CSP });
  const scalar = staticFile(readFileSync(SCALAR_FILE), 'text/javascript; charset=utf-8');
  const start = staticFile(Buffer.from(START), 'text/javascript; charset=utf-8');
  return new Map<string, Page>([
    ['/', (_request, response) => send(response, 302, { location: '/docs' })],
    ['/docs', (request, response) => sendFile(request, response, reference)],
    [SCRIPT_PATH, (request, response) => sendFile(request, response, scalar)],
    // Browsers ask for it unasked; without an answer of its own it would count as a request without a key.
    ['/favicon.ico', (_request, response) => send(response, 204, { 'cache-control': 'max-age=86400' })],
    ['/docs/start.js', (request, response) => sendFile(request, response, start)],
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

interface StaticFile {
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

function staticFile(content: Buffer, contentType: string, headers: Record<string, string> = {}): StaticFile {
  const common = {
    'content-type': contentType,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    etag: `"${hash('sha256', content, 'base64url').slice(0, 27)}"`,
  };
  return { content, headers: { ...common, ...headers } };
}

function sendFile(request: IncomingMessage, response: ServerResponse, { content, headers }: StaticFile): void {
  if (request.headers['if-none-match'] === headers.etag) send(response, 304, headers);
  else send(response, 200, headers, content);
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, content: string | Buffer = ''): void {
  response.writeHead(status, status === 304 || status === 204 ? headers : { ...headers, 'content-length': Buffer.byteLength(content) });
  response.end(content);
}
