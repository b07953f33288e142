// The OpenAPI 3.1 document, made from the operations, the schemas that validate, and the error codes.

import * as z from 'zod';
import type { Scope } from '../../core/access/scopes.ts';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import { ERROR_MEANING, ERROR_STATUS, type ErrorCode } from '../http/errors.ts';
import { errorExamples, errorResponses, HEADERS, type HeaderName, headersOf, type Json } from '../openapi/headers.ts';
import { PATTERNS } from '../openapi/patterns.ts';
import { BELLA, ERROR_EXAMPLES, NEW_PET, QUERY_EXAMPLES, REX } from './examples.ts';
import { choiceSchemas } from './field-schemas.ts';
import { type CatalogueOperation, OPERATIONS, type OperationId } from './operations.ts';
import { errorSchema, listQuerySchema, newPetSchema, petSchema, petsSchema } from './schemas.ts';

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

/** Any operation may answer these. */
const OPEN_ERRORS: readonly ErrorCode[] = ['invalid_request', 'method_not_allowed', 'request_timeout', 'headers_too_large', 'internal_error'];

/** Any operation that takes a key may answer these. */
const COMMON_ERRORS: readonly ErrorCode[] = [...OPEN_ERRORS, 'unauthorized', 'forbidden', 'rate_limit_exceeded', 'api_key_banned', 'unavailable'];

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** On every answer. */
const ALWAYS: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];
/** On an answer by settings, or by how it was asked for. */
const SOMETIMES: readonly HeaderName[] = ['Vary', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Strict-Transport-Security'];
/** On an answer to a valid key, by settings. */
const DRAFT: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const VALIDATORS: readonly HeaderName[] = ['ETag', 'Cache-Control'];
const DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

const DESCRIPTIONS: Readonly<Record<OperationId, Description>> = {
  listPets: {
    summary: 'List animals',
    description:
      'A page of animals, id ascending. While there are more, `Link` carries the address of the next page with `rel="next"` (RFC 8288). Follow it as it is. HEAD is answered as GET, without the body.',
    success: {
      status: 200,
      description: 'A page of animals.',
      schema: ref('Pets'),
      headers: ['Link', ...VALIDATORS],
      example: [BELLA, REX],
    },
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
      headers: ['Location', 'Idempotent-Replayed'],
      example: BELLA,
      links: {
        getPet: { operationId: 'getPet', parameters: { petId: '$response.body#/id' }, description: 'The animal, by its id.' },
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
            available: { summary: 'Available, as status is by default', value: NEW_PET },
            pending: { summary: 'With a status', value: { name: REX.name, categoryId: REX.categoryId, status: REX.status } },
          },
        },
      },
    },
  },
  getPet: {
    summary: 'Get an animal',
    description:
      'Deprecated: to be removed on 5 December 2030; from then on it answers 410. Use `GET /v1/pets` with the `status` filter instead. Answers carry `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the successor.',
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
    description: 'The OpenAPI document of this API. No key is needed, and it counts against no limit.',
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
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: SERVERS,
    tags: [
      { name: 'animals', description: 'Browse and manage animals.' },
      { name: 'meta', description: 'About this API.' },
    ],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: { ...schemas() },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'petstore_live_… or petstore_test_…',
          description: `An API key: \`Authorization: Bearer <API_KEY>\`. It reads \`${PATTERNS.apiKey}\`. Its scopes say what it may do; each operation names the one that it needs in \`x-required-scope\`.`,
          'x-scopes': SCOPE_MEANING,
        },
      },
      headers: headerComponents(),
      parameters: PARAMETERS,
      examples: errorExamples(ERROR_EXAMPLES, ERROR_STATUS, ERROR_MEANING),
    },
  };
}

const SCOPE_MEANING: Readonly<Record<Scope, string>> = { 'pets:read': 'List and get animals', 'pets:write': 'Add animals' };

/** Stages have addresses of their own, so a host that is none of them is the default. */
const SERVERS: readonly Json[] = [
  { url: '/', description: 'The host that serves this document' },
  {
    url: '{baseUrl}',
    description: 'Production, staging, or a service on your machine: its base address, without `/v1`',
    variables: { baseUrl: { default: 'http://127.0.0.1:8080', description: 'The default is where `npm start` serves' } },
  },
];

const INTRODUCTION = `The catalogue of animals available for adoption.

Every request carries an API key as a bearer token. Limits count per account, in UTC minutes and UTC days; a request over a limit answers 429 with \`Retry-After\` in whole seconds and uses up nothing. A client that keeps sending several requests a second after a 429 is banned, after about half a minute at the earliest and for 5 minutes at first. Back off exponentially.

Every error body is \`{code, message, status}\`. Operations to change or delete an animal, and those of the groups Store and Pets (\`GET /store/orders\`), are not part of this version: they answer 404 or 405.`;

function operationObject(operation: CatalogueOperation): Json {
  const { summary, description, success, errors, parameters = [], requestBody } = DESCRIPTIONS[operation.id];
  const always = [...ALWAYS, ...SOMETIMES, ...(operation.scope === undefined ? [] : DRAFT), ...(operation.deprecation ? DEPRECATED : [])];
  return {
    operationId: operation.id,
    summary,
    description: operation.scope === undefined ? description : `${description} The key needs the scope \`${operation.scope}\`.`,
    tags: [operation.id === 'getOpenApi' ? 'meta' : 'animals'],
    ...(operation.deprecation && { deprecated: true }),
    ...(operation.scope === undefined ? { security: [] } : { security: [{ apiKey: [] }], 'x-required-scope': operation.scope }),
    parameters,
    ...(requestBody && { requestBody }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: headersOf([...always, ...success.headers]),
        content: { 'application/json': { schema: success.schema, example: success.example } },
        ...(success.links && { links: success.links }),
      },
      ...(operation.method === 'GET' && {
        304: { description: 'Not changed since the ETag of `If-None-Match`.', headers: headersOf([...always, ...success.headers]) },
      }),
      ...errorResponses(errors, {
        status: ERROR_STATUS,
        meaning: ERROR_MEANING,
        headers: (status) => headersOf([...always, ...(ERROR_HEADERS[status] ?? [])]),
      }),
    },
  };
}

/** Headers that come with a status. */
const ERROR_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

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
    return { name, in: 'query', required: false, description, schema: name === 'status' ? ref('PetStatus') : schema, example: QUERY_EXAMPLES[name] };
  });
}

/** Headers that are on each answer which lists them; the others depend on the request. */
const REQUIRED: readonly HeaderName[] = [...ALWAYS, ...VALIDATORS, 'Location', 'Allow', 'WWW-Authenticate', 'Retry-After'];

function headerComponents(): Json {
  const { 'X-Content-Type-Options': _, ...sent } = HEADERS;
  const cacheControl = {
    ...HEADERS['Cache-Control'],
    schema: { type: 'string', enum: ['private, no-cache', 'no-cache'] },
    example: 'private, no-cache',
  };
  return Object.fromEntries(
    Object.entries({ ...sent, 'Cache-Control': cacheControl }).map(([name, header]) => [
      name,
      REQUIRED.some((each) => each === name) ? { ...header, required: true } : header,
    ]),
  );
}

const PARAMETERS: Json = {
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'ETags that the client has: 304 if one still holds.',
    schema: { type: 'string' },
    example: HEADERS.ETag.example,
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Makes the request safe to repeat for 24 hours: 1 to 255 visible ASCII characters, quoted or bare; a UUID, for example.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: PATTERNS.idempotencyKey },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
};
