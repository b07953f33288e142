// Answers requests that S3 can't: with the project's `404.html`, or with a short text instead of S3's XML, which contains internal keys. CloudFront
// does not say what S3 answered, so the file is looked up again (docs/decisions/0014-serving-sites.md).

import { buffer } from 'node:stream/consumers';
import { requestedRange } from '../../core/http/negotiation.ts';
import { chooseFile } from '../../core/projects/choose-file.ts';
import type { SiteStore } from '../../core/projects/ports.ts';
import { contentTypeOf } from '../sites/content-type.ts';
import { NO_SUCH_PAGE, NO_SUCH_RANGE, UNAVAILABLE } from './site-response.ts';

/** S3's answers after which CloudFront calls this function: every error that an origin group can list (Developer Guide, "Create an origin group"). */
export const FAILOVER_CODES: readonly number[] = [400, 403, 404, 416, 500, 502, 503, 504];

/** In bytes. Lambda's responses are limited to 6 MB ("Lambda quotas"), and Base64 adds a third. */
const MAX_BYTES = 4_500_000;

const FILE_CACHE = 'public, max-age=0, s-maxage=31536000, must-revalidate';
/** One day. A new deployment has another path, so it appears at once; the limit matters only if this function has answered wrongly. */
const MISSING_CACHE = 'public, max-age=0, s-maxage=86400, must-revalidate';

/** A request to an origin: the function in front of the cache has put the project and the deployment before the path. */
export interface FailoverRequest {
  readonly method: string;
  /** Percent-encoded: `/<project>/<deployment>/<path>`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** A response in the form that Lambda's function URLs expect. */
export interface FailoverResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Creates the function that answers requests; it never rejects. @param onFault receives faults of the store, which are answered with 503 */
export function createFailover(sites: Pick<SiteStore, 'get'>, onFault: (error: unknown) => void) {
  return async (request: FailoverRequest): Promise<FailoverResponse> => {
    try {
      return await answer(sites, request);
    } catch (error) {
      onFault(error);
      return unavailable();
    }
  };
}

async function answer(sites: Pick<SiteStore, 'get'>, { method, path, headers }: FailoverRequest): Promise<FailoverResponse> {
  const [, projectId, id, rest] = /^\/([^/]+)\/([^/]+)(\/.*)$/.exec(path) ?? [];
  if (projectId === undefined || id === undefined || rest === undefined) return plain(404, NO_SUCH_PAGE);
  const chosen = await chooseFile(rest, sites, { projectId, id });
  if (chosen === undefined) return plain(404, NO_SUCH_PAGE, { 'cache-control': MISSING_CACHE });
  const { status, name, file } = chosen;
  if (status === 200 && requestedRange(headers, file.etag, file.bytes) === 'unsatisfiable')
    return plain(416, NO_SUCH_RANGE, { 'content-range': `bytes */${file.bytes}` });
  // The file is too large to be sent from here. CloudFront caches a 503 for only one second.
  if (file.bytes > MAX_BYTES) return status === 200 ? unavailable() : plain(404, NO_SUCH_PAGE, { 'cache-control': MISSING_CACHE });
  return {
    statusCode: status,
    headers: {
      'content-type': contentTypeOf(name),
      'cache-control': status === 200 ? FILE_CACHE : MISSING_CACHE,
      ...(status === 200 && { etag: file.etag }),
    },
    body: method === 'HEAD' ? '' : (await buffer(file.read())).toString('base64'),
    isBase64Encoded: true,
  };
}

function unavailable(): FailoverResponse {
  return plain(503, UNAVAILABLE, { 'retry-after': '1' });
}

function plain(statusCode: number, text: string, headers: Readonly<Record<string, string>> = {}): FailoverResponse {
  return {
    statusCode,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: `${text}\n`,
    isBase64Encoded: false,
  };
}
