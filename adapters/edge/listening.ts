// Helpers for the edge's listeners: starting one, and probing one as a visitor would.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';

const PROBE_TIMEOUT_MS = 3_000;

/** Starts a server; rejects if it can't listen. @param descriptor a socket that is listening already, instead. @default none */
export async function listen(server: Server, port: number, host: string, descriptor?: number): Promise<void> {
  await once(server.listen(descriptor === undefined ? { port, host } : { fd: descriptor }), 'listening');
}

/**
 * Whether a handshake for this name presents this certificate, and the certificate is for the name. Does not check whether a browser would trust it.
 *
 * @param chain PEM, the certificate first
 */
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
