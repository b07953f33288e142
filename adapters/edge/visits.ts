// Follows requests to the edge until they end, for the metrics and for those projects that have an access log.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type LogEntry, loggedPath, traceContext } from '../../core/http/trace-context.ts';
import type { ConnectionLimit } from '../../core/limits/connections.ts';

/** Writes a line of the access log. Must not throw. */
export type VisitLogger = (entry: LogEntry) => void;

/** A request that is being answered. */
export interface Visit {
  outcome: EdgeOutcome;
  /** The host and project for the visit's line in the access log. @default undefined: there is no line, because the project has no access log */
  logged: { readonly host: string; readonly projectId: string } | undefined;
}

export interface VisitOptions {
  readonly observer: EdgeObserver | undefined;
  readonly logVisit: VisitLogger | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates a function that follows a request from its beginning. Until its outcome is set, the request counts as invalid. */
export function followVisits({ observer, logVisit, clock }: VisitOptions): (request: IncomingMessage, response: ServerResponse) => Visit {
  return ({ socket, method, url = '', headers }, response) => {
    const visit: Visit = { outcome: 'invalid', logged: undefined };
    if (observer === undefined && logVisit === undefined) return visit;
    const counted = observer?.begun() ?? 0;
    const began = clock();
    // A connection has only one response at a time, and no address once it is closed.
    const before = socket.bytesWritten;
    const sourceIp = logVisit === undefined ? undefined : socket.remoteAddress;
    response.once('close', () => {
      const bytes = socket.bytesWritten - before;
      const { outcome, logged } = visit;
      observer?.ended(counted, outcome, response.statusCode, bytes);
      if (logged === undefined) return;
      const { traceId, spanId } = traceContext(headers.traceparent?.toString(), undefined, randomBytes);
      logVisit?.({
        traceId,
        spanId,
        sourceIp,
        ...logged,
        method,
        path: loggedPath(url),
        status: response.statusCode,
        durationMs: clock() - began,
        bytes,
        outcome,
      });
    });
    return visit;
  };
}

// What the edge reports about its work, for metrics, without host names and addresses.

/** `site`: a project's site, including its page for a missing file; `redirect`: to HTTPS or another name; `challenge`: a certificate authority's. */
export const EDGE_OUTCOMES = ['site', 'redirect', 'challenge', 'not_served', 'invalid', 'fault'] as const;
export type EdgeOutcome = (typeof EDGE_OUTCOMES)[number];

export const HANDSHAKE_FAILURES = ['unknown_host', 'timeout', 'disconnected', 'protocol', 'other'] as const;
export type HandshakeFailure = (typeof HANDSHAKE_FAILURES)[number];

/** Called for each request and handshake, so it must only count. It must not throw. */
export interface EdgeObserver {
  /** Called when a request begins. @returns a value to be passed to `ended`, such as the time */
  begun(): number;
  /** Called when a response or its connection has ended. @param began what `begun` returned @param bytes sent with headers, before encryption */
  ended(began: number, outcome: EdgeOutcome, status: number, bytes: number): void;
  /** Called when a handshake has been completed. @param protocol such as TLSv1.3 */
  handshake(protocol: string, isResumed: boolean): void;
  handshakeFailed(reason: HandshakeFailure): void;
  /** Called when a connection has been closed immediately, because the maximum number is open. */
  connectionRefused(limit: ConnectionLimit): void;
}

/** Ends a handshake for a host that is not served, because there is no certificate to present. */
export class UnknownHostError extends Error {
  override readonly name = 'UnknownHostError';
}

/** Returns why a handshake failed, according to the error that Node reports for it. */
export function handshakeFailureOf(error: NodeJS.ErrnoException): HandshakeFailure {
  if (error instanceof UnknownHostError) return 'unknown_host';
  switch (error.code) {
    case 'ERR_TLS_HANDSHAKE_TIMEOUT':
      return 'timeout';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'disconnected';
    default:
      return error.code?.startsWith('ERR_SSL_') ? 'protocol' : 'other';
  }
}

/** Reports a completed handshake. */
export function observeHandshake(observer: EdgeObserver, socket: TLSSocket): void {
  observer.handshake(socket.getProtocol() ?? 'unknown', socket.isSessionReused());
}
