// What the middleware knows about one request. It is attached to the event, which is all that an operation gets.

import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { TraceContext } from '../../core/http/trace-context.ts';
import type { QuotaStatus, QuotaStatuses } from '../../core/limits/decide.ts';
import { errorBody, type Refusal, statusOf } from './errors.ts';
import type { Operation, Route } from './router.ts';

/** @template Caller the caller, as identified by the API's authentication */
export interface Call<Op extends Operation = Operation, Caller = unknown> {
  readonly requestId: string;
  /** When the request arrived, in milliseconds since 1970. All decisions use this time. */
  readonly now: number;
  /** What the observer returned when the request began; 0 without an observer. */
  readonly began: number;
  readonly route: Route<Op>;
  /** Set by the first middleware that refuses the request; the handler then does nothing. */
  refusal: Refusal | undefined;
  /** Undefined for a public operation, or without valid credentials. */
  caller: Caller | undefined;
  /** The id of a well-formed key that is unknown, expired or revoked, for the log, where its owner may search for it. */
  refusedKeyId: string | undefined;
  /** The request's position in its trace; read by `traceOf` when needed. */
  trace: TraceContext | undefined;
  /** The quota for the rate-limit headers: the caller's or, without a caller, the address's. */
  quota: QuotaStatus | undefined;
  quotas: QuotaStatuses | undefined;
  /** The parsed JSON body of an operation that takes one. */
  body: unknown;
}

/** A request as it arrives. */
export interface IncomingEvent extends APIGatewayProxyEventV2 {
  /** Reads the body, which the client does not send before this call (`Expect: 100-continue`). @default the event has the body */
  readonly awaitBody?: (() => Promise<Partial<Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>>>) | undefined;
}

export type Event<Op extends Operation = Operation, Caller = unknown> = IncomingEvent & { readonly call: Call<Op, Caller> };

export interface Response extends APIGatewayProxyStructuredResultV2 {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** A request, as passed to middleware. */
export interface Exchange<Op extends Operation = Operation, Caller = unknown> {
  event: Event<Op, Caller>;
  response: Response;
  error: unknown;
}

/** Runs before an operation, after it, and on a fault. */
export interface Middleware<Op extends Operation = Operation, Caller = unknown> {
  before?: (exchange: Exchange<Op, Caller>) => void | Promise<void>;
  after?: (exchange: Exchange<Op, Caller>) => void;
  onError?: (exchange: Exchange<Op, Caller>) => void;
}

/** An operation's implementation. */
export type Handler<Op extends Operation = Operation, Caller = unknown> = (event: Event<Op, Caller>) => Promise<Response> | Response;

/** Builds a JSON response; modifies the given headers. */
export function jsonResponse(statusCode: number, body: string, headers: Record<string, string> = {}): Response {
  headers['content-type'] = 'application/json';
  return { statusCode, headers, body };
}

/** Builds the response for a refusal. */
export function refusalResponse(refusal: Refusal): Response {
  return jsonResponse(statusOf(refusal.code), errorBody(refusal), { ...refusal.headers });
}

/** Builds the refusal for a method that is not allowed. @param allow the allowed methods, as in the `Allow` header */
export function methodRefusal(method: string, allow: string): Refusal {
  return { code: 'method_not_allowed', message: `method ${method}: not allowed here; allowed: ${allow}`, headers: { allow } };
}

/** Refuses an event's request. */
export function refuse(call: Pick<Call, 'refusal'>, refusal: Refusal): Response {
  call.refusal = refusal;
  return refusalResponse(refusal);
}

/** Adds to Vary a request header that the response depends on (RFC 9110, section 12.5.5). */
export function addVary(headers: Record<string, string>, name: string): void {
  headers.vary = headers.vary === undefined ? name : `${headers.vary}, ${name}`;
}
