// What a client can read, and what it has already.

import fresh from 'fresh';
import Negotiator from 'negotiator';

export type ContentEncoding = 'br' | 'gzip';

/** The smaller first, for clients that take both. */
const ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip'];

/**
 * The encoding to answer in (RFC 9110, section 12.5.3); an encoding with `q=0` is refused.
 *
 * @param header Accept-Encoding
 * @returns undefined: as it is
 */
export function contentEncoding(header: string | undefined): ContentEncoding | undefined {
  if (header === undefined) return undefined;
  const accepted = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...ENCODINGS, 'identity']);
  return accepted[0] === 'identity' ? undefined : ENCODINGS.find((encoding) => accepted.includes(encoding));
}

/**
 * Has the client this very content (RFC 9110, section 13.1.2)? Its Cache-Control is not looked at: fetch sends `no-cache` with every condition
 * that a page sets itself.
 *
 * @param header If-None-Match
 */
export function isFresh(header: string | undefined, etag: string): boolean {
  return header !== undefined && fresh({ 'if-none-match': header }, { etag });
}
