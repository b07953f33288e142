// Content negotiation and conditional requests.

import fresh from 'fresh';
import Negotiator from 'negotiator';

export type ContentEncoding = 'br' | 'gzip';

/** In order of preference for clients that accept several encodings: smallest result first. */
const ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip'];

/**
 * Chooses the response's encoding (RFC 9110, section 12.5.3); an encoding with `q=0` is never chosen.
 *
 * @param header Accept-Encoding
 * @returns undefined for no encoding
 */
export function contentEncoding(header: string | undefined): ContentEncoding | undefined {
  if (header === undefined) return undefined;
  const accepted = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...ENCODINGS, 'identity']);
  return accepted[0] === 'identity' ? undefined : ENCODINGS.find((encoding) => accepted.includes(encoding));
}

/**
 * Whether the client already has this content (RFC 9110, section 13.1.2). The request's Cache-Control is ignored: fetch sends `no-cache` with every
 * condition that a page sets itself.
 *
 * @param header If-None-Match
 */
export function isFresh(header: string | undefined, etag: string): boolean {
  return header !== undefined && fresh({ 'if-none-match': header }, { etag });
}
