// Response headers, as the OpenAPI documents of both APIs describe them.

export type Json = Record<string, unknown>;

export const HEADERS = {
  'X-RateLimit-Limit': {
    description: 'The limit in effect: the limit of the window with the fewest requests remaining.',
    schema: { type: 'integer', minimum: 1 },
    example: 300,
  },
  'X-RateLimit-Remaining': { description: 'Requests remaining in that window.', schema: { type: 'integer', minimum: 0 }, example: 297 },
  'X-RateLimit-Reset': {
    description: 'Unix timestamp, in seconds, at which that window resets.',
    schema: { type: 'integer', minimum: 0 },
    example: 1795260720,
  },
  'X-Request-Id': {
    description: "Id of the request, for support. It is also in the service's log.",
    schema: { type: 'string', minLength: 1 },
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
  },
  'Retry-After': { description: 'Whole seconds to wait before the next request.', schema: { type: 'integer', minimum: 1 }, example: 23 },
  RateLimit: {
    description: 'What remains of both windows (draft-ietf-httpapi-ratelimit-headers). Only if the service is configured to send it.',
    schema: { type: 'string' },
    example: '"minute";r=297;t=23, "day";r=9412;t=40823',
  },
  'RateLimit-Policy': {
    description: 'Both windows: quota and length in seconds. Only if the service is configured to send it.',
    schema: { type: 'string' },
    example: '"minute";q=300;w=60, "day";q=10000;w=86400',
  },
  Link: {
    description: 'URL of the next page (`rel="next"`), or of the successor of a deprecated operation (`rel="successor-version"`) (RFC 8288).',
    schema: { type: 'string' },
    example: '<https://pets.example.com/v1/pets?limit=2&cursor=EADd7UREsADgXaYT>; rel="next"',
  },
  ETag: {
    description: 'Validator of the body, for `If-None-Match`.',
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]{27}"$' },
    example: '"LXEWQrcmsEQBYnyp-6wy9chTD7G"',
  },
  Vary: { description: 'Request headers that the response depends on (RFC 9110).', schema: { type: 'string' }, example: 'Origin' },
  'Content-Encoding': {
    description: 'How the body is compressed. Only if `Accept-Encoding` allows it.',
    schema: { type: 'string', enum: ['br', 'gzip'] },
    example: 'br',
  },
  'Cache-Control': { description: 'Which caches may store the response.', schema: { type: 'string' } },
  Location: {
    description:
      'Path of the new animal. It belongs to `getPet`, which is deprecated and available until 5 December 2030. The body has everything that `getPet` returns.',
    schema: { type: 'string', pattern: '^/v1/pets/[1-9][0-9]{0,15}$' },
    example: '/v1/pets/244011122335744',
  },
  'Content-Location': {
    description: 'Path of what the body represents; `ETag` is its new version.',
    schema: { type: 'string' },
    example: '/dashboard/v1/projects/prj_4Hq0Zt8wY2',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key; otherwise absent.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Deprecation: {
    description: 'When the operation was deprecated: `@` and a Unix timestamp in seconds (RFC 9745).',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1764892800',
  },
  Sunset: { description: 'When the operation is removed (RFC 8594).', schema: { type: 'string' }, example: 'Thu, 05 Dec 2030 00:00:00 GMT' },
  Allow: { description: 'Methods that the path supports, separated by commas.', schema: { type: 'string' }, example: 'GET, HEAD, POST, OPTIONS' },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750), and what was wrong with the token.',
    schema: { type: 'string', pattern: '^Bearer' },
    example: 'Bearer error="invalid_token"',
  },
  'Access-Control-Allow-Origin': {
    description: 'Only on requests with `Origin`: a page from any origin may read the response.',
    schema: { type: 'string', enum: ['*'] },
    example: '*',
  },
  'Access-Control-Expose-Headers': {
    description: 'Only on requests with `Origin`: the headers that a page may read.',
    schema: { type: 'string' },
    example: 'ETag, Link, Retry-After',
  },
  'Strict-Transport-Security': { description: 'Only over HTTPS (RFC 6797).', schema: { type: 'string' }, example: 'max-age=31536000' },
  'X-Content-Type-Options': {
    description: 'The client must not guess another content type.',
    schema: { type: 'string', enum: ['nosniff'] },
    example: 'nosniff',
  },
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderName = keyof typeof HEADERS;

/** Returns references to headers that the document declares as components. */
export function headersOf(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The parts of the response for a status: its headers and, for each code, an example and a line of the description. */
export interface ErrorResponses<Code extends string> {
  readonly status: Readonly<Record<Code, number>>;
  readonly meaning: Readonly<Record<Code, string>>;
  readonly headers: (status: number, codes: readonly Code[]) => Json;
}

/** Returns error responses by status; codes with the same status share a response. */
export function errorResponses<Code extends string>(codes: readonly Code[], { status, meaning, headers }: ErrorResponses<Code>): Json {
  const byStatus = [...Map.groupBy(codes, (code) => status[code])].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    byStatus.map(([each, ofStatus]) => [
      each,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${meaning[code]}`).join('\n\n'),
        headers: headers(each, ofStatus),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(ofStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
}

/** Returns an example for each error, as a component. */
export function errorExamples<Code extends string>(
  messages: Readonly<Record<Code, string>>,
  status: Readonly<Record<Code, number>>,
  meaning: Readonly<Record<Code, string>>,
): Json {
  const codes = Object.keys(messages) as Code[];
  return Object.fromEntries(codes.map((code) => [code, { summary: meaning[code], value: { code, message: messages[code], status: status[code] } }]));
}
