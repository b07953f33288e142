// Ends a connection in stages (RFC 9112, section 9.6): closed with data unread, TCP resets it, and a client that still sends may never see its answer.

import type { Duplex } from 'node:stream';

/** How long a client may go on sending, in milliseconds. */
const LINGER_MS = 2_000;

const lingering = new WeakSet<Duplex>();

/** Sends the last bytes of a connection. What the client still sends is read and dropped, for 2 s at most. Without effect after the first time. */
export function endLingering(socket: Duplex, bytes: string): void {
  if (lingering.has(socket)) return;
  lingering.add(socket);
  socket.end(bytes);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Whether the connection only waits for its client to end. */
export const isLingering = (socket: Duplex): boolean => lingering.has(socket);
