// The control API's OpenAPI 3.1 document, generated from its operations.

import * as z from 'zod';
import { SIGN_IN_SETTINGS_PATH } from '../../core/identity/sign-in-settings.ts';
import { errorExamples, errorResponses, HEADERS, type HeaderName, headersOf, type Json } from '../openapi/headers.ts';
import { componentSchemas, entryOf, IDEMPOTENCY_KEY, IF_NONE_MATCH, PATTERNS, schemaOf, schemasById } from '../openapi/schemas.ts';
import { shareResponses } from '../openapi/shared-responses.ts';
import { CONTROL_ERROR_MEANING, CONTROL_ERROR_STATUS, type ControlErrorCode } from './errors.ts';
import { CONTROL_ERROR_EXAMPLES, PATH_EXAMPLES, QUERY_EXAMPLES } from './examples.ts';
import { CONTROL_PREFIX, CONTROL_TAGS, type ControlRow, DEPLOY_PREFIX, isRefusedBySuspension } from './operation.ts';
import { CONTROL_OPERATIONS, type ControlOperationId, readOf } from './operations.ts';

let document: Json | undefined;

/** Returns the document, which is built on first use. */
export function controlOpenApi(): Json {
  document ??= build();
  return document;
}

const INTRODUCTION = `Everything that the dashboard offers: accounts, keys, projects and domains, for signed-in users. Animals are in the catalogue API, which takes API keys.

Send a user's access token as a bearer token. A user may make 600 requests per UTC minute. Everything named in a path is looked up in the user's accounts: anything else gets 404. \`If-Match\` with the ETag that you have read keeps you from overwriting what you have not seen: the answer is 412 then. Some operations require the \`owner\` role; other members get 403. Those below \`/operator\` are for the operators that the installation's settings name. Some need a sign-in within the last hour (RFC 9470): with an older one, they answer 401 with \`insufficient_user_authentication\`. Pipelines send a deploy token instead, below \`${DEPLOY_PREFIX}\` instead of \`${CONTROL_PREFIX}\`. Unknown fields in a body are refused.

Every error body is \`{code, message, status}\`. Act on the code; the message is for people.`;

const EXAMPLE = 'An example; ask your operator for the address of the dashboard';
const STAGES = [
  { name: 'Production', variable: 'base_url', address: 'https://pets.example.com' },
  { name: 'Staging', variable: 'staging_url', address: 'https://staging.pets.example.com' },
] as const;
const LOCAL = 'http://127.0.0.1:8080';

/** Each operation has two addresses. The layer in front of the API checks users' tokens at one, and passes deploy tokens on at the other. */
const SERVERS: readonly Json[] = [
  { url: CONTROL_PREFIX, description: 'The host that serves this document' },
  { url: DEPLOY_PREFIX, description: 'The same host, for deploy tokens: only the operations that allow them' },
  ...STAGES.flatMap(({ name, variable, address }) => {
    const variables = { [variable]: { default: address, description: EXAMPLE } };
    return [
      { url: `{${variable}}${CONTROL_PREFIX}`, description: name, variables },
      { url: `{${variable}}${DEPLOY_PREFIX}`, description: `${name}, for deploy tokens`, variables },
    ];
  }),
  { url: `${LOCAL}${CONTROL_PREFIX}`, description: 'Your own machine, after `npm start`' },
  { url: `${LOCAL}${DEPLOY_PREFIX}`, description: 'Your own machine, for deploy tokens' },
];

const OPERATIONS = Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlRow][];

function build(): Json {
  const paths: Record<string, Json> = {};
  for (const [id, operation] of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(id, operation) };
  }
  const shared = shareResponses(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Petstore control API',
      version: '1.0.0',
      description: INTRODUCTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: SERVERS,
    tags: Object.entries(CONTROL_TAGS).map(([name, description]) => ({ name, description })),
    security: [{ user: [] }],
    paths: shared.paths,
    components: {
      responses: shared.responses,
      securitySchemes: {
        user: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `A signed-in user's access token, by authorization code with PKCE. \`${SIGN_IN_SETTINGS_PATH}\` names the OpenID provider and the client.`,
        },
        pipeline: {
          type: 'http',
          scheme: 'bearer',
          description:
            "A project's deploy token, for pipelines: it publishes the project's files, and can do nothing else. createDeployToken creates one.",
        },
      },
      headers: { ...HEADER_COMPONENTS },
      examples: errorExamples(CONTROL_ERROR_EXAMPLES, CONTROL_ERROR_STATUS, CONTROL_ERROR_MEANING),
      schemas: { Error: ERROR_SCHEMA, ...componentSchemas('input', bodies()), ...componentSchemas('output', answers()) },
    },
  };
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  description: 'The body of every error.',
  required: ['code', 'message', 'status'],
  properties: {
    code: { type: 'string', enum: Object.keys(CONTROL_ERROR_STATUS), description: 'Machine-readable error code.' },
    message: { type: 'string', description: 'What was given, what is allowed, what to do.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status code.' },
  },
};

