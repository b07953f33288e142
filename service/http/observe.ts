// What is recorded about requests besides the log: counts for the metrics of a process, metrics for CloudWatch on AWS, and traces.

import { randomBytes } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type LogEntry, loggedPath, type TraceContext, traceContext, traceHeaders } from '../../core/http/trace-context.ts';
import { printable } from '../../core/text.ts';
import { refusedMetric } from '../metric-names.ts';
import type { Call, Exchange, Middleware, Response } from './call.ts';
import type { AnyErrorCode } from './errors.ts';
import type { Operation } from './router.ts';

/** Called for each request, so it should only count. Must not throw. */
export interface RequestObserver {
  /** Called when a request begins. @returns a value that is passed to `ended`, such as the time */
  begun(): number;
  /** Called when a response is ready. @param operation its id, or the kind of route of a request without one @param code of a refusal or a fault */
  ended(began: number, operation: string, status: number, code: AnyErrorCode | undefined): void;
}

/** Creates the middleware. It must be the outermost, so that nothing can fail after it has counted. */
export function observe<Op extends Operation, Caller>(observer: RequestObserver): Middleware<Op, Caller> {
  const end = ({ event: { call }, response }: Exchange<Op, Caller>) => {
    const { route } = call;
    observer.ended(call.began, route.kind === 'operation' ? route.operation.id : route.kind, response.statusCode, call.refusal?.code);
  };
  return { after: end, onError: end };
}

// The trace of a request, which is read only when needed, because most requests are neither logged nor passed on.

type Traced = Pick<APIGatewayProxyEventV2, 'headers'> & { readonly call: Pick<Call, 'trace'> };

/** Returns where a request is in its trace; every call returns the same result. */
function traceOf({ headers, call }: Traced): TraceContext {
  call.trace ??= traceContext(headers.traceparent, headers.tracestate, randomBytes);
  return call.trace;
}

/** Returns the event for another service, with headers that continue the trace. */
export function withTrace<E extends Traced>(event: E): E {
  const { traceparent, tracestate, ...headers } = event.headers;
  const { traceparent: ours, tracestate: kept } = traceHeaders(traceOf(event));
  return { ...event, headers: { ...headers, traceparent: ours, ...(kept !== undefined && { tracestate: kept }) } };
}

// Business metrics in EMF: CloudWatch extracts them from the log, without an API call. One flush per request.

/** @param clock milliseconds since 1970 @param describe returns the caller's dimensions */
export function metrics<Op extends Operation, Caller>(
  sink: Metrics,
  clock: () => number,
  describe: (caller: Caller) => Readonly<Record<string, string>> = () => ({}),
): Middleware<Op, Caller> {
  const record: Middleware<Op, Caller>['after'] = ({ event: { call }, response }) => {
    // Two dimension sets instead of one combined set, because an alarm needs a plan's total, and each combination would be a billed metric.
    sink.addDimensions({ operation: call.route.kind === 'operation' ? call.route.operation.id : call.route.kind });
    sink.addDimensions({ plan: (call.caller === undefined ? undefined : describe(call.caller).plan) ?? 'none' });
    sink.addMetric('Requests', MetricUnit.Count, 1);
    sink.addMetric('Latency', MetricUnit.Milliseconds, Math.max(0, clock() - call.now));
    if (response.statusCode >= 500) sink.addMetric('Faults', MetricUnit.Count, 1);
    if (call.refusal !== undefined) sink.addMetric(refusedMetric(call.refusal.code), MetricUnit.Count, 1);
    sink.publishStoredMetrics();
  };
  return { after: record, onError: record };
}

// One structured line per request, including the complete fault if one occurred. It has the ids of keys, never their text.

/** Writes an entry of an access log. Must not throw. */
export type AccessLogger = (message: string, entry: LogEntry) => void;

/**
 * Creates the middleware that logs requests. @param clock milliseconds since 1970 @param describe returns what is logged about a caller
 * @param access called with the line of each request, at any log level; `off` for no lines. @default the logger, at level INFO
 */
export function log<Op extends Operation, Caller>(
  logger: Logger,
  clock: () => number,
  describe: (caller: Caller) => Readonly<Record<string, string>> = () => ({}),
  access?: AccessLogger | 'off',
): Middleware<Op, Caller> {
  const fields = ({ event, response }: Exchange<Op, Caller>) => {
    const { call, requestContext, rawPath } = event;
    const { traceId, spanId } = traceOf(event);
    return {
      requestId: call.requestId,
      traceId,
      spanId,
      sourceIp: requestContext.http.sourceIp,
      operation: call.route.kind === 'operation' ? call.route.operation.id : call.route.kind,
      method: requestContext.http.method,
      path: loggedPath(rawPath),
      status: response.statusCode,
      durationMs: clock() - call.now,
      bytes: bytesOf(response),
      ...(call.refusal && { code: call.refusal.code }),
      ...(call.route.kind === 'operation' && idsIn(call.route.parameters)),
      ...(call.caller !== undefined && describe(call.caller)),
      ...(call.refusedKeyId !== undefined && { keyId: call.refusedKeyId }),
    };
  };
  const byLogger: AccessLogger | undefined = logger.level <= INFO ? (message, entry) => logger.info(message, entry) : undefined;
  const write = access === 'off' ? undefined : (access ?? byLogger);
  return {
    ...(write !== undefined && { after: (request: Exchange<Op, Caller>) => write('request', fields(request)) }),
    onError: (request) => {
      const error = request.error instanceof Error ? request.error : new Error(String(request.error));
      logger.error('fault', { error, ...fields(request) });
      // The log entry is for finding faults; the access log's line is for counting requests.
      if (access !== undefined) write?.('request', fields(request));
    },
  };
}

/** Powertools' threshold for INFO. If the logger's threshold is higher, the fields are not even collected. */
const INFO = 12;

/** Ids in paths that are logged. Longer values, which clients made up, are truncated. */
const IDS = ['accountId', 'projectId'] as const;
const MAX_ID_LENGTH = 64;

function idsIn(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    IDS.flatMap((name) => (parameters[name] === undefined ? [] : [[name, printable(parameters[name].slice(0, MAX_ID_LENGTH))]])),
  );
}

/** Returns the size of the body, without headers. */
function bytesOf({ body, isBase64Encoded = false }: Pick<Response, 'body' | 'isBase64Encoded'>): number {
  return Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
}
