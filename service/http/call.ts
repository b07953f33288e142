// What the middlewares know of one request. It travels on the event, because middy hands the handler nothing else.

import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { PlanName } from '../../core/access/plans.ts';
import type { Standing, Standings } from '../../core/limits/decide.ts';
import type { Route } from '../catalogue/operations.ts';
import { ERROR_STATUS, errorBody, type Refusal } from './errors.ts';

export interface Caller {
  readonly accountId: string;
  readonly digest: string;
  readonly plan: PlanName;
}

export interface ApiCall {
  readonly requestId: string;
  /** When the request came, in milliseconds since 1970. Every rule uses this one moment. */
  readonly now: number;
  route: Route;
  /** Set by whichever middleware first refuses the request; the handler then does nothing else. */
  refusal: Refusal | undefined;
  /** Who calls; undefined for a public operation and without a valid key. */
  caller: Caller | undefined;
  /** For the rate-limit headers: the account's, or the address's where there is no valid key. */
  standing: Standing | undefined;
  standings: Standings | undefined;
  /** The parsed JSON body of an operation that takes one. */
  body: unknown;
}

export type ApiEvent = APIGatewayProxyEventV2 & { call: ApiCall };

export interface ApiResponse extends APIGatewayProxyStructuredResultV2 {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** One request in middy's hands. */
export interface ApiRequest {
  event: ApiEvent;
  response: ApiResponse;
  error: unknown;
}

/** A middy middleware: only what this service uses of it. */
export interface ApiMiddleware {
  before?: (request: ApiRequest) => void | Promise<void>;
  after?: (request: ApiRequest) => void;
  onError?: (request: ApiRequest) => void;
}

export function jsonResponse(statusCode: number, body: string, headers: Record<string, string> = {}): ApiResponse {
  headers['content-type'] = 'application/json';
  return { statusCode, headers, body };
}

export function refusalResponse(refusal: Refusal): ApiResponse {
  return jsonResponse(ERROR_STATUS[refusal.code], errorBody(refusal), { ...refusal.headers });
}
