// The request that the judge reads.

import type { IncomingHttpHeaders } from 'node:http';

/** A request as it was sent. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
