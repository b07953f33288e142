// Converts Zod schemas for an OpenAPI document; those with an id become components, the others are inlined.

import * as z from 'zod';
import { ACCOUNT_ID_LENGTH, ACCOUNT_ID_PREFIX } from '../../core/access/account.ts';
import { INVITATION_ID_TAIL_LENGTH } from '../../core/access/invitation.ts';
import { CURSOR_PATTERN } from '../../core/page.ts';
import { DEPLOYMENT_ID_PREFIX, DOMAIN_ID_PREFIX, ID_LENGTH, PROJECT_ID_PREFIX } from '../../core/projects/project.ts';
import { LINE_PATTERN, NAME_PATTERN } from '../../core/text.ts';
import { HEADERS, type Json } from './headers.ts';

/** Collects all schemas that have an id, including nested ones, by id. */
export function schemasById(roots: readonly (z.ZodType | undefined)[]): Map<string, z.ZodType> {
  const found = new Map<string, z.ZodType>();
  const visit = (schema: unknown): void => {
    if (!(schema instanceof z.ZodType)) return;
    const id = schema.meta()?.id;
    if (id !== undefined) found.set(id, schema);
    if (schema instanceof z.ZodObject) for (const field of Object.values(schema.shape)) visit(field);
    else if (schema instanceof z.ZodArray) visit(schema.element);
    else if (schema instanceof z.ZodRecord) visit(schema.valueType);
    else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) visit(schema.unwrap());
  };
  for (const root of roots) visit(root);
  return found;
}

/** Returns JSON Schemas for the document's components, by id. */
export function componentSchemas(io: 'input' | 'output', schemas: ReadonlyMap<string, z.ZodType>): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemas) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Later releases may add fields to responses, and clients that reject unknown fields would break. The values of a map keep their type.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The format is sufficient, and OpenAPI Generator's Python generator can't handle both a format and a pattern.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return Object.fromEntries(Object.entries(made.schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, forGenerators(schema)]));
}

/** Returns the schema of a body or a response: a reference if it has a name. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const id = schema.meta()?.id;
  if (id !== undefined) return { $ref: `#/components/schemas/${id}` };
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element as z.ZodType, io) };
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) as Json;
  return json;
}

/** Replaces what client generators can't handle: booleans that are always true, numbers as the values of an enum, and values of several types. */
function forGenerators(schema: Json): Json {
  return changed(schema) as Json;
}

function changed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(changed);
  if (typeof value !== 'object' || value === null) return value;
  const isOfIntegers = 'enum' in value && Array.isArray(value.enum) && value.enum.every(Number.isInteger);
  const entries = Object.entries(value).map(([name, each]): readonly [string, unknown] | undefined => {
    if (name === 'const' && typeof each === 'boolean') return undefined;
    if (name === 'type' && each === 'number' && isOfIntegers) return [name, 'integer'];
    if (name === 'type' && Array.isArray(each) && !each.includes('null')) return ['oneOf', each.map((type) => ({ type }))];
    return [name, changed(each)];
  });
  return Object.fromEntries(entries.filter((entry) => entry !== undefined));
}

// Entries of operations in the tables from which the documents are built.

/**
 * Returns a table's entry. The types require an entry for each operation, but `npm run generate` and `npm test` run without type checks.
 * @param file the file with the table @throws Error that names the file if there is no entry
 */
export function entryOf<Id extends string, Entry>(table: Readonly<Record<Id, Entry>>, id: Id, file: string): Entry {
  const entry: Entry | undefined = table[id];
  if (entry === undefined) throw new Error(`${id} is missing in ${file}`);
  return entry;
}

// Patterns for ids, keys and names in the OpenAPI documents (ECMA-262 without lookaround, so that all client generators can read them).

const base62 = (prefix: string, length: number) => `^${prefix}[0-9A-Za-z]{${length}}$`;

export const PATTERNS = {
  /** The account, the secret and the checksum, in base62. */
  apiKey: '^petstore_(live|test)_[0-9A-Za-z]{46}$',
  /** The project, the secret and the checksum, in base62. */
  deployToken: '^petstore_deploy_[0-9A-Za-z]{46}$',
  accountId: base62(ACCOUNT_ID_PREFIX, ACCOUNT_ID_LENGTH),
  /** The account's part, then 12 characters. */
  keyId: base62('key_', ACCOUNT_ID_LENGTH + 12),
  /** The project's part, then 12 characters. */
  tokenId: base62('tok_', ID_LENGTH + 12),
  /** The account's part, then 12 characters. */
  invitationId: base62('inv_', ACCOUNT_ID_LENGTH + INVITATION_ID_TAIL_LENGTH),
  projectId: base62(PROJECT_ID_PREFIX, ID_LENGTH),
  deploymentId: base62(DEPLOYMENT_ID_PREFIX, ID_LENGTH),
  domainId: base62(DOMAIN_ID_PREFIX, ID_LENGTH),
  /** `usr_…` if the service manages users, a UUID if Cognito does. */
  userId: '^[0-9A-Za-z_-]{1,64}$',
  /** A SHA-256 digest, in base64url. */
  sessionId: '^[0-9A-Za-z_-]{43}$',
  cursor: '^[0-9A-Za-z_-]{16}$',
  /** The cursor of the control API's lists. */
  listCursor: CURSOR_PATTERN,
  name: NAME_PATTERN,
  /** Zod's pattern for email addresses, without lookaround. */
  email: "^([A-Za-z0-9_'+-]+\\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$",
  /** On one line; may be empty. */
  note: LINE_PATTERN,
  /** A host name as stored: lower case, in ASCII, without a trailing dot. */
  host: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  /** Visible ASCII, quoted or bare. */
  idempotencyKey: '^("[!-~]{1,255}"|[!#-~][!-~]{0,254})$',
} as const;

// Request headers that both APIs have.

export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETags that the client already has; the response is 304 if one still matches.',
  schema: { type: 'string' },
  example: HEADERS.ETag.example,
} as const;

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes the request safe to repeat for 24 hours: 1 to 255 visible ASCII characters, quoted or bare; a UUID, for example.',
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: PATTERNS.idempotencyKey },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
} as const;
