// A listener behind a proxy that passes connections through with the PROXY protocol. The header is read before anything else; from then on, the
// socket has the client's address.

import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import { MAX_PROXY_HEADER_BYTES, type ProxiedClient, parseProxyHeader } from '../../core/http/proxy-protocol.ts';
import { parseAddress } from '../../core/limits/address.ts';

export interface ProxiedOptions {
  /** Whether a peer is a trusted proxy. Connections from all others are closed. */
  readonly isProxy: (address: string) => boolean;
  /** Time limit for the header, in milliseconds. */
  readonly timeoutMs: number;
  /** Called with the reason why a connection was closed, at most once a minute. */
  readonly onRefused: (message: string) => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

const REPORT_MS = 60_000;

/** Makes a server expect the header. Call it after registering all other listeners. @returns a function that serves a connection without a header */
export function expectProxyHeader(server: Server, { isProxy, timeoutMs, onRefused, clock }: ProxiedOptions): (socket: Duplex) => void {
  const listeners = server.listeners('connection') as ((socket: Duplex) => void)[];
  const serve = (socket: Duplex) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.removeAllListeners('connection');
  /** Clients, by the proxy's address and port. */
  const clients = new Map<string, ProxiedClient>();
  let reportedAt = Number.NEGATIVE_INFINITY;

  function refuse(socket: Socket, reason: string): void {
    const { remoteAddress } = socket;
    socket.destroy();
    if (clock() - reportedAt < REPORT_MS) return;
    reportedAt = clock();
    onRefused(`PROXY protocol: a connection from ${remoteAddress} has ${reason}; closed`);
  }

  server.on('connection', (socket: Socket) => {
    // Until the connection is served, nothing else handles its errors.
    const ignore = () => {};
    socket.on('error', ignore);
    if (!isProxy(parseAddress(socket.remoteAddress ?? '') ?? '')) return refuse(socket, 'an address that is not in PETSTORE_TRUSTED_PROXIES');
    const timer = setTimeout(() => refuse(socket, `no header after ${timeoutMs} ms`), timeoutMs);
    socket.once('close', () => clearTimeout(timer));
    let received = Buffer.alloc(0);
    const onReadable = () => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read()) received = Buffer.concat([received, chunk]);
      const header = parseProxyHeader(received.subarray(0, MAX_PROXY_HEADER_BYTES));
      if (header.kind === 'incomplete') return;
      clearTimeout(timer);
      socket.off('readable', onReadable);
      if (header.kind === 'invalid') return refuse(socket, header.reason);
      socket.off('error', ignore);
      if (header.client !== undefined) remember(socket, header.client);
      const rest = received.subarray(header.bytes);
      if (rest.length > 0) socket.unshift(rest);
      serve(socket);
    };
    socket.on('readable', onReadable);
  });

  function remember(socket: Socket, client: ProxiedClient): void {
    const end = endOf(socket);
    clients.set(end, client);
    socket.once('close', () => clients.delete(end));
    rename(socket, client);
  }

  // A TLS socket asks the system for its peer, which is the proxy.
  if (server instanceof TlsServer)
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const client = clients.get(endOf(socket));
      if (client !== undefined) rename(socket, client);
    });
  return serve;
}

function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function rename(socket: Socket, { address, port }: ProxiedClient): void {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  for (const [name, value] of Object.entries({ remoteAddress: address, remotePort: port, remoteFamily: family }))
    Object.defineProperty(socket, name, { value });
}
