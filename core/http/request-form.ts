// HTTP requirements (RFC 9112) that Node's parser does not check.

/**
 * Checks a request's version and headers.
 *
 * @param version such as `1.1`; `0.9` if the request line has none
 * @param rawHeaders alternating names and values, as received
 * @returns an error message; undefined if all are valid
 */
export function requestProblem(version: string, rawHeaders: readonly string[]): string | undefined {
  if (version !== '1.1' && version !== '1.0') return `HTTP version: got ${version}; allowed: 1.1 and 1.0`;
  let hosts = 0;
  let credentials = 0;
  let coding: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials += 1;
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding')
      coding = coding === undefined ? rawHeaders[at + 1] : `${coding}, ${rawHeaders[at + 1]}`;
  }
  // Section 3.2: if there were two Host headers, two recipients could each use a different one.
  if (hosts > 1) return `header Host: got ${hosts} of them; allowed: one`;
  if (hosts === 0 && version === '1.1') return 'header Host: missing; HTTP/1.1 requires it';
  // A proxy in front of the service might check one header, and the service might check the other.
  if (credentials > 1) return `header Authorization: got ${credentials} of them; allowed: one`;
  // Section 6.1: the body is not decoded here, and an encoded body would be mistaken for its content.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return `header Transfer-Encoding: got ${JSON.stringify(coding.slice(0, 60))}; allowed: chunked`;
  // HTTP/1.0 does not define this header, so the framing is invalid.
  if (coding !== undefined && version === '1.0') return 'header Transfer-Encoding: not allowed in HTTP/1.0';
  return undefined;
}

/** Returns a request target's path and query, with a leading slash; undefined if not in origin-form or absolute-form (RFC 9112, section 3.2). */
export function pathAndQuery(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return undefined;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

// Normalization of equivalent paths.

/** Percent-encoded unreserved characters (RFC 3986, section 2.3) are equivalent to the characters themselves (section 6.2.2.2). */
const UNRESERVED = /%(?:2[dDeE]|3\d|4[1-9a-fA-F]|5[\daAfF]|6[1-9a-fA-F]|7[\daAeE])/g;

/** Normalizes a request target's path: without a trailing slash, and with unreserved characters decoded. */
export function normalPath(path: string): string {
  const plain = path.includes('%') ? path.replaceAll(UNRESERVED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))) : path;
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}
