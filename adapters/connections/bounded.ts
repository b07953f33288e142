// Limits a listener's connections. A connection beyond the limit is closed before anything is read from it.

import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { parseAddress } from '../../core/limits/address.ts';
import { type ConnectionLimit, type ConnectionLimits, createConnectionCount } from '../../core/limits/connections.ts';

/** Assumed where the system does not report a process's descriptor limit (Linux does). */
const ASSUMED_DESCRIPTORS = 4_096;

export interface ConnectionBounds {
  readonly limits: ConnectionLimits;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called when a limit is reached, at most once a minute. */
  readonly onLimit: (message: string) => void;
  /** Called for each connection that is closed because of a limit. @default not called */
  readonly onRefused?: ((limit: ConnectionLimit) => void) | undefined;
  /** Whether a peer is a proxy that carries the connections of many clients. @default no peer is */
  readonly isProxy?: (address: string) => boolean;
}

/** Limits the connections of these servers, counted together. */
export function boundConnections(servers: readonly Server[], { limits, clock, onLimit, onRefused, isProxy = () => false }: ConnectionBounds): void {
  const open = createConnectionCount(limits);
  for (const server of servers)
    server.on('connection', (socket: Socket) => {
      const address = parseAddress(socket.remoteAddress ?? '') ?? '';
      const opening = open(address, address !== '' && isProxy(address), clock());
      if (opening.kind === 'open') {
        socket.once('close', opening.close);
        return;
      }
      socket.destroy();
      onRefused?.(opening.limit);
      if (opening.report !== undefined) onLimit(opening.report);
    });
}

/** Returns how many descriptors (files and connections) this process may have open. */
export function descriptorLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? ASSUMED_DESCRIPTORS);
  } catch {
    return ASSUMED_DESCRIPTORS;
  }
}
