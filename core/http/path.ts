// Normalization of equivalent paths.

/** Percent-encoded unreserved characters (RFC 3986, section 2.3) are equivalent to the characters themselves (section 6.2.2.2). */
const UNRESERVED = /%(?:2[dDeE]|3\d|4[1-9a-fA-F]|5[\daAfF]|6[1-9a-fA-F]|7[\daAeE])/g;

/** Normalizes a request target's path: without a trailing slash, and with unreserved characters decoded. */
export function normalPath(path: string): string {
  const plain = path.includes('%') ? path.replaceAll(UNRESERVED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))) : path;
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}
