// Follows requests to the edge to their end, for the metrics and for the access logs of the projects that have one.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LogEntry, loggedPath } from '../../core/http/log-line.ts';
import { traceContext } from '../../core/http/trace-context.ts';
import type { EdgeObserver, EdgeOutcome } from './observer.ts';

/** Writes a line of the access log. Must not throw. */
export type VisitLogger = (entry: LogEntry) => void;

/** A request that is being answered. */
export interface Visit {
  outcome: EdgeOutcome;
  /** What the line in the access log says about whom the visit is for. @default undefined: there is no line, because the project has not chosen it */
  logged: { readonly host: string; readonly projectId: string } | undefined;
}

export interface VisitOptions {
  readonly observer: EdgeObserver | undefined;
  readonly logVisit: VisitLogger | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates a function that follows a request from its beginning. Until its outcome is set, the request is invalid. */
export function followVisits({ observer, logVisit, clock }: VisitOptions): (request: IncomingMessage, response: ServerResponse) => Visit {
  return ({ socket, method, url = '', headers }, response) => {
    const visit: Visit = { outcome: 'invalid', logged: undefined };
    if (observer === undefined && logVisit === undefined) return visit;
    const counted = observer?.begun() ?? 0;
    const began = clock();
    // A connection has one response at a time, and no address once it is closed.
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
