// The request that the judge parses.

import type { IncomingHttpHeaders } from 'node:http';

/** A request as it was sent. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The path, still encoded, and the query. A path may begin with two slashes, so it is not parsed as a URL. */
export function partsOf(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, query: new URLSearchParams() } : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
