// What a request to the edge is for.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathAndQuery, requestProblem } from '../../core/http/request-form.ts';
import { plain } from './site-response.ts';

/** Returns a request's path and query. An invalid request is answered here, and the result is undefined. */
export function targetOf({ httpVersion, rawHeaders, url = '' }: IncomingMessage, response: ServerResponse): string | undefined {
  const target = pathAndQuery(url);
  const problem =
    requestProblem(httpVersion, rawHeaders) ?? (target === undefined ? `request target: got ${JSON.stringify(url)}; allowed: a path` : undefined);
  if (problem === undefined) return target;
  plain(response, 400, problem, { connection: 'close' });
  return undefined;
}

/** Returns the host that a request is for, in lower case and without the port. */
export function hostOf({ headers }: IncomingMessage): string {
  return (headers.host ?? '').toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}
