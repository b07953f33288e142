// The error codes of the API and their statuses: the single list from which responses, documentation and tests are derived.

import { printable } from '../../core/text.ts';

export const ERROR_STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  account_suspended: 403,
  api_key_paused: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_in_progress: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  api_key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** When the code is returned; for the API reference and docs/reference/errors.md. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The body, a query parameter or the request itself is malformed or has a value that is not allowed. The message names it.',
  unauthorized: 'No API key, or one that is unknown, expired or revoked.',
  forbidden: 'The API key lacks the scope that the operation needs.',
  account_suspended: "The operator has suspended the API key's account; its owners see why in the dashboard.",
  api_key_paused: 'The API key is paused; a member of its account can resume it.',
  not_found: 'No such animal, or no such path.',
  method_not_allowed: 'The path does not support this method; `Allow` lists the methods that it supports.',
  request_timeout: 'The request did not arrive in time.',
  idempotency_in_progress: 'A request with the same Idempotency-Key is in progress; retry after `Retry-After`.',
  gone: 'The operation has been removed; `Link` names its successor.',
  precondition_failed: '`If-Match` or `If-None-Match` is not met: the resource has another version, or already exists.',
  payload_too_large: 'The body is larger than 64 KiB.',
  unsupported_media_type: 'The body is not `application/json`, or is compressed.',
  idempotency_key_reused: 'The Idempotency-Key was used with a different body within the last 24 hours.',
  rate_limit_exceeded: 'The limit per minute or per day is used up; retry after `Retry-After`.',
  api_key_banned: 'Requests with the API key continued after a 429, so the key is banned until `Retry-After` has passed.',
  headers_too_large: 'The request line and headers are larger than 16 KiB.',
  internal_error: 'A fault in the service; quote `X-Request-Id` when reporting it.',
  unavailable: 'Storage did not answer, or the installation is being moved and accepts no changes; retry after `Retry-After`.',
};

/** Includes codes of the control API (conflicts, signing in again), of the host (unknown methods) and of the gate (faults of its target). */
const STATUS = {
  ...ERROR_STATUS,
  insufficient_user_authentication: 401,
  second_factor_required: 403,
  conflict: 409,
  not_implemented: 501,
  bad_gateway: 502,
  gateway_timeout: 504,
} as const;

export type AnyErrorCode = keyof typeof STATUS;

/** Returns an error code's HTTP status. */
export function statusOf(code: AnyErrorCode): number {
  return STATUS[code];
}

/** An expected refusal: a value, not an exception. */
export interface Refusal {
  readonly code: AnyErrorCode;
  /** The message for people: what was given, what is allowed, and what to do. No internals. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of every error: exactly `code`, `message` and `status`. Input that a message quotes is escaped, so that people see what was refused. */
export function errorBody(refusal: Refusal): string {
  return JSON.stringify({ code: refusal.code, message: printable(refusal.message), status: statusOf(refusal.code) });
}
