// The OpenAPI 3.1 document, made from the operations, the schemas that validate, and the error codes.

import * as z from 'zod';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import { ERROR_MEANING, ERROR_STATUS, type ErrorCode } from '../http/errors.ts';
import { choiceSchemas } from './field-schemas.ts';
import { OPERATIONS, type Operation, type OperationId } from './operations.ts';
import { errorSchema, listQuerySchema, newPetSchema, petSchema, petsSchema } from './schemas.ts';

type Json = Record<string, unknown>;

interface Description {
  readonly summary: string;
  readonly description: string;
  readonly success: { readonly status: number; readonly description: string; readonly schema: Json; readonly headers: Json };
  readonly errors: readonly ErrorCode[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
}

/** Any operation that takes a key may answer these. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'method_not_allowed',
  'request_timeout',
  'rate_limit_exceeded',
  'api_key_banned',
  'headers_too_large',
  'internal_error',
  'unavailable',
];

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });
const LIMIT_HEADERS = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'].map((name) => [name, header(name)]),
);

const DESCRIPTIONS: Readonly<Record<OperationId, Description>> = {
  listPets: {
    summary: 'List animals',
    description: 'A page of animals, id ascending. While there are more, `Link` carries the address of the next page with `rel="next"` (RFC 8288).',
    success: { status: 200, description: 'A page of animals.', schema: ref('Pets'), headers: { Link: header('Link'), ETag: header('ETag') } },
    errors: COMMON_ERRORS,
    parameters: [...queryParameters(), { $ref: '#/components/parameters/If-None-Match' }],
  },
  createPet: {
    summary: 'Add an animal',
    description:
      'Adds an animal and gives it an id. With an `Idempotency-Key` a repeat within 24 hours answers as the first request did, and adds nothing.',
    success: {
      status: 201,
      description: 'The animal, with its id.',
      schema: ref('Pet'),
      headers: { Location: header('Location'), 'Idempotent-Replayed': header('Idempotent-Replayed') },
    },
    errors: [...COMMON_ERRORS, 'idempotency_in_progress', 'payload_too_large', 'unsupported_media_type', 'idempotency_key_reused'],
    parameters: [{ $ref: '#/components/parameters/Idempotency-Key' }],
    requestBody: { required: true, description: 'At most 64 KiB.', content: { 'application/json': { schema: ref('NewPet') } } },
  },
  getPet: {
    summary: 'Get an animal',
    description:
      'Deprecated: to be removed on 5 December 2030; from then on it answers 410. Use `GET /v1/pets` with the `status` filter instead. Answers carry `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the successor.',
    success: {
      status: 200,
      description: 'The animal.',
      schema: ref('Pet'),
      headers: { ETag: header('ETag'), Deprecation: header('Deprecation'), Sunset: header('Sunset'), Link: header('Link') },
    },
    errors: [...COMMON_ERRORS, 'not_found', 'gone'],
    parameters: [
      {
        name: 'petId',
        in: 'path',
        required: true,
        description: 'Id of the animal.',
        schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_PET_ID },
      },
      { $ref: '#/components/parameters/If-None-Match' },
    ],
  },
  getOpenApi: {
    summary: 'This document',
    description: 'The OpenAPI document of this API. No key is needed.',
    success: { status: 200, description: 'An OpenAPI 3.1 document.', schema: { type: 'object' }, headers: { ETag: header('ETag') } },
    errors: ['invalid_request', 'method_not_allowed', 'request_timeout', 'headers_too_large', 'internal_error'],
    parameters: [{ $ref: '#/components/parameters/If-None-Match' }],
  },
};

let text: string | undefined;

/** The document as JSON text; made once, when first asked for. */
export function openApiJson(): string {
  text ??= JSON.stringify(openApiDocument());
  return text;
}

export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: operationObject(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Petstore catalogue API',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This host' }],
    tags: [
      { name: 'animals', description: 'Browse and manage animals.' },
      { name: 'meta', description: 'About this API.' },
    ],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: { ...schemas() },
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer <API_KEY>`.' } },
      headers: HEADERS,
      parameters: PARAMETERS,
    },
  };
}

const INTRODUCTION = `The catalogue of animals available for adoption.

