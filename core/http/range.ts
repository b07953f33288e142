// Byte ranges (RFC 9110, section 14).

/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a request for a single range. A request for several gets the whole file, as the RFC permits (section 14.2), and so does an invalid one.
 *
 * @param headers of the request; names in lower case
 * @param etag of the file, which If-Range must name
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
