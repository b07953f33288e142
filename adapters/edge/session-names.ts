// The server name for a TLS connection to the edge. In TLS 1.3, every handshake carries the name. A resumed TLS 1.2 session does not: OpenSSL skips
// the SNI callback, and Node's `servername` is empty. The name is then that of the handshake that created the session (RFC 6066, section 3). It is
// stored here under the session's master secret, which all of a session's connections share and no one else knows.

import { hash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { BoundedMap } from '../../core/bounded-map.ts';

/**
 * Sessions expire after 300 s (Node's `sessionTimeout`), so this is enough for 333 full TLS 1.2 handshakes a second, and uses some 20 MB at most.
 * If a session's name is no longer stored, its connection is closed and the client starts a new session.
 */
export const KEPT_SESSIONS = 100_000;

export interface SessionNames {
  /**
   * Registers a connection; called once for each connection, after its handshake.
   *
   * @returns false if the session's name is unknown: the connection can't be used
   */
  register(socket: TLSSocket): boolean;
  /** The server name in lower case; undefined if the connection is not registered. */
  nameOf(socket: TLSSocket): string | undefined;
}

/**
 * Creates the store of session names.
 *
 * @param kept number of TLS 1.2 sessions whose names are remembered, at least 1
 */
export function createSessionNames(kept: number): SessionNames {
  const sessions = new BoundedMap<string, string>(kept);
  const names = new WeakMap<TLSSocket, string>();
  return {
    register: (socket) => {
      const own = socket.servername;
      const session = socket.getProtocol() === 'TLSv1.2' ? fingerprint(socket.getSession()) : undefined;
      // Despite its type, Node's value is false if there is no name.
      const name = own ? own.toLowerCase() : sessions.get(session ?? '');
      if (name === undefined) return false;
      names.set(socket, name);
      if (session !== undefined && !socket.isSessionReused()) sessions.set(session, name);
      return true;
    },
    nameOf: (socket) => names.get(socket),
  };
}

const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const SEQUENCE = 0x30;
/** The first fields of an encoded session in OpenSSL (i2d_SSL_SESSION): version, protocol, cipher suite, session id, master secret. */
const FIELDS = [INTEGER, INTEGER, OCTET_STRING, OCTET_STRING, OCTET_STRING];

/** Returns a hash of the master secret; undefined if there is none. */
function fingerprint(session: Buffer | undefined): string | undefined {
  if (session === undefined) return undefined;
  let value = valueAt(session, 0, SEQUENCE);
  let next = value?.start;
  for (const type of FIELDS) {
    value = next === undefined ? undefined : valueAt(session, next, type);
    next = value?.end;
  }
  return value === undefined || value.start === value.end ? undefined : hash('sha256', session.subarray(value.start, value.end), 'base64');
}

/** Returns the bounds of a DER value (X.690, section 8.1); undefined if the type differs. */
function valueAt(bytes: Buffer, at: number, type: number): { readonly start: number; readonly end: number } | undefined {
  const [found, first = 0] = bytes.subarray(at, at + 2);
  if (found !== type) return undefined;
  const more = first < 0x80 ? 0 : first - 0x80;
  if (more > 4) return undefined;
  const start = at + 2 + more;
  const end = start + (more === 0 ? first : bytes.readUIntBE(at + 2, more));
  return end <= bytes.length ? { start, end } : undefined;
}
