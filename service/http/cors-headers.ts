// Which cross-origin calls a browser may make, and which parts of the response a page may read (https://fetch.spec.whatwg.org/#http-cors-protocol).

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
