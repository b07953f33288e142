// What HTTP itself asks of a request beyond what the parser of Node checks (RFC 9112).

/**
 * @param version such as `1.1`; `0.9` where the request line has none
 * @param rawHeaders names and values in turn, as they came
 * @returns what is wrong, for people; undefined if nothing is
 */
export function requestFormProblem(version: string, rawHeaders: readonly string[]): string | undefined {
  if (version !== '1.1' && version !== '1.0') return `HTTP version: got ${version}; allowed: 1.1 and 1.0`;
  let hosts = 0;
  let isChunked = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') isChunked = true;
  }
  // Section 3.2: two of them are for two readers, of whom each believes another.
  if (hosts > 1) return `header Host: got ${hosts} of them; allowed: one`;
  if (hosts === 0 && version === '1.1') return 'header Host: missing; HTTP/1.1 requires it';
  // Section 6.1: the framing is faulty, as HTTP/1.0 knows no such header.
  if (isChunked && version === '1.0') return 'header Transfer-Encoding: not allowed in HTTP/1.0';
  return undefined;
}

/**
 * @param target of the request line
 * @returns its path and query, with a leading slash; undefined unless it is in origin-form or in absolute-form (RFC 9112, section 3.2)
 */
export function pathAndQuery(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return undefined;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
