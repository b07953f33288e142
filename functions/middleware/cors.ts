// CORS: any page may call with its user's key, which the page has to send itself; cookies play no part. On AWS the HTTP API
// answers preflights from the same lists, without calling the function.

import type { ApiMiddleware } from '../api/call.ts';

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

export const ALLOWED_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const;
export const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match'];

/** How long a browser may keep a preflight's answer, in seconds: two hours, the most that Chromium accepts. */
export const MAX_AGE_SECONDS = 7_200;

const EXPOSED = EXPOSED_HEADERS.join(', ');
const ALLOWED = ALLOWED_HEADERS.join(', ');

export function cors(): ApiMiddleware {
  const allow: ApiMiddleware['after'] = ({ event, response }) => {
    if (event.headers.origin === undefined) return;
    response.headers['access-control-allow-origin'] = '*';
    const { route } = event.call;
    if (route.kind !== 'preflight') {
      response.headers['access-control-expose-headers'] = EXPOSED;
      return;
    }
    response.headers['access-control-allow-methods'] = route.allow;
    response.headers['access-control-allow-headers'] = ALLOWED;
    response.headers['access-control-max-age'] = String(MAX_AGE_SECONDS);
  };
  return { after: allow, onError: allow };
}
