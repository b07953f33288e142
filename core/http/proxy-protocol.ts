// The PROXY protocol: a proxy that passes a connection through, such as TLS that it does not decrypt, names the client in the first bytes
// (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt).

import { parseAddress } from '../limits/address.ts';

export interface ProxiedClient {
  /** Normalized by parseAddress. */
  readonly address: string;
  readonly port: number;
}

export type ProxyHeader =
  /** More bytes are needed. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** `client` is undefined if the connection is the proxy's own, such as a health check. */
  | { readonly kind: 'complete'; readonly bytes: number; readonly client: ProxiedClient | undefined };

const SIGNATURE = Uint8Array.of(0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a);
/** In version 2: the signature, the version and command, the family, and the length. */
const FIXED_BYTES = 16;
/** In version 1, including the end of the line (section 2.1). */
const MAX_LINE_BYTES = 107;
/** Enough for the extensions that proxies send; the protocol allows 64 KiB, but requires no more than 536 bytes. */
export const MAX_PROXY_HEADER_BYTES = 4_096;

const LOCAL = 0x20;
const PROXY = 0x21;
const TCP_IPV4 = 0x11;
const TCP_IPV6 = 0x21;

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' };

/** Reads the header at the beginning of a connection. @param bytes what has arrived so far */
export function parseProxyHeader(bytes: Uint8Array): ProxyHeader {
  const known = Math.min(bytes.length, SIGNATURE.length);
  if (SIGNATURE.subarray(0, known).every((byte, index) => byte === bytes[index])) return bytes.length < FIXED_BYTES ? INCOMPLETE : parseBinary(bytes);
  return parseLine(bytes);
}

/** Version 2. */
function parseBinary(bytes: Uint8Array): ProxyHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [command, family, length] = [view.getUint8(12), view.getUint8(13), view.getUint16(14)];
  const end = FIXED_BYTES + length;
  if (command !== LOCAL && command !== PROXY) return invalid('an unknown version or command');
  if (end > MAX_PROXY_HEADER_BYTES) return invalid(`more than ${MAX_PROXY_HEADER_BYTES} bytes`);
  if (bytes.length < end) return INCOMPLETE;
  if (command === LOCAL) return { kind: 'complete', bytes: end, client: undefined };
  const size = family === TCP_IPV4 ? 4 : family === TCP_IPV6 ? 16 : 0;
  // For other families, only the length is known, so the connection counts as the proxy's own.
  if (size === 0) return { kind: 'complete', bytes: end, client: undefined };
  if (length < 2 * size + 4) return invalid('truncated addresses');
  const source = bytes.subarray(FIXED_BYTES, FIXED_BYTES + size);
  const address = parseAddress(size === 4 ? source.join('.') : groupsOf(view, FIXED_BYTES));
  if (address === undefined) return invalid('no address');
  return { kind: 'complete', bytes: end, client: { address, port: view.getUint16(FIXED_BYTES + 2 * size) } };
}

function groupsOf(view: DataView, at: number): string {
  return Array.from({ length: 8 }, (_, index) => view.getUint16(at + 2 * index).toString(16)).join(':');
}

/** Version 1. */
function parseLine(bytes: Uint8Array): ProxyHeader {
  const text = String.fromCharCode(...bytes.subarray(0, MAX_LINE_BYTES));
  const end = text.indexOf('\r\n');
  if (end < 0) return bytes.length < MAX_LINE_BYTES && 'PROXY '.startsWith(text.slice(0, 6)) ? INCOMPLETE : invalid('no header');
  const [, family, source = '', port = ''] = /^PROXY (TCP4|TCP6|UNKNOWN)(?: (\S+) \S+ (\d{1,5}) \d{1,5})?(?: .*)?$/.exec(text.slice(0, end)) ?? [];
  if (family === undefined) return invalid('no header');
  if (family === 'UNKNOWN') return { kind: 'complete', bytes: end + 2, client: undefined };
  const address = parseAddress(source);
  if (address === undefined || Number(port) > 65_535) return invalid('no address');
  return { kind: 'complete', bytes: end + 2, client: { address, port: Number(port) } };
}

function invalid(reason: string): ProxyHeader {
  return { kind: 'invalid', reason };
}