/** Returns the named request bodies. In OpenAPI, a DELETE has none. */
function bodies(): Map<string, z.ZodType> {
  return schemasById(OPERATIONS.map(([, { body }]) => body));
}

/** Returns the named responses, and named parts of responses. */
function answers(): Map<string, z.ZodType> {
  return schemasById(OPERATIONS.map(([, { result }]) => result));
}

/** Headers of documents, which are compressed if the client accepts it. */
const ENCODED: readonly HeaderName[] = ['Vary', 'Content-Encoding'];

const IF_MATCH = {
  ...IF_NONE_MATCH,
  name: 'If-Match',
  description: 'The ETag of what the client has read. If there is another version by now, the response is 412, and nothing is changed.',
};

const REPEATABLE = {
  ...IDEMPOTENCY_KEY,
  description: 'A UUID, for example: for 24 hours, the same request with the same key gets the same response, and creates nothing a second time.',
};

const LIMITS: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Strict-Transport-Security'];

/** Headers on all of the API's own responses, but not on refusals by the host in front of it. */
const PRIVATE: readonly HeaderName[] = ['Cache-Control', 'X-Content-Type-Options'];

const HEADER_COMPONENTS: Json = {
  ...Object.fromEntries(
    [
      ...ALWAYS,
      ...PRIVATE,
      ...LIMITS,
      ...([
        'ETag',
        'Content-Location',
        'Vary',
        'Content-Encoding',
        'Retry-After',
        'Idempotent-Replayed',
        'Link',
        'Allow',
        'WWW-Authenticate',
      ] as const),
    ].map((name) => [name, HEADERS[name]]),
  ),
  'X-Request-Id': { ...HEADERS['X-Request-Id'], required: true },
  Allow: { ...HEADERS.Allow, required: true, example: 'GET, POST' },
  'WWW-Authenticate': { ...HEADERS['WWW-Authenticate'], required: true, example: 'Bearer' },
  'Cache-Control': {
    description: 'No cache may store the response, except for this document, which any cache may store and must revalidate.',
    schema: { type: 'string', enum: ['no-store', 'no-cache'] },
    example: 'no-store',
  },
  ETag: { ...HEADERS.ETag, required: true },
  Link: {
    ...HEADERS.Link,
    description: 'Path of the next page (`rel="next"`, RFC 8288); absent on the last page.',
    example: '</dashboard/v1/projects/prj_4Hq0Zt8wY2/deployments?limit=20&cursor=mibx8zo0.dpl_4Hq0Zt8wY2>; rel="next"',
  },
  'X-RateLimit-Limit': {
    ...HEADERS['X-RateLimit-Limit'],
    description: 'Requests that a user may make in a UTC minute: 600. If another limit was reached, that limit.',
    example: 600,
  },
};

const PATH_SCHEMAS: Readonly<Record<string, { readonly description: string; readonly pattern: string }>> = {
  accountId: { description: 'Id of the account.', pattern: PATTERNS.accountId },
  userId: { description: 'Id of the user.', pattern: PATTERNS.userId },
  keyId: { description: 'Id of the key.', pattern: PATTERNS.keyId },
  projectId: { description: 'Id of the project.', pattern: PATTERNS.projectId },
  deploymentId: { description: 'Id of the deployment.', pattern: PATTERNS.deploymentId },
  tokenId: { description: 'Id of the deploy token.', pattern: PATTERNS.tokenId },
  invitationId: { description: 'Id of the invitation.', pattern: PATTERNS.invitationId },
  domainId: { description: 'Id of the domain.', pattern: PATTERNS.domainId },
};

/** Temporary errors. */
const WAITING: readonly ControlErrorCode[] = ['rate_limit_exceeded', 'idempotency_in_progress', 'unavailable'];

