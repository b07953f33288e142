// Counts requests for whoever watches the process. On AWS, metrics.ts records metrics instead.

import type { Exchange, Middleware } from './call.ts';
import type { AnyErrorCode } from './errors.ts';
import type { Operation } from './operation.ts';

/** Is called for each request, so it only counts. It must not throw. */
export interface RequestObserver {
  /** A request begins. @returns what `ended` gets back, such as the time */
  begun(): number;
  /**
   * A response is ready.
   *
   * @param began what `begun` has returned for the request
   * @param operation the operation's id, or the kind of route of a request without one
   * @param code of a refusal or a fault
   */
  ended(began: number, operation: string, status: number, code: AnyErrorCode | undefined): void;
}

/** Creates the middleware. It has to be the outermost, so that nothing fails after it has counted. */
export function observe<Op extends Operation, Caller>(observer: RequestObserver): Middleware<Op, Caller> {
  const end = ({ event: { call }, response }: Exchange<Op, Caller>) => {
    const { route } = call;
    observer.ended(call.began, route.kind === 'operation' ? route.operation.id : route.kind, response.statusCode, call.refusal?.code);
  };
  return { after: end, onError: end };
}
