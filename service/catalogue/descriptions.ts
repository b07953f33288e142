// Examples in the OpenAPI document: animals, and a message for each error.

import * as z from 'zod/mini';
import { type FieldValue, PET_FIELD_LIST, type PetField } from '../../core/pets/fields.ts';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { HeaderName, Json } from '../openapi/headers.ts';
import type { OperationId } from './operations.ts';
import { listQuerySchema } from './schemas.ts';

/** Returns a value in a form that JSON supports. @param value an integer that a number represents exactly (test/service/fields.test.ts) */
export const plain = (value: FieldValue): string | number => (typeof value === 'bigint' ? Number(value) : value);

function exampleOf(which: 0 | 1, isShown: (field: PetField) => boolean) {
  return Object.fromEntries(PET_FIELD_LIST.filter(isShown).map(({ name, examples }) => [name, plain(examples[which])]));
}

const all = () => true;
const BELLA = { id: 244011122335744, ...exampleOf(0, all) };
const REX = { id: 244011122339840, ...exampleOf(1, all) };

/** One animal with only the required fields, and one with all fields. */
const NEW_PET = exampleOf(0, ({ fallback }) => fallback === undefined);
const NEW_PET_IN_FULL = exampleOf(1, all);

const QUERY_EXAMPLES: Readonly<Record<string, unknown>> = { limit: 20, status: 'available', cursor: 'EADd7UREsADgXaYT' };

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
  precondition_failed: 'If-Match: got "mX3v9kQ2", but the ETag is "Zq81LsPd" now; read the resource again, and repeat your change',
  payload_too_large: 'body: larger than allowed; allowed: at most 65536 bytes',
  unsupported_media_type: 'content-type: got "text/plain"; allowed: application/json, in UTF-8',
  idempotency_key_reused: 'this Idempotency-Key was used with a different body within the last 24 hours; use a new key for a new animal',
  rate_limit_exceeded: 'this account has used its limit of 300 requests per UTC minute (plan Pro); retry in 23 s',
  api_key_banned:
    'requests with the API key continued after 429, so the key is banned; wait 300 s, or have a member of the account lift the ban; then honor Retry-After',
  headers_too_large: 'request line and headers: too large or too many; allowed: at most 16384 bytes and fewer than 1000 lines',
  internal_error: 'a fault in the service; quote the X-Request-Id when reporting it',
  unavailable: 'storage did not answer; the request may or may not have taken effect; retry (a POST with the same Idempotency-Key)',
};

interface Description {
  readonly summary: string;
  readonly description: string;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly schema: Json;
    readonly headers: readonly HeaderName[];
    readonly example: unknown;
    readonly links?: Json;
  };
  readonly errors: readonly ErrorCode[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
}

/** Errors that every operation can return. */
const OPEN_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'method_not_allowed',
  'request_timeout',
  'precondition_failed',
  'headers_too_large',
  'internal_error',
];

/** Errors that every operation with a key can return. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  ...OPEN_ERRORS,
  'unauthorized',
  'forbidden',
  'account_suspended',
  'api_key_paused',
  'rate_limit_exceeded',
  'api_key_banned',
  'unavailable',
];

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

export const VALIDATORS: readonly HeaderName[] = ['ETag', 'Cache-Control'];

export const DESCRIPTIONS: Readonly<Record<OperationId, Description>> = {
  listPets: {
    summary: 'List animals',
    description:
      'A page of animals, in ascending order of id. If there are more, `Link` has the URL of the next page with `rel="next"` (RFC 8288). Use it unchanged. HEAD is answered like GET, without the body.',
    success: { status: 200, description: 'A page of animals.', schema: ref('Pets'), headers: ['Link', ...VALIDATORS], example: [BELLA, REX] },
    errors: COMMON_ERRORS,
    // Derived when the document is generated, not at a cold start.
    get parameters() {
      return [...queryParameters(), { $ref: '#/components/parameters/If-None-Match' }];
    },
  },
  createPet: {
    summary: 'Add an animal',
    description:
      'Adds an animal and assigns an id to it. With an `Idempotency-Key`, a repeated request within 24 hours gets the first response again, and adds nothing.',
    success: {
      status: 201,
      description: 'The animal, with its id.',
      schema: ref('Pet'),
      headers: ['Location', 'Idempotent-Replayed'],
      example: BELLA,
      links: { getPet: { operationId: 'getPet', parameters: { petId: '$response.body#/id' }, description: 'The animal with this id.' } },
    },
    errors: [...COMMON_ERRORS, 'idempotency_in_progress', 'payload_too_large', 'unsupported_media_type', 'idempotency_key_reused'],
    parameters: [{ $ref: '#/components/parameters/Idempotency-Key' }],
    requestBody: {
      required: true,
      description: 'At most 64 KiB, in UTF-8, not compressed.',
      content: {
        'application/json': {
          schema: ref('NewPet'),
          examples: {
            available: { summary: 'Available, the default status', value: NEW_PET },
            pending: { summary: 'With a status', value: NEW_PET_IN_FULL },
          },
        },
      },
    },
  },
  getPet: {
    summary: 'Get an animal',
    description:
      'Deprecated: will be removed on 5 December 2030 and return 410 from then on. Use `GET /v1/pets` with the `status` filter instead. Responses carry `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the successor.',
    success: { status: 200, description: 'The animal.', schema: ref('Pet'), headers: VALIDATORS, example: BELLA },
    errors: [...COMMON_ERRORS, 'not_found', 'gone'],
    parameters: [
      {
        name: 'petId',
        in: 'path',
        required: true,
        description: 'Id of the animal.',
        schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_PET_ID },
        example: BELLA.id,
      },
      { $ref: '#/components/parameters/If-None-Match' },
    ],
  },
  getOpenApi: {
    summary: 'This document',
    description: 'The OpenAPI document of this API. Needs no key, and no limit applies.',
    success: {
      status: 200,
      description: 'An OpenAPI 3.1 document.',
      schema: { type: 'object', additionalProperties: true },
      headers: [...VALIDATORS, 'Content-Encoding'],
      example: { openapi: '3.1.0', info: { title: 'Petstore catalogue API', version: '1.0.0' }, paths: {} },
    },
    errors: OPEN_ERRORS,
    parameters: [{ $ref: '#/components/parameters/If-None-Match' }],
  },
};

function queryParameters(): readonly Json[] {
  const { properties = {} } = z.toJSONSchema(listQuerySchema, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json;
    return { name, in: 'query', required: false, description, schema: name === 'status' ? ref('PetStatus') : schema, example: QUERY_EXAMPLES[name] };
  });
}
