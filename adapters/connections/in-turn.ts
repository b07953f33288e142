// Serves the requests of a connection one after another. Node hands over all that arrive in a chunk at once (pipelining, RFC 9112,
// section 9.3.2) and puts only their answers in turn: a client could have thousands worked on without reading one.

import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Hardly any client pipelines, and those that do send a few. */
const MAX_WAITING = 64;
const WRITE_TIMEOUT_MS = 30_000;

/**
 * Registers the listener of a server's requests. While one of a connection is answered, others wait unread, and nothing more is read of
 * the connection; one with more than 64 that wait is closed.
 *
 * @param writeTimeoutMs how long a client may take nothing of what is sent to it, in milliseconds; what is in work may take longer. @default 30,000
 */
export function serveInTurn(server: Server, serve: Serve, writeTimeoutMs: number = WRITE_TIMEOUT_MS): void {
  const waiting = new WeakMap<Socket, number>();

  function wait(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    // The rest of a chunk comes even so.
    if (socket.destroyed) return;
    const before = waiting.get(socket);
    // Also the end of a request that nobody reads resumes the socket.
    if (before === undefined) socket.on('resume', () => (waiting.get(socket) ?? 0) > 0 && socket.pause());
    if (before === MAX_WAITING) {
      socket.destroy();
      return;
    }
    waiting.set(socket, (before ?? 0) + 1);
    socket.pause();
    // What waits is no part of the work of the request before it.
    const begin = AsyncResource.bind(() => serve(request, response));
    // Node gives a response its socket when all before it are sent.
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === 0) socket.resume();
      // The event is in the middle of Node's own steps.
      process.nextTick(begin);
    });
  }

  const onRequest: Serve = (request, response) => {
    response.on('timeout', endUnread);
    if (response.socket === null) wait(request.socket, request, response);
    else serve(request, response);
  };

  server.timeout = writeTimeoutMs;
  server.on('request', onRequest);
  // An expectation other than 100-continue needs no answer of its own.
  server.on('checkExpectation', onRequest);
}

/** Nothing has come or gone for a while: is that because the client takes nothing, or because there is nothing to send yet? */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
