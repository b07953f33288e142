// What the middlewares know of one request. It travels on the event, because middy hands the handler nothing else.

import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { QuotaStatus, QuotaStatuses } from '../../core/limits/decide.ts';
import { errorBody, type Refusal, statusOf } from './errors.ts';
import type { Operation } from './operation.ts';
import type { Route } from './router.ts';

/** @template Caller who asks, as the API's own authentication knows them */
export interface Call<Op extends Operation = Operation, Caller = unknown> {
  readonly requestId: string;
  /** When the request came, in milliseconds since 1970. Every rule uses this one moment. */
  readonly now: number;
  readonly route: Route<Op>;
  /** Set by whichever middleware first refuses the request; the handler then does nothing else. */
  refusal: Refusal | undefined;
  /** Undefined for a public operation and without valid credentials. */
  caller: Caller | undefined;
  /** For the rate-limit headers: the caller's, or the address's where there is none. */
  quota: QuotaStatus | undefined;
  quotas: QuotaStatuses | undefined;
  /** The parsed JSON body of an operation that takes one. */
  body: unknown;
}

export type Event<Op extends Operation = Operation, Caller = unknown> = APIGatewayProxyEventV2 & { readonly call: Call<Op, Caller> };

export interface Response extends APIGatewayProxyStructuredResultV2 {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** One request in middy's hands. */
export interface Exchange<Op extends Operation = Operation, Caller = unknown> {
  event: Event<Op, Caller>;
  response: Response;
  error: unknown;
}

/** A middy middleware: only what this service uses of it. */
export interface Middleware<Op extends Operation = Operation, Caller = unknown> {
  before?: (exchange: Exchange<Op, Caller>) => void | Promise<void>;
  after?: (exchange: Exchange<Op, Caller>) => void;
  onError?: (exchange: Exchange<Op, Caller>) => void;
}

/** What an operation does. */
export type Handler<Op extends Operation = Operation, Caller = unknown> = (event: Event<Op, Caller>) => Promise<Response> | Response;

export function jsonResponse(statusCode: number, body: string, headers: Record<string, string> = {}): Response {
  headers['content-type'] = 'application/json';
  return { statusCode, headers, body };
}

export function refusalResponse(refusal: Refusal): Response {
  return jsonResponse(statusOf(refusal.code), errorBody(refusal), { ...refusal.headers });
}

/** Refuses what a handler was asked for. */
export function refuse(call: Pick<Call, 'refusal'>, refusal: Refusal): Response {
  call.refusal = refusal;
  return refusalResponse(refusal);
}

/** Names a request header that the answer depends on (RFC 9110, section 12.5.5). */
export function addVary(headers: Record<string, string>, name: string): void {
  headers.vary = headers.vary === undefined ? name : `${headers.vary}, ${name}`;
}
