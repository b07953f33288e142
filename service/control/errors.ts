// The control API's error codes. The body has the shape of all of the service's errors: code, message, status.

import { type AnyErrorCode, statusOf } from '../http/errors.ts';

export type ControlErrorCode = Exclude<
  AnyErrorCode,
  'api_key_paused' | 'api_key_banned' | 'gone' | 'not_implemented' | 'bad_gateway' | 'gateway_timeout'
>;

export const CONTROL_ERROR_MEANING: Readonly<Record<ControlErrorCode, string>> = {
  invalid_request:
    'The body, the query, the Idempotency-Key or the request itself is malformed, or has a value that is not allowed. The message names it.',
  unauthorized: 'No user is signed in, or the session has ended.',
  insufficient_user_authentication:
    'The operation needs a sign-in within the last hour, but the token’s sign-in is older or its time is unknown (RFC 9470). Sign in again and use the new token.',
  forbidden:
    "The user is a member of the account, but not an owner, or is not an operator of the installation; or a deploy token can't do this. The message says who can.",
  account_suspended: 'The operator has suspended the account; the message says since when and why. Reading and deleting still work.',
  second_factor_required:
    'The account requires a second factor from its members, or the operation requires one from operators, and this sign-in had none: set one up, and sign in again with it.',
  not_found: "Does not exist, or does not belong to one of the user's accounts.",
  method_not_allowed: 'The path does not support this method; `Allow` lists the methods that it supports.',
  request_timeout: 'The request did not arrive in time.',
  conflict: 'Not possible in the current state; the message says what is needed.',
  idempotency_in_progress: 'A request with the same Idempotency-Key is in progress; retry after `Retry-After`.',
  precondition_failed:
    '`If-Match` is not met: what you have read was changed in the meantime. Or `If-None-Match` is not met: the resource already exists. Nothing was changed.',
  payload_too_large: 'The body is larger than 64 KiB (4 MiB for an upload).',
  unsupported_media_type: 'The body is not `application/json`.',
  idempotency_key_reused: 'The Idempotency-Key was used for a different request within the last 24 hours.',
  rate_limit_exceeded:
    'More than 600 requests from a user or 30 verifications for an account in a UTC minute, or more than 6 for a domain within a minute; try again after `Retry-After`.',
  headers_too_large: 'The request line and headers are larger than 16 KiB.',
  internal_error: 'A fault in the service; quote `X-Request-Id` when reporting it.',
  unavailable: 'Storage did not answer, or the installation is being moved and accepts no changes; try again after `Retry-After`.',
};

export const CONTROL_ERROR_STATUS = Object.fromEntries(
  Object.keys(CONTROL_ERROR_MEANING).map((code) => [code, statusOf(code as ControlErrorCode)]),
) as Readonly<Record<ControlErrorCode, number>>;
