// Helpers for the edge's listeners: starting one, and probing one as a visitor would.

import type { Server } from 'node:http';
import { connect } from 'node:tls';

const PROBE_TIMEOUT_MS = 3_000;

/** Starts a server; rejects if it can't listen. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Whether a handshake for this name presents a certificate for the name. Does not check whether a browser would trust it. */
export function probe(host: string, port: number, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername, rejectUnauthorized: false, timeout: PROBE_TIMEOUT_MS });
    const end = (serving: boolean) => {
      socket.destroy();
      resolve(serving);
    };
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate()?.checkHost(servername) !== undefined));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
