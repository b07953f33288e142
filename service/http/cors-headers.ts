// Which cross-origin calls a browser may make, and which parts of the response a page may read (https://fetch.spec.whatwg.org/#http-cors-protocol).

import { addVary, type Middleware } from './call.ts';
import type { Refusal } from './errors.ts';
import type { Deprecation } from './router.ts';

export const ALLOWED_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const;

export const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Traceparent', 'Tracestate'];

export const EXPOSED_HEADERS = [
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

/** How long a browser may cache a preflight response, in seconds: two hours, the maximum in Chromium. */
export const PREFLIGHT_MAX_AGE_SECONDS = 7_200;

// CORS: a page from any origin may make calls with its user's key, which the page has to send explicitly; cookies are not used. On AWS, the HTTP
// API answers preflights from the same lists, without calling the function.

const EXPOSED = EXPOSED_HEADERS.join(', ');
const ALLOWED = ALLOWED_HEADERS.join(', ');

/** Creates the middleware that adds CORS headers to every response. */
export function cors(): Middleware {
  const allow: Middleware['after'] = ({ event, response }) => {
    // A cache must not serve one page's response to another page, or to a request without an origin.
    addVary(response.headers, 'Origin');
    if (event.headers.origin === undefined) return;
    response.headers['access-control-allow-origin'] = '*';
    const { route } = event.call;
    if (route.kind !== 'preflight') {
      response.headers['access-control-expose-headers'] = EXPOSED;
      return;
    }
    response.headers['access-control-allow-methods'] = route.allow;
    response.headers['access-control-allow-headers'] = ALLOWED;
    response.headers['access-control-max-age'] = String(PREFLIGHT_MAX_AGE_SECONDS);
  };
  return { after: allow, onError: allow };
}

// Headers for operations that will be removed: each response announces the removal, and requests are refused after the sunset.

/** Adds `Deprecation`, `Sunset` and `Link` headers. */
export function addDeprecationHeaders(headers: Record<string, string>, { since, sunset, successor }: Deprecation): void {
  headers.deprecation = `@${since / 1000}`;
  headers.sunset = new Date(sunset).toUTCString();
  headers.link = `<${successor}>; rel="successor-version"`;
}

/** @param now milliseconds since 1970 */
export function goneRefusal({ sunset, successor }: Deprecation, now: number): Refusal | undefined {
  if (now < sunset) return undefined;
  return { code: 'gone', message: `this operation was removed on ${new Date(sunset).toISOString().slice(0, 10)}; use GET ${successor}` };
}
