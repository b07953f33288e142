// What proxies say of the hops before them: X-Forwarded-For, and Forwarded of RFC 7239. Both lists grow at their right end, so both are read
// from there: what a client has put at the left, such as a quote that is never closed, can't hide what a proxy has added.

import { parseAddress } from '../limits/ip-address.ts';

/** One hop, as the proxy after it saw it. */
export interface Hop {
  /** As parseAddress gives it; undefined if the proxy named none: `unknown`, an obfuscated identifier, or nonsense. */
  readonly address: string | undefined;
  /** In lower case; undefined if not given. */
  readonly scheme: string | undefined;
}

/** The entries of X-Forwarded-For, the last first. Each is read when it is asked for: a client can send thousands. */
export function* parseForwardedFor(header: string): Generator<Hop> {
  for (const entry of header.split(',').reverse()) yield { address: parseNode(entry.trim()), scheme: undefined };
}

/** The elements of Forwarded (RFC 7239, section 4), the last first, each when it is asked for. */
export function* parseForwarded(header: string): Generator<Hop> {
  for (const element of splitFromRight(header, ',')) {
    const pairs = [...splitFromRight(element, ';')].map((pair) => pair.trim());
    const node = parameterOf(pairs, 'for');
    yield { address: node === undefined ? undefined : parseNode(node), scheme: parameterOf(pairs, 'proto')?.toLowerCase() };
  }
}

/** The value of a parameter; undefined if it is not there, or there twice, which RFC 7239 forbids. */
function parameterOf(pairs: readonly string[], name: string): string | undefined {
  const start = `${name}=`;
  const [value, another] = pairs.filter((pair) => pair.slice(0, start.length).toLowerCase() === start).map((pair) => pair.slice(start.length));
  if (value === undefined || another !== undefined) return undefined;
  const quoted = /^"(.*)"$/s.exec(value)?.[1];
  return quoted === undefined ? value : quoted.replace(/\\(.)/gs, '$1');
}

/** An address, alone or with a port (RFC 7239, section 6): `192.0.2.7:80`, `[2001:db8::1]:_port`. */
function parseNode(node: string): string | undefined {
  const [, ipv6, ipv4] = /^(?:\[([^[\]]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? [];
  // Brackets are for IPv6 alone.
  if (ipv6 !== undefined) return ipv6.includes(':') ? parseAddress(ipv6) : undefined;
  return parseAddress(ipv4 ?? node);
}

/** The parts between separators that are not within a quoted string (RFC 9110, section 5.6.4), the last first. */
function* splitFromRight(text: string, separator: string): Generator<string> {
  let quoted = false;
  let end = text.length;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === '"' && !isEscaped(text, at)) quoted = !quoted;
    if (quoted || text[at] !== separator) continue;
    yield text.slice(at + 1, end);
    end = at;
  }
  yield text.slice(0, end);
}

/** Is there an odd number of backslashes before this place? */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}
