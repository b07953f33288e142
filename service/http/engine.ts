// An API as a single Lambda handler: middleware around a dispatch to operations. The embedded host uses the same handler.

import { type Event, type Handler, methodRefusal, type Response, refusalResponse, refuse } from './call.ts';
import { goneRefusal } from './cors-headers.ts';
import { announcedRefusal, queryRefusal, readJson } from './input.ts';
import { createPipeline, type HttpHandler, type PipelineOptions } from './pipeline.ts';
import { reading } from './reading.ts';
import { refuseChanges } from './refuse-changes.ts';
import { createRouter, type Operation } from './router.ts';

export interface EngineOptions<Op extends Operation, Caller> extends Omit<PipelineOptions<Op, Caller>, 'findRoute' | 'inner' | 'dispatch'> {
  readonly operations: readonly Op[];
  readonly handlers: Readonly<Record<Op['id'], Handler<Op, Caller>>>;
  /** The path of the document that lists the operations. */
  readonly documentPath: string;
  /** The `Cache-Control` of GET responses. */
  readonly cacheControl: string;
  /** How numbers in bodies are parsed; see parseJson in core/json.ts. @default 'exact' */
  readonly numbers?: 'exact' | 'plain';
  /** Whether changes are currently refused. @default never */
  readonly areChangesStopped?: (() => boolean) | undefined;
}

/** Creates the handler of an API. */
export function createEngine<Op extends Operation, Caller>(options: EngineOptions<Op, Caller>): HttpHandler {
  const { operations, handlers, documentPath, numbers = 'exact', areChangesStopped } = options;
  const findRoute = createRouter(operations);

  const dispatch = (event: Event<Op, Caller>): Promise<Response> | Response => {
    const { call } = event;
    if (call.refusal !== undefined) return refusalResponse(call.refusal);
    const { route } = call;
    switch (route.kind) {
      case 'operation':
        return perform(event, route.operation);
      case 'preflight':
        return { statusCode: 204, headers: { allow: route.allow }, body: '' };
      case 'method_not_allowed':
        return refuse(call, methodRefusal(event.requestContext.http.method, route.allow));
      case 'not_found':
        return refuse(call, { code: 'not_found', message: `no such path; GET ${documentPath} lists all paths` });
    }
  };

  /** Passes the request to its operation, if the operation accepts its query. */
  function perform(event: Event<Op, Caller>, operation: Op): Promise<Response> | Response {
    const { call } = event;
    const gone = operation.deprecation && goneRefusal(operation.deprecation, call.now);
    if (gone !== undefined) return refuse(call, gone);
    // Operations with query parameters check them themselves, when parsing them.
    const unknown = operation.query === undefined ? queryRefusal(event.queryStringParameters) : undefined;
    if (unknown !== undefined) return refuse(call, unknown);
    if (operation.body !== undefined && event.awaitBody !== undefined) return performAwaited(event, operation);
    if (operation.body !== undefined) {
      const read = readJson(event, numbers, operation.maxBodyBytes);
      if (!read.ok) return refuse(call, read.refusal);
      call.body = read.value;
    }
    return handlers[operation.id as Op['id']](event);
  }

  /** Performs an operation for a client that sends the body only if the request is not refused first. */
  async function performAwaited(event: Event<Op, Caller>, operation: Op): Promise<Response> {
    const refusal = announcedRefusal(event, operation.maxBodyBytes);
    if (refusal !== undefined) return refuse(event.call, refusal);
    return perform(Object.assign(event, await event.awaitBody?.(), { awaitBody: undefined }), operation);
  }

  return createPipeline<Op, Caller>({
    ...options,
    findRoute: ({ requestContext, rawPath }) => findRoute(requestContext.http.method, rawPath),
    inner: [...(areChangesStopped === undefined ? [] : [refuseChanges(areChangesStopped)]), reading(options.cacheControl)],
    dispatch,
  });
}
