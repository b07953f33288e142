// Content negotiation and conditional requests.

import fresh from 'fresh';
import Negotiator from 'negotiator';

export type ContentEncoding = 'br' | 'gzip';

/** In order of preference if a client accepts several encodings: the one with the smallest result first. */
const ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip'];

/** Chooses the response's encoding, never one with `q=0` (RFC 9110, section 12.5.3); undefined for no encoding. @param header Accept-Encoding */
export function contentEncoding(header: string | undefined): ContentEncoding | undefined {
  if (header === undefined) return undefined;
  const accepted = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...ENCODINGS, 'identity']);
  return accepted[0] === 'identity' ? undefined : ENCODINGS.find((encoding) => accepted.includes(encoding));
}

/**
 * Whether the client already has this content (RFC 9110, section 13.1.2). The request's Cache-Control is ignored, because fetch sends `no-cache` with
 * every condition that a page sets itself.
 *
 * @param header If-None-Match
 */
export function isFresh(header: string | undefined, etag: string): boolean {
  return header !== undefined && fresh({ 'if-none-match': header }, { etag });
}

/** Matches entity tags, weak ones included (RFC 9110, section 8.8.3). */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Matches the whole field, with the empty elements that recipients must accept (section 5.6.1). */
const ENTITY_TAGS = /^[ \t,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(?:,[ \t,]*|$))*$/;

/** Returns the tags in a list; none if the field is not a list of tags. */
function tagsIn(header: string): readonly string[] {
  return ENTITY_TAGS.test(header) ? (header.match(ENTITY_TAG) ?? []) : [];
}

/**
 * Whether If-Match is met (RFC 9110, section 13.1.1): `*` matches anything that exists; a list must contain the same strong validator.
 *
 * @param etag the strong validator of the current content; undefined if there is none
 */
export function isMatch(header: string, etag: string | undefined): boolean {
  return etag !== undefined && (header.trim() === '*' || tagsIn(header).includes(etag));
}

/**
 * Whether a change's If-None-Match is met (RFC 9110, section 13.1.2): `*` requires that nothing exists; a list must lack the current validator.
 *
 * @param etag as for isMatch
 */
export function isNoneMatch(header: string, etag: string | undefined): boolean {
  return etag === undefined || (header.trim() !== '*' && !tagsIn(header).some((each) => each.replace(/^W\//, '') === etag));
}

// Byte ranges (RFC 9110, section 14).

/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a request for a single range. A request for several ranges, or an invalid one, gets the whole file, as the RFC permits (section 14.2).
 *
 * @param headers with names in lower case
 * @param etag the file's entity tag, which If-Range must match
 * @param bytes size of the file
 * @returns undefined for the whole file
 */
export function requestedRange(
  headers: { readonly range?: string | undefined; readonly 'if-range'?: string | undefined },
  etag: string,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== etag) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return start > end || start >= bytes ? 'unsatisfiable' : { start, end };
}
