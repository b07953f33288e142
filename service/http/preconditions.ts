// Conditions of requests that change something (RFC 9110, section 13.1), so that nobody overwrites what they have not seen.

import { isMatch, isNoneMatch } from '../../core/http/negotiation.ts';
import type { Refusal } from './errors.ts';
import { entityTag } from './reading.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Whether a request has a condition. */
export function isConditional(headers: Headers): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined;
}

/**
 * Returns the refusal of a request whose condition is not met.
 *
 * @param representation what a GET of the same path answers now; undefined for a path that has no GET
 */
export function preconditionRefusal(headers: Headers, representation: string | undefined): Refusal | undefined {
  const etag = representation === undefined ? undefined : entityTag(representation);
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined && !isMatch(match, etag)) return refusal('If-Match', match, etag);
  if (noneMatch !== undefined && !isNoneMatch(noneMatch, etag)) return refusal('If-None-Match', noneMatch, etag);
  return undefined;
}

function refusal(name: string, got: string, etag: string | undefined): Refusal {
  const there = etag === undefined ? 'this path has no GET, and so no ETag' : `the ETag is ${etag} now`;
  return { code: 'precondition_failed', message: `${name}: got ${got}, but ${there}; read it again, and repeat what you want to change` };
}
