// The middleware of every API, around the function that handles its requests.

import { randomUUID } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { StoreFault } from '../../core/refusal.ts';
import { type Call, type Event, type IncomingEvent, type Middleware, type Response, refusalResponse } from './call.ts';
import { addDeprecationHeaders } from './cors-headers.ts';
import type { Refusal } from './errors.ts';
import { type AccessLogger, log, metrics, observe, type RequestObserver } from './observe.ts';
import type { Operation, Route } from './router.ts';

export interface PipelineOptions<Op extends Operation, Caller> {
  readonly findRoute: (event: APIGatewayProxyEventV2) => Route<Op>;
  /** Middleware that runs before the API's own and sees every response, such as CORS. @default none */
  readonly outer?: readonly Middleware<Op, Caller>[] | undefined;
  /** Middleware for authentication and limits. */
  readonly authenticate: Middleware<Op, Caller>;
  /** Middleware that is the first to see responses. @default none */
  readonly inner?: readonly Middleware[];
  /** Builds the response to a request, including refused ones. */
  readonly dispatch: (event: Event<Op, Caller>, context: Context) => Promise<Response> | Response;
  /** The message if storage does not answer. @default the request may have taken effect, and POSTs have an Idempotency-Key */
  readonly unavailable?: string | undefined;
  /** What the log and the metrics record about a caller. @default nothing */
  readonly describe?: ((caller: Caller) => Readonly<Record<string, string>>) | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly logger: Logger;
  /** Called with a line for each request; `off` for no lines. @default the logger, at level INFO */
  readonly accessLogger?: AccessLogger | 'off' | undefined;
  /** @default no metrics are recorded */
  readonly metrics?: Metrics | undefined;
  /** Counts requests in this process. @default requests are not counted */
  readonly observer?: RequestObserver | undefined;
}

export type HttpHandler = (event: IncomingEvent, context: Context) => Promise<Response>;

const MAY_HAVE_TAKEN_EFFECT = 'the request may or may not have taken effect; retry (a POST with the same Idempotency-Key)';

/** Creates the handler. */
export function createPipeline<Op extends Operation, Caller>(options: PipelineOptions<Op, Caller>): HttpHandler {
  const {
    findRoute,
    outer = [],
    authenticate,
    inner = [],
    dispatch,
    unavailable = MAY_HAVE_TAKEN_EFFECT,
    describe,
    clock,
    logger,
    observer,
  } = options;

  const open = (event: APIGatewayProxyEventV2): Call<Op, Caller> => ({
    requestId: event.requestContext.requestId || randomUUID(),
    now: clock(),
    began: observer === undefined ? 0 : observer.begun(),
    route: findRoute(event),
    refusal: undefined,
    caller: undefined,
    refusedKeyId: undefined,
    trace: undefined,
    quota: undefined,
    quotas: undefined,
    body: undefined,
  });

  /** Adds the request id, which is the same as in API Gateway's access log, and the headers that announce an operation's removal. */
  const sign: Middleware<Op, Caller>['after'] = ({ event: { call }, response }) => {
    response.headers['x-request-id'] = call.requestId;
    const { route } = call;
    if (route.kind === 'operation' && route.operation.deprecation !== undefined) addDeprecationHeaders(response.headers, route.operation.deprecation);
  };

  // Middleware runs in this order before the handler, and in reverse order after it or on a fault. An unknown path or method is refused only after
  // authentication, by dispatch.
  const middlewares: Middleware<Op, Caller>[] = [
    ...(observer === undefined ? [] : [observe<Op, Caller>(observer)]),
    log(logger, clock, describe, options.accessLogger),
    ...(options.metrics ? [metrics(options.metrics, clock, describe)] : []),
    { after: sign, onError: sign },
    ...outer,
    authenticate,
    ...inner,
    faults(unavailable),
  ];
  const befores = middlewares.flatMap(({ before }) => before ?? []);
  const outwards = middlewares.toReversed();
  const afters = outwards.flatMap(({ after }) => after ?? []);
  const onErrors = outwards.flatMap(({ onError }) => onError ?? []);

  return async (incoming, context) => {
    const event = Object.assign(incoming, { call: open(incoming) });
    // Dispatch sets the response before anything reads it; after a fault, the innermost middleware sets it.
    const exchange = { event, response: undefined as unknown as Response, error: undefined as unknown };
    try {
      for (const before of befores) await before(exchange);
      exchange.response = await dispatch(event, context);
      for (const after of afters) after(exchange);
    } catch (error) {
      exchange.error = error;
      for (const onError of onErrors) onError(exchange);
    }
    return exchange.response;
  };
}

const INTERNAL: Refusal = { code: 'internal_error', message: 'a fault in the service; quote the X-Request-Id when reporting it' };

/** Creates the middleware that answers faults: 503 if storage failed, otherwise 500. Details are only logged. @param unavailable the 503's message */
export function faults(unavailable: string): Middleware {
  const unavailableRefusal: Refusal = {
    code: 'unavailable',
    message: `storage did not answer; ${unavailable}`,
    headers: { 'retry-after': '1' },
  };
  return {
    onError: (request) => {
      const { call } = request.event;
      const isTemporary = request.error instanceof StoreFault && request.error.kind === 'unavailable';
      call.refusal = isTemporary ? unavailableRefusal : INTERNAL;
      request.response = refusalResponse(call.refusal);
    },
  };
}