Every request carries an API key as a bearer token. Limits count per account, in UTC minutes and UTC days; a request over a limit answers 429 with \`Retry-After\` in whole seconds and uses up nothing. A client that keeps sending several requests a second after a 429 is banned, after about half a minute at the earliest and for 5 minutes at first. Back off exponentially.

Every error body is \`{code, message, status}\`. Operations to change or delete an animal, and those of the groups Store and Pets (\`GET /store/orders\`), are not part of this version: they answer 404 or 405.`;

function operationObject(operation: Operation): Json {
  const { summary, description, success, errors, parameters = [], requestBody } = DESCRIPTIONS[operation.id];
  return {
    operationId: operation.id,
    summary,
    description,
    tags: [operation.id === 'getOpenApi' ? 'meta' : 'animals'],
    ...(operation.deprecation && { deprecated: true }),
    ...(operation.scope === undefined ? { security: [] } : { 'x-required-scope': operation.scope }),
    parameters,
    ...(requestBody && { requestBody }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: { ...LIMIT_HEADERS, ...success.headers },
        content: { 'application/json': { schema: success.schema } },
      },
      ...(operation.method === 'GET' && { 304: { description: 'Not changed since the ETag of `If-None-Match`.', headers: LIMIT_HEADERS } }),
      ...errorResponses(errors),
    },
  };
}

/** One response a status; codes that share a status share the response. */
function errorResponses(codes: readonly ErrorCode[]): Json {
  const responses: Record<number, Json> = {};
  for (const status of new Set(codes.map((code) => ERROR_STATUS[code]))) {
    const meanings = codes.filter((code) => ERROR_STATUS[code] === status).map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`);
    const retry = [409, 429, 503].includes(status) ? { 'Retry-After': header('Retry-After') } : {};
    responses[status] = {
      description: meanings.join('\n\n'),
      headers: { ...LIMIT_HEADERS, ...retry },
      content: { 'application/json': { schema: ref('Error') } },
    };
  }
  return responses;
}

function schemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const schema of [newPetSchema, petSchema, petsSchema, errorSchema, ...choiceSchemas()]) {
    registry.add(schema, { id: String(schema.meta()?.id) });
  }
  const made = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'bigint') Object.assign(jsonSchema, { type: 'integer', format: 'int64' });
    },
  });
  return Object.fromEntries(Object.entries(made.schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema]));
}

function queryParameters(): readonly Json[] {
  const { properties = {} } = z.toJSONSchema(listQuerySchema, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json;
    return { name, in: 'query', required: false, description, schema: name === 'status' ? ref('PetStatus') : schema };
  });
}

const HEADERS: Json = {
  'X-RateLimit-Limit': { description: 'The limit in effect: of the window with the least remaining.', required: true, schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests remaining in that window.', required: true, schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Unix timestamp, in seconds, at which that window resets.', required: true, schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Id of the request, for support.', required: true, schema: { type: 'string' } },
  'Retry-After': { description: 'Whole seconds to wait before the next request.', schema: { type: 'integer', minimum: 1 } },
  Link: { description: 'Address of the next page (`rel="next"`), or of the successor of a deprecated operation.', schema: { type: 'string' } },
  ETag: { description: 'Validator of the body, for `If-None-Match`.', schema: { type: 'string' } },
  Location: { description: 'Path of the animal.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: '`true` if the answer is that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string' },
  },
  Deprecation: { description: 'Since when the operation is deprecated (RFC 9745).', schema: { type: 'string' } },
  Sunset: { description: 'When the operation is removed (RFC 8594).', schema: { type: 'string' } },
};

const PARAMETERS: Json = {
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'ETags that the client has: 304 if one still holds.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Makes the request safe to repeat for 24 hours. Quoted or bare.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};
