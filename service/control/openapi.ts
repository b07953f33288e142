// The OpenAPI 3.1 document of the control API, made from its operations.

import * as z from 'zod';
import { CONTROL_ERROR_MEANING, CONTROL_ERROR_STATUS, type ControlErrorCode } from './errors.ts';
import { CONTROL_OPERATIONS, CONTROL_PREFIX, type ControlOperation } from './operations.ts';

type Json = Record<string, unknown>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) as Json;
  return json;
};

let document: Json | undefined;

export function controlOpenApi(): Json {
  document ??= build();
  return document;
}

function build(): Json {
  const paths: Record<string, Json> = {};
  for (const [id, operation] of Object.entries(CONTROL_OPERATIONS) as [string, ControlOperation][]) {
    const path = `${CONTROL_PREFIX}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(id, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Petstore control API',
      version: '1.0.0',
      description: 'What the dashboard does: accounts, keys, projects, domains. For signed-in users.',
    },
    paths,
    components: {
      securitySchemes: { user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of a signed-in user.' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['code', 'message', 'status'],
          properties: { code: { type: 'string', enum: Object.keys(CONTROL_ERROR_STATUS) }, message: { type: 'string' }, status: { type: 'integer' } },
        },
      },
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A UUID, for example: the same request with the same key gives the same answer for 24 hours, and makes nothing a second time.',
  schema: { type: 'string', maxLength: 255 },
};

const header = (description: string, type: 'integer' | 'string') => ({ description, schema: { type } });
const COMMON_HEADERS = { 'X-Request-Id': header('Names the request in the log.', 'string') };
const LIMIT_HEADERS = {
  'X-RateLimit-Limit': header('Requests that a user may make in a UTC minute: 600. Where another limit was reached, that one.', 'integer'),
  'X-RateLimit-Remaining': header('What is left of it.', 'integer'),
  'X-RateLimit-Reset': header('When it is whole again: seconds since 1970.', 'integer'),
};
const REPLAY_HEADERS = { 'Idempotent-Replayed': header('`true`: this is the answer to an earlier request with the same Idempotency-Key.', 'string') };
const RETRY_HEADERS = { 'Retry-After': header('Seconds to wait before the next try.', 'integer') };
/** Errors that pass with time. */
const WAITING: readonly ControlErrorCode[] = ['rate_limit_exceeded', 'idempotency_in_progress', 'unavailable'];

function describe(operationId: string, { method, path, summary, body, status, result, open, creates = false, flags = {} }: ControlOperation): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const inQuery = Object.entries(flags).map(([name, description]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'boolean' },
  }));
  const parameters = [...inPath, ...inQuery, ...(creates ? [IDEMPOTENCY_KEY] : [])];
  const errors: ControlErrorCode[] = [
    ...(open ? [] : (['unauthorized'] as const)),
    ...(inPath.length > 0 ? (['not_found'] as const) : []),
    ...(body === undefined ? [] : (['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const)),
    ...(open ? [] : (['rate_limit_exceeded'] as const)),
    ...(creates ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
    ...(method === 'GET' ? [] : (['conflict'] as const)),
    'internal_error',
    'unavailable',
  ];
  return {
    operationId,
    summary,
    ...(open ? { security: [] } : { security: [{ user: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: {
      [status]: {
        description: 'Done.',
        headers: { ...COMMON_HEADERS, ...(open ? {} : LIMIT_HEADERS), ...(creates && REPLAY_HEADERS) },
        content: { 'application/json': { schema: schemaOf(result, 'output') } },
      },
      ...Object.fromEntries(
        [...Map.groupBy(errors, (code) => CONTROL_ERROR_STATUS[code])].map(([errorStatus, codes]) => [
          errorStatus,
          {
            description: codes.map((code) => `\`${code}\`: ${CONTROL_ERROR_MEANING[code]}`).join('\n\n'),
            headers: {
              ...COMMON_HEADERS,
              ...(open || errorStatus === 401 ? {} : LIMIT_HEADERS),
              ...(codes.some((code) => WAITING.includes(code)) && RETRY_HEADERS),
            },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
    },
  };
}
