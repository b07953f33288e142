// The certificates that handshakes present, kept ready in memory.

import { hash, X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { CertificateVault } from '../../core/domains/certificate-ports.ts';
import type { ServedMap } from '../../core/domains/served.ts';
import type { OwnAddresses } from './own-addresses.ts';

/** Mozilla's "intermediate" list (Server Side TLS 5.7), without the suites that lack elliptic-curve forward secrecy. */
export const CIPHERS = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/** Maximum number of certificates in memory, about 30 KB each. Others are loaded when needed, which takes a tenth of a handshake's time. */
const READY_CERTIFICATES = 10_000;

export interface CertificateContextOptions {
  readonly map: Pick<ServedMap, 'get'>;
  readonly own: Pick<OwnAddresses, 'certificateFor'> | undefined;
  readonly vault: Pick<CertificateVault, 'get'>;
  /** A name whose certificate comes from `own`, even if the map contains the name. */
  readonly platformHost: string | undefined;
}

/** Creates a function that returns a lower-case name's context; undefined if there is none. It rejects with StoreFault. */
export function createCertificateContexts({
  map,
  own,
  vault,
  platformHost,
}: CertificateContextOptions): (servername: string) => Promise<SecureContext | undefined> {
  const ready = new BoundedMap<string, SecureContext>(READY_CERTIFICATES);

  return async (servername) => {
    const domain = servername === platformHost ? undefined : await map.get(servername);
    const reference = domain?.certificate ?? (await own?.certificateFor(servername));
    if (reference === undefined) return undefined;
    const known = ready.get(reference);
    if (known !== undefined) return known;
    const certificate = await vault.get(reference);
    if (certificate === undefined) return undefined;
    const context = createSecureContext({
      cert: certificate.chain,
      key: certificate.privateKey,
      minVersion: 'TLSv1.2',
      // Not needed for handshakes, but takes less memory than the default list.
      ciphers: CIPHERS,
      // Visitors present no certificates, so the public roots that are loaded by default would be useless.
      ca: [],
    });
    ready.set(reference, context);
    return context;
  };
}

// The server name of a connection. A resumed TLS 1.2 session carries none: OpenSSL skips the SNI callback, and Node's `servername` is empty. Its name
// is that of the session's first handshake (RFC 6066, section 3), stored here under the session's master secret, which no one else knows.

/** Sessions expire after 300 s, so this is enough for 333 full TLS 1.2 handshakes a second, in 20 MB. Beyond that, clients start a new session. */
export const KEPT_SESSIONS = 100_000;

export interface SessionNames {
  /** Registers a connection once, after its handshake. @returns false if its session's name is unknown; the connection can't be used then */
  register(socket: TLSSocket): boolean;
  /** Returns the server name in lower case; undefined if the connection is not registered. */
  nameOf(socket: TLSSocket): string | undefined;
}

/** Creates the store of session names. @param kept number of TLS 1.2 sessions whose names are remembered, at least 1 */
export function createSessionNames(kept: number): SessionNames {
  const sessions = new BoundedMap<string, string>(kept);
  const names = new WeakMap<TLSSocket, string>();
  return {
    register: (socket) => {
      const own = socket.servername;
      const session = socket.getProtocol() === 'TLSv1.2' ? fingerprint(socket.getSession()) : undefined;
      // Despite its type, `servername` is false if there is no name.
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

const PROBE_TIMEOUT_MS = 3_000;

/** Whether a handshake for a name presents this certificate, and the certificate covers the name. Browsers need not trust it. @param chain PEM */
export function probe(
  at: { readonly host: string; readonly port: number } | { readonly socket: Duplex },
  servername: string,
  chain: string,
): Promise<boolean> {
  const { fingerprint256 } = new X509Certificate(chain);
  return new Promise((resolve) => {
    const socket = connect({ ...at, servername, rejectUnauthorized: false });
    const patience = setTimeout(() => end(false), PROBE_TIMEOUT_MS);
    const end = (serving: boolean) => {
      clearTimeout(patience);
      socket.destroy();
      resolve(serving);
    };
    socket.once('secureConnect', () => {
      const presented = socket.getPeerX509Certificate();
      end(presented?.checkHost(servername) !== undefined && presented.fingerprint256 === fingerprint256);
    });
    socket.once('error', () => end(false));
  });
}
