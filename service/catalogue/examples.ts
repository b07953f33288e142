// Examples in the OpenAPI document: animals, and a message for each error.

import { type FieldValue, PET_FIELD_LIST, type PetField } from '../../core/pets/fields.ts';
import type { ErrorCode } from '../http/errors.ts';

/** Returns a value as JSON supports it in the document. @param value an integer within the range of numbers (test/service/fields.test.ts) */
export const plain = (value: FieldValue): string | number => (typeof value === 'bigint' ? Number(value) : value);

function exampleOf(which: 0 | 1, isShown: (field: PetField) => boolean) {
  return Object.fromEntries(PET_FIELD_LIST.filter(isShown).map(({ name, examples }) => [name, plain(examples[which])]));
}

const all = () => true;
export const BELLA = { id: 244011122335744, ...exampleOf(0, all) };
export const REX = { id: 244011122339840, ...exampleOf(1, all) };

/** One with only the required fields, and one with all fields. */
export const NEW_PET = exampleOf(0, ({ fallback }) => fallback === undefined);
export const NEW_PET_IN_FULL = exampleOf(1, all);

export const QUERY_EXAMPLES: Readonly<Record<string, unknown>> = { limit: 20, status: 'available', cursor: 'EADd7UREsADgXaYT' };

export const ERROR_EXAMPLES: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'query parameter limit: got 500; allowed: an integer from 1 to 100',
  unauthorized: 'the API key is unknown, expired or revoked; issue a new one',
  forbidden: 'the API key has the scopes pets:read; this operation needs pets:write',
  not_found: 'no animal with id "7"',
  method_not_allowed: 'method DELETE: not allowed here; allowed: GET, HEAD, POST, OPTIONS',
  request_timeout: 'the request did not arrive within 10 s',
  idempotency_in_progress: 'a request with this Idempotency-Key is in progress; retry in 1 s',
  gone: 'this operation was removed on 2030-12-05; use GET /v1/pets',
  account_suspended: 'the account of this API key is suspended; its owners see why in the dashboard, and only the operator can resume it',
  api_key_paused: 'the API key is paused, not revoked; a member of its account can resume it, and no new key is needed',
  precondition_failed: 'If-Match: got "mX3v9kQ2", but the ETag is "Zq81LsPd" now; read it again, and repeat what you want to change',
  payload_too_large: 'body: larger than allowed; allowed: at most 65536 bytes',
  unsupported_media_type: 'content-type: got "text/plain"; allowed: application/json, in UTF-8',
  idempotency_key_reused: 'this Idempotency-Key was used with a different body within the last 24 hours; use a new key for a new animal',
  rate_limit_exceeded: 'this account has used its limit of 300 requests per UTC minute (plan Pro); retry in 23 s',
  api_key_banned:
    'requests with the API key continued after 429, and it is banned; wait 300 s, or have a member of the account lift the ban; then honor Retry-After',
  headers_too_large: 'request line and headers: too large or too many; allowed: at most 16384 bytes and fewer than 1000 lines',
  internal_error: 'a fault in the service; quote the X-Request-Id when reporting it',
  unavailable: 'storage did not answer; the request may or may not have taken effect; retry, a POST with the same Idempotency-Key',
};
