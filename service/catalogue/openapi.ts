// The OpenAPI 3.1 document, generated from the operations, the validating schemas and the error codes.

import * as z from 'zod/mini';
import type { Scope } from '../../core/access/plans.ts';
import type { FieldValue } from '../../core/pets/fields.ts';
import { ERROR_MEANING, ERROR_STATUS } from '../http/errors.ts';
import { errorExamples, errorResponses, HEADERS, type HeaderName, headersOf, type Json } from '../openapi/headers.ts';
import { entryOf, IDEMPOTENCY_KEY, IF_NONE_MATCH, PATTERNS } from '../openapi/schemas.ts';
import { shareResponses } from '../openapi/shared-responses.ts';
import { DESCRIPTIONS, ERROR_EXAMPLES, plain, VALIDATORS } from './descriptions.ts';
import { CATALOGUE_PREFIX, type CatalogueOperation, OPERATIONS } from './operations.ts';
import { choiceSchemas, errorSchema, newPetSchema, petSchema, petsSchema } from './schemas.ts';

/** Headers of every response. */
const ALWAYS: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'];

/** Headers that depend on settings or the request. */
const SOMETIMES: readonly HeaderName[] = ['Vary', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Strict-Transport-Security'];

/** Headers for valid keys, sent only if a setting enables them. */
const DRAFT: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];

const DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

let text: string | undefined;

/** Returns the document as JSON text, generated on first use. */
export function openApiJson(): string {
  text ??= JSON.stringify(openApiDocument());
  return text;
}

/** Builds the document. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.slice(CATALOGUE_PREFIX.length);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation) };
  }
  const shared = shareResponses(paths);
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
    paths: shared.paths,
    components: {
      responses: shared.responses,
      schemas: { ...namedSchemas([newPetSchema, petSchema, petsSchema, errorSchema, ...choiceSchemas()]) },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'petstore_live_… or petstore_test_…',
          description: `An API key: \`Authorization: Bearer <API_KEY>\`. Its format is \`${PATTERNS.apiKey}\`. Its scopes define what it permits; each operation names the scope it needs in \`x-required-scope\`.`,
          'x-scopes': SCOPE_MEANING,
        },
      },
      headers: headerComponents(),
      parameters: { 'If-None-Match': IF_NONE_MATCH, 'Idempotency-Key': IDEMPOTENCY_KEY },
      examples: errorExamples(ERROR_EXAMPLES, ERROR_STATUS, ERROR_MEANING),
    },
  };
}

const SCOPE_MEANING: Readonly<Record<Scope, string>> = { 'pets:read': 'List and get animals', 'pets:write': 'Add animals' };

const EXAMPLE = 'An example; ask the operator of the service for the address';

/** The first server is the default. Only the operator knows the addresses of production and staging. */
const SERVERS: readonly Json[] = [
  { url: CATALOGUE_PREFIX, description: 'The host that serves this document' },
  {
    url: `{base_url}${CATALOGUE_PREFIX}`,
    description: 'Production',
    variables: { base_url: { default: 'https://pets.example.com', description: EXAMPLE } },
  },
  {
    url: `{staging_url}${CATALOGUE_PREFIX}`,
    description: 'Staging',
    variables: { staging_url: { default: 'https://staging.pets.example.com', description: EXAMPLE } },
  },
  { url: `http://127.0.0.1:8080${CATALOGUE_PREFIX}`, description: 'Your own machine, after `npm start`' },
];

const INTRODUCTION = `The catalogue of animals available for adoption. All accounts share one catalogue: every key reads all animals, and what one account adds, all others see.

Every request carries an API key as a bearer token. Limits apply per account, in UTC minutes and UTC days; a request over a limit gets 429 with \`Retry-After\` in whole seconds and uses up no quota. A client that keeps sending several requests per second after a 429 is banned, after about half a minute at the earliest and for 5 minutes at first. Back off exponentially.

Every error body is \`{code, message, status}\`. This version cannot change or delete animals, and has no store operations (\`GET /store/orders\`): such requests get 404 or 405.`;

function operationObject(operation: CatalogueOperation): Json {
  const {
    summary,
    description,
    success,
    errors,
    parameters = [],
    requestBody,
  } = entryOf(DESCRIPTIONS, operation.id, 'service/catalogue/descriptions.ts');
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
        304: { description: 'Not modified since the ETag in `If-None-Match`.', headers: headersOf([...always, ...success.headers]) },
      }),
      ...errorResponses(errors, {
        status: ERROR_STATUS,
        meaning: ERROR_MEANING,
        headers: (status) => ({
          ...headersOf([...always, ...(ERROR_HEADERS[status] ?? [])]),
          // Not required, because the header is only for keys without the scope; if the account is suspended, no key would help.
          ...(status === 403 && { 'WWW-Authenticate': HEADERS['WWW-Authenticate'] }),
        }),
      }),
    },
  };
}

const ERROR_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Converts schemas that have an id to JSON Schema, by id. */
export function namedSchemas(schemas: readonly z.ZodMiniType[]): Json {
  const registry = z.registry<{ id: string }>();
  for (const schema of schemas) registry.add(schema, { id: String(z.globalRegistry.get(schema)?.id) });
  const made = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'bigint') Object.assign(jsonSchema, { type: 'integer', format: 'int64' });
      // Zod leaves out defaults of bigints, and of strings, because strings are transformed.
      if (def.type === 'default') jsonSchema.default = plain((def as z.core.$ZodDefaultDef).defaultValue as FieldValue);
    },
  });
  return Object.fromEntries(Object.entries(made.schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema]));
}

/** Headers that are always sent in the responses that list them; the others depend on the request. */
const REQUIRED: readonly HeaderName[] = [...ALWAYS, ...VALIDATORS, 'Location', 'Allow', 'WWW-Authenticate', 'Retry-After'];

function headerComponents(): Json {
  const { 'X-Content-Type-Options': _, 'Content-Location': __, ...sent } = HEADERS;
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