function parametersOf(row: ControlRow): readonly Json[] {
  const { method, path, query, creates = false } = row;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, pattern } = entryOf(PATH_SCHEMAS, name, 'PATH_SCHEMAS of service/control/openapi.ts');
    return { name, in: 'path', required: true, description, schema: { type: 'string', pattern }, example: (PATH_EXAMPLES as Json)[name] };
  });
  const { properties = {}, required = [] } = query === undefined ? {} : z.toJSONSchema(query, { io: 'input' });
  const inQuery = Object.entries(properties).map(([name, property]) => {
    const { description, example: own, ...schema } = property as Json;
    const isFlag = JSON.stringify(schema.enum) === '["true","false"]';
    const example = isFlag ? true : (own ?? QUERY_EXAMPLES[name]);
    const described = description ?? `The ${name} of the record.`;
    return { name, in: 'query', required: required.includes(name), description: described, schema: isFlag ? { type: 'boolean' } : schema, example };
  });
  return [
    ...inPath,
    ...inQuery,
    ...(creates ? [REPEATABLE] : []),
    ...(method === 'GET' ? [IF_NONE_MATCH] : []),
    ...(isReadElsewhere(row) ? [IF_MATCH] : []),
  ];
}

/** Whether an operation changes a resource that has a GET operation. */
function isReadElsewhere(row: ControlRow): boolean {
  const isRead = ({ method, path }: ControlRow) => method === 'GET' && path === row.path;
  return row.method !== 'GET' && (readOf(row) !== undefined || OPERATIONS.some(([, each]) => isRead(each)));
}

function errorsOf(row: ControlRow, more: readonly ControlErrorCode[]): Set<ControlErrorCode> {
  const { method, path, body, role, needsRecentSignIn, open = false, creates = false, operator = false } = row;
  return new Set<ControlErrorCode>([
    'invalid_request',
    ...(open ? [] : (['unauthorized'] as const)),
    ...(needsRecentSignIn === undefined ? [] : (['insufficient_user_authentication'] as const)),
    ...(role === 'owner' || operator ? (['forbidden'] as const) : []),
    ...(operator ? (['second_factor_required'] as const) : []),
    ...(isRefusedBySuspension(row) ? (['account_suspended'] as const) : []),
    ...(path.includes('{') ? (['second_factor_required', 'not_found'] as const) : []),
    'method_not_allowed',
    'request_timeout',
    ...(body === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
    ...(creates ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
    ...(method === 'GET' ? [] : (['conflict'] as const)),
    'precondition_failed',
    'rate_limit_exceeded',
    'headers_too_large',
    'internal_error',
    'unavailable',
    ...more,
  ]);
}

function describe(id: ControlOperationId, operation: ControlRow): Json {
  for (const part of ['summary', 'description', 'response', 'example'] as const) entryOf(operation, part, `${id}, in service/control/resources/`);
  const { method, tag, summary, description, body, status, result, response, example, errors = [] } = operation;
  const { open = false, creates = false, paged = false, deploys = false } = operation;
  const parameters = parametersOf(operation);
  const limits = headersOf(LIMITS) as Record<string, Json>;
  const isRepresented = readOf(operation) !== undefined;
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    security: open ? [] : [{ user: [] }, ...(deploys ? [{ pipeline: [] }] : [])],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        description: 'At most 64 KiB, in UTF-8, not compressed.',
        content: { 'application/json': { schema: schemaOf(body, 'input'), example: example.body } },
      },
    }),
    responses: {
      [status]: {
        description: response,
        headers: {
          ...headersOf([
            ...ALWAYS,
            ...PRIVATE,
            ...(method === 'GET' ? (['ETag'] as const) : []),
            ...(isRepresented ? (['ETag', 'Content-Location'] as const) : []),
            ...(open ? ENCODED : []),
          ]),
          ...limits,
          ...(creates && headersOf(['Idempotent-Replayed'])),
          ...(paged && headersOf(['Link'])),
        },
        content: { 'application/json': { schema: schemaOf(result, 'output'), example: example.response } },
      },
      ...(method === 'GET' && {
        304: {
          description: 'Not modified since the ETag in `If-None-Match`.',
          headers: { ...headersOf([...ALWAYS, ...PRIVATE, 'ETag', ...(open ? ENCODED : [])]), ...limits },
        },
      }),
      ...errorResponses([...errorsOf(operation, errors)], {
        status: CONTROL_ERROR_STATUS,
        meaning: CONTROL_ERROR_MEANING,
        headers: (each, codes) => ({
          ...headersOf([...ALWAYS, ...PRIVATE]),
          // Without a user, there is no quota to report.
          ...(each === 401 ? headersOf(['WWW-Authenticate']) : limits),
          ...(each === 405 && headersOf(['Allow'])),
          ...(codes.some((code) => WAITING.includes(code)) && headersOf(['Retry-After'])),
        }),
      }),
    },
  };
}
