// An API as a single Lambda handler: middleware around a dispatch to operations. The embedded host calls the same handler.

import { randomUUID } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { readJson } from './body.ts';
import { type Call, type Event, type Handler, type Middleware, type Response, refusalResponse, refuse } from './call.ts';
import { addDeprecationHeaders, goneRefusal } from './deprecation.ts';
import { faults } from './faults.ts';
import { log } from './log.ts';
import { metrics } from './metrics.ts';
import type { Operation } from './operation.ts';
import { queryRefusal } from './query.ts';
import { reading } from './reading.ts';
import { createRouter } from './router.ts';

export interface EngineOptions<Op extends Operation, Caller> {
  readonly operations: readonly Op[];
  readonly handlers: Readonly<Record<Op['id'], Handler<Op, Caller>>>;
  /** The path of the document that lists the operations. */
  readonly documentPath: string;
  /** The `Cache-Control` of GET responses. */
  readonly cacheControl: string;
  /** Middleware that runs before the API's own and sees every response, such as CORS. @default none */
  readonly outer?: readonly Middleware<Op, Caller>[];
  /** Middleware for authentication and limits. */
  readonly authenticate: Middleware<Op, Caller>;
  /** How numbers in bodies are parsed: see parseJson in core/json.ts. @default 'exact' */
  readonly numbers?: 'exact' | 'plain';
  /** What the log and the metrics record about a caller. @default nothing */
  readonly describe?: (caller: Caller) => Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly logger: Logger;
  /** @default no metrics are recorded */
  readonly metrics?: Metrics | undefined;
}

export type HttpHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Response>;

/** Creates the handler of an API. */
export function createEngine<Op extends Operation, Caller>(options: EngineOptions<Op, Caller>): HttpHandler {
  const { operations, handlers, documentPath, numbers = 'exact', clock, logger } = options;
  const findRoute = createRouter(operations);

  const open = ({ requestContext, rawPath }: APIGatewayProxyEventV2): Call<Op, Caller> => ({
    requestId: requestContext.requestId || randomUUID(),
    now: clock(),
    route: findRoute(requestContext.http.method, rawPath),
    refusal: undefined,
    caller: undefined,
    quota: undefined,
    quotas: undefined,
    body: undefined,
  });

  const dispatch = (event: Event<Op, Caller>): Promise<Response> | Response => {
    const { call } = event;
    if (call.refusal !== undefined) return refusalResponse(call.refusal);
    const { route } = call;
    switch (route.kind) {
      case 'operation':
        return perform(event, route.operation);
      case 'preflight':
        return { statusCode: 204, headers: { allow: route.allow }, body: '' };
      case 'method_not_allowed': {
        const message = `method ${event.requestContext.http.method}: not allowed here; allowed: ${route.allow}`;
        return refuse(call, { code: 'method_not_allowed', message, headers: { allow: route.allow } });
      }
      case 'not_found':
        return refuse(call, { code: 'not_found', message: `no such path; GET ${documentPath} lists all paths` });
    }
  };

  /** Passes the request to its operation, if the operation accepts its query. */
  function perform(event: Event<Op, Caller>, operation: Op): Promise<Response> | Response {
    const { call } = event;
    const gone = operation.deprecation && goneRefusal(operation.deprecation, call.now);
    if (gone !== undefined) return refuse(call, gone);
    // An operation with a query checks the query when parsing it.
    const unknown = operation.query === undefined ? queryRefusal(event.queryStringParameters) : undefined;
    if (unknown !== undefined) return refuse(call, unknown);
    if (operation.body !== undefined) {
      const read = readJson(event, numbers, operation.maxBodyBytes);
      if (!read.ok) return refuse(call, read.refusal);
      call.body = read.value;
    }
    return handlers[operation.id as Op['id']](event);
  }

  /** Headers on every response: the request id, which is the same as in API Gateway's access log, and announced removals. */
  const sign: Middleware<Op, Caller>['after'] = ({ event: { call }, response }) => {
    response.headers['x-request-id'] = call.requestId;
    const { route } = call;
    if (route.kind === 'operation' && route.operation.deprecation !== undefined) addDeprecationHeaders(response.headers, route.operation.deprecation);
  };

  // Middleware runs in this order before the handler, and in reverse order after it or on a fault. An unknown path or method is refused only after
  // authentication, by dispatch.
  const middlewares: Middleware<Op, Caller>[] = [
    log(logger, clock, options.describe),
    ...(options.metrics ? [metrics(options.metrics, clock, options.describe)] : []),
    { after: sign, onError: sign },
    ...(options.outer ?? []),
    options.authenticate,
    reading(options.cacheControl),
    faults(),
  ];
  // Every wait inside has its own time limit, so middy's race against Lambda's timeout is switched off.
  const api = middy<Event<Op, Caller>, Response>({ timeoutEarlyInMillis: 0 }).use(middlewares).handler(dispatch);
  return (event, context) => api(Object.assign(event, { call: open(event) }), context);
}
