// The name that a TLS connection of the edge is for. In TLS 1.3 every handshake has it. A resumed session of TLS 1.2 has not: OpenSSL asks
// no callback then, and Node has no `servername`. Its name is the one of the handshake that made the session (RFC 6066, section 3), so it is
// kept here, by the session's master secret, which is the same in all connections of a session and known to nobody else.

import { hash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { BoundedMap } from '../../core/bounded-map.ts';

/**
 * Sessions end after 300 s (Node's `sessionTimeout`), so this is enough for 333 full handshakes of TLS 1.2 a second; some 20 MB at most. The
 * connection of a session beyond that is closed, and its client makes a new session.
 */
export const KEPT_SESSIONS = 100_000;

export interface SessionNames {
  /**
   * Called once for each connection, after its handshake.
   *
   * @returns false if it is not known which name the session was made for: the connection is of no use
   */
  take(socket: TLSSocket): boolean;
  /** In lower case. Undefined if the handshake had none. */
  nameOf(socket: TLSSocket): string | undefined;
}

/** @param kept sessions of TLS 1.2 whose names are known, at least 1 */
export function createSessionNames(kept: number): SessionNames {
  const sessions = new BoundedMap<string, string>(kept);
  const names = new WeakMap<TLSSocket, string>();
  return {
    take: (socket) => {
      const own = socket.servername;
      const session = socket.getProtocol() === 'TLSv1.2' ? fingerprint(socket.getSession()) : undefined;
      // Node gives false where there is none, whatever its types say.
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
/** How a session begins, as OpenSSL writes it (i2d_SSL_SESSION): version, protocol, cipher suite, session id, master secret. */
const FIELDS = [INTEGER, INTEGER, OCTET_STRING, OCTET_STRING, OCTET_STRING];

/** A hash of the master secret. @returns undefined if there is none */
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

/** A value in DER (X.690, section 8.1). @returns undefined if another type is there */
function valueAt(bytes: Buffer, at: number, type: number): { readonly start: number; readonly end: number } | undefined {
  const [found, first = 0] = bytes.subarray(at, at + 2);
  if (found !== type) return undefined;
  const more = first < 0x80 ? 0 : first - 0x80;
  if (more > 4) return undefined;
  const start = at + 2 + more;
  const end = start + (more === 0 ? first : bytes.readUIntBE(at + 2, more));
  return end <= bytes.length ? { start, end } : undefined;
}
