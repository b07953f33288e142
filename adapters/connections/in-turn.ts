// Processes a connection's requests one at a time. With pipelining (RFC 9112, section 9.3.2), Node starts all requests in a chunk at the
// same time and orders only the responses, so a client could have thousands processed without reading a single response.

import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Maximum number of requests that may wait on one connection. Few clients pipeline, and those that do send only a few. */
const MAX_WAITING = 64;
const WRITE_TIMEOUT_MS = 30_000;

/**
 * Registers the listener for a server's requests. While one is processed, its connection's others wait (at most 64) and nothing more is read.
 * @param writeTimeoutMs how long a client may leave available data unread, in milliseconds; preparing a response is not limited. @default 30,000
 */
export function serveInTurn(server: Server, serve: Serve, writeTimeoutMs: number = WRITE_TIMEOUT_MS): void {
  const waiting = new WeakMap<Socket, number>();

  function wait(socket: Socket, request: IncomingMessage, response: ServerResponse): void {
    // Node delivers the rest of a chunk even after the socket is closed.
    if (socket.destroyed) return;
    const before = waiting.get(socket);
    // Node also resumes the socket at the end of a request whose body was not read.
    if (before === undefined) socket.on('resume', () => (waiting.get(socket) ?? 0) > 0 && socket.pause());
    if (before === MAX_WAITING) {
      socket.destroy();
      return;
    }
    waiting.set(socket, (before ?? 0) + 1);
    socket.pause();
    // A waiting request must not run in the previous request's async context.
    const begin = AsyncResource.bind(() => serve(request, response));
    // Node assigns the socket to a response once all earlier responses have been sent.
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === 0) socket.resume();
      // Node emits the event before it has finished assigning the socket.
      process.nextTick(begin);
    });
  }

  const onRequest: Serve = (request, response) => {
    last.set(request.socket, response);
    response.on('timeout', endUnread);
    if (response.socket === null) wait(request.socket, request, response);
    else serve(request, response);
  };

  server.timeout = writeTimeoutMs;
  server.on('request', onRequest);
  // `100 Continue` is sent when the body is read, so that a refusal that does not depend on the body comes first (RFC 9110, section 10.1.1).
  server.on('checkContinue', onRequest);
  // A request with any other expectation is handled as if it had none.
  server.on('checkExpectation', onRequest);
}

/** Closes an inactive connection, but only if the client is not reading; otherwise, the response may simply not be ready yet. */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/** The response to the last request of each connection. */
const last = new WeakMap<Socket, ServerResponse>();
const refused = new WeakSet<Socket>();

/** How long a refused client may continue to send, in milliseconds. */
const LINGER_MS = 2_000;

/**
 * Refuses a request that Node could not parse or that did not arrive in time, and closes the connection. If a complete request came before it, only
 * that one is answered (RFC 9112, section 9.3.2). Whatever else the client sends is read, because TCP resets a connection that is closed with unread
 * data, perhaps before the client has the answer (section 9.6). @param answer returns the bytes to send; called only if nothing has been sent yet
 * @returns false if the request was refused before, or follows a request that is still being answered
 */
export function refuseUnread(socket: Socket, answer: () => string): boolean {
  if (refused.has(socket)) return false;
  refused.add(socket);
  const before = last.get(socket);
  if (before?.writableFinished === false && before.req.complete && socket.writable) {
    before.once('close', () => socket.destroySoon());
    return false;
  }
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return true;
  }
  socket.end(answer());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  return true;
}
