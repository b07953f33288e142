// The texts for each of the catalogue API's operations: descriptions, responses and errors.

import * as z from 'zod/mini';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { HeaderName, Json } from '../openapi/headers.ts';
import { BELLA, NEW_PET, NEW_PET_IN_FULL, QUERY_EXAMPLES, REX } from './examples.ts';
import type { OperationId } from './operations.ts';
import { listQuerySchema } from './schemas.ts';

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

/** A reference to a named schema. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

export const VALIDATORS: readonly HeaderName[] = ['ETag', 'Cache-Control'];

export const DESCRIPTIONS: Readonly<Record<OperationId, Description>> = {
  listPets: {
    summary: 'List animals',
    description:
      'A page of animals, in ascending order of id. If there are more, `Link` has the URL of the next page with `rel="next"` (RFC 8288). Use it unchanged. HEAD is answered like GET, without the body.',
    success: {
      status: 200,
      description: 'A page of animals.',
      schema: ref('Pets'),
      headers: ['Link', ...VALIDATORS],
      example: [BELLA, REX],
    },
    errors: COMMON_ERRORS,
    // Derived when the document is made, and not at a cold start.
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
      links: {
        getPet: { operationId: 'getPet', parameters: { petId: '$response.body#/id' }, description: 'The animal with this id.' },
      },
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
    success: {
      status: 200,
      description: 'The animal.',
      schema: ref('Pet'),
      headers: VALIDATORS,
      example: BELLA,
    },
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
    description: 'The OpenAPI document of this API. Needs no key and counts towards no limit.',
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
