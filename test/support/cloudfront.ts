// What CloudFront does with a request to the edge's distribution, by its Developer Guide: the function in front of the cache, the cache, the two
// origins of the origin group, compression and added headers. infra/test checks that the templates configure it like this.

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { FAILOVER_CODES } from '../../adapters/edge/failover.ts';
import { sourceOf } from './edge-function-cases.ts';
import { type Runtime, runEdgeFunction } from './edge-runtimes.ts';
import type { OriginRequest, OriginResponse } from './s3-objects.ts';

/** "Request and response behavior for Amazon S3 origins": maximum length of a URL, in bytes. */
const MAX_URL = 8_192;
/** "Serve compressed files": sizes in bytes, status codes, and those content types that the tests use. */
const COMPRESSED = { least: 1_000, most: 10_000_000, codes: [200, 403, 404], types: ['text/html', 'text/css', 'text/plain', 'image/svg+xml'] };
/** "HTTP 4xx and 5xx status codes that CloudFront always caches". */
const CACHED_ERRORS = [404, 414, 500, 501, 502, 503, 504];
/** "Control how long CloudFront caches errors": these are not cached if the response forbids it. */
const UNLESS_FORBIDDEN = [404, 410, 414, 501];

export interface ViewerRequest {
  readonly method: string;
  readonly host: string;
  /** Without query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CloudFrontOptions {
  readonly runtime: Runtime;
  /** The contents of the KeyValueStore. */
  readonly map: () => Readonly<Record<string, string>>;
  readonly primary: (request: OriginRequest) => OriginResponse;
  readonly secondary: (request: OriginRequest) => Promise<OriginResponse>;
  /** In seconds. */
  readonly clock: () => number;
  /** Of status codes with a custom error response, in seconds. */
  readonly errorSeconds: number;
}

interface FunctionResult {
  readonly uri?: string;
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, { readonly value: string }>>;
  readonly body?: string;
}

/** Creates the distribution at one edge location. */
export function createCloudFront({ runtime, map, primary, secondary, clock, errorSeconds }: CloudFrontOptions) {
  const cache = new Map<string, { readonly response: OriginResponse; readonly until: number }>();

  return async ({ method, host, path, headers }: ViewerRequest): Promise<OriginResponse> => {
    if (host.length + path.length > MAX_URL) return { status: 413, headers: {}, body: Buffer.alloc(0) };
    const event = { request: { method, uri: path, querystring: {}, headers: { host: { value: host } } } };
    const [result] = (await runEdgeFunction(runtime, sourceOf('viewer-request.js'), [event], map())) as FunctionResult[];
    if (result?.statusCode !== undefined) {
      const own = Object.fromEntries(Object.entries(result.headers).map(([name, { value }]) => [name, value]));
      return { status: result.statusCode, headers: own, body: Buffer.from(method === 'HEAD' ? '' : (result.body ?? '')) };
    }
    const uri = result?.uri ?? '';
    // Ranges and conditions always reach the origin here; CloudFront can also answer them from its cache.
    const special = headers.range !== undefined || headers['if-none-match'] !== undefined;
    const encoding = method === 'GET' && !special ? acceptedEncoding(headers['accept-encoding']) : undefined;
    const key = `${method} ${uri} ${encoding}`;
    const cached = special ? undefined : cache.get(key);
    if (cached !== undefined && cached.until > clock()) return withPolicy(cached.response);
    const response = compressed(await fromOrigins({ method, path: uri, headers }), encoding);
    const seconds = lifetime(response, errorSeconds);
    if (seconds > 0 && !special) cache.set(key, { response, until: clock() + seconds });
    return withPolicy(response);
  };

  /** "Request and response behavior for origin groups". */
  async function fromOrigins(request: OriginRequest): Promise<OriginResponse> {
    const response = primary(request);
    return FAILOVER_CODES.includes(response.status) ? secondary(request) : response;
  }
}

function acceptedEncoding(header = ''): 'br' | 'gzip' | undefined {
  return (['br', 'gzip'] as const).find((each) => header.split(/[,;]\s*/).includes(each));
}

function compressed({ status, headers, body }: OriginResponse, encoding: 'br' | 'gzip' | undefined): OriginResponse {
  const size = Number(headers['content-length']);
  const type = headers['content-type']?.split(';')[0] ?? '';
  const fits = size >= COMPRESSED.least && size <= COMPRESSED.most && COMPRESSED.types.includes(type) && COMPRESSED.codes.includes(status);
  if (encoding === undefined || !fits) return { status, headers, body };
  const { etag, 'content-length': _, ...others } = headers;
  // "ETag header conversion".
  const weak = etag === undefined ? {} : { etag: `W/${etag}` };
  const content = encoding === 'br' ? brotliCompressSync(body) : gzipSync(body);
  return { status, headers: { ...others, ...weak, 'content-encoding': encoding, vary: 'Accept-Encoding' }, body: content };
}

/** How long a response is kept, in seconds. */
function lifetime({ status, headers }: OriginResponse, errorSeconds: number): number {
  const directives = headers['cache-control'] ?? '';
  const shared = Number(/s-maxage=(\d+)/.exec(directives)?.[1] ?? 0);
  if (status < 400) return status === 200 ? shared : 0;
  if (!CACHED_ERRORS.includes(status) || (UNLESS_FORBIDDEN.includes(status) && directives.includes('no-store'))) return 0;
  return Math.max(shared, status >= 500 ? errorSeconds : 10);
}

/** The response headers policy. */
function withPolicy({ status, headers, body }: OriginResponse): OriginResponse {
  return { status, headers: { 'strict-transport-security': 'max-age=31536000', ...headers, 'x-content-type-options': 'nosniff' }, body };
}
