// The inputs to the control API's operations: bodies and queries. The OpenAPI document is generated from the schemas that validate them.

import * as z from 'zod';
import { MAX_GRACE_DAYS, MAX_KEY_LIFETIME_DAYS } from '../../core/access/account.ts';
import { MAX_TOKEN_LIFETIME_DAYS } from '../../core/access/deploy-tokens.ts';
import { ROLES, SCOPES } from '../../core/access/permissions.ts';
import { isNote, MAX_NOTE_LENGTH } from '../../core/access/plan-requests.ts';
import { PLAN_NAMES, planOf } from '../../core/access/plans.ts';
import { AUDIT_ID_PATTERN } from '../../core/audit/entry.ts';
import { configurationSchema } from '../../core/domains/configuration.ts';
import { isEmailAddress, normalEmail } from '../../core/identity/user.ts';
import { CURSOR_PATTERN, MAX_PAGE_SIZE } from '../../core/list-page.ts';
import { SANDBOX_TYPES } from '../../core/sandbox/records.ts';
import { PATTERNS } from '../openapi/patterns.ts';
import { name } from './shapes.ts';

const MAX_GRACE_SECONDS = MAX_GRACE_DAYS * 86_400;
const LIFETIME_ALLOWED = `a whole number of days from 1 to ${MAX_KEY_LIFETIME_DAYS}`;
const GRACE_ALLOWED = `a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}`;

export const accountInput = z.strictObject({ name }).meta({ id: 'AccountInput' });

export const keyInput = z
  .strictObject({
    name,
    scopes: z
      .array(z.enum(SCOPES, `one of ${SCOPES.join(', ')}`), `a list of ${SCOPES.join(', ')}`)
      .min(1, 'at least one scope')
      .default([...SCOPES])
      .describe('What the key permits'),
    expiresInDays: z
      .int(LIFETIME_ALLOWED)
      .min(1, LIFETIME_ALLOWED)
      .max(MAX_KEY_LIFETIME_DAYS, LIFETIME_ALLOWED)
      .optional()
      .describe('If omitted, the key does not expire'),
  })
  .meta({ id: 'KeyInput' });

export const rotationInput = z
  .strictObject({
    graceSeconds: z
      .int(GRACE_ALLOWED)
      .min(0, GRACE_ALLOWED)
      .max(MAX_GRACE_SECONDS, GRACE_ALLOWED)
      .default(86_400)
      .describe('How long the old key keeps working'),
  })
  .meta({ id: 'RotationInput' });

export const memberInput = z.strictObject({ role: z.enum(ROLES, `one of ${ROLES.join(', ')}`) }).meta({ id: 'MemberInput' });

export const invitationInput = z
  .strictObject({
    email: z
      .string('an email address')
      .refine((typed) => isEmailAddress(normalEmail(typed)), 'an email address, such as ann@example.com')
      .meta({ description: 'The address to invite, in any case', maxLength: 254, pattern: PATTERNS.email }),
    role: z.enum(ROLES, `one of ${ROLES.join(', ')}`).default('member'),
  })
  .meta({ id: 'InvitationInput' });

export const invitationTokenInput = z
  .strictObject({ token: z.string('a token').max(200, 'a token').describe("The part of the invitation's link after #") })
  .meta({ id: 'InvitationTokenInput' });

export const endSessionsInput = z
  .strictObject({
    sessionId: z
      .string('the id of a session')
      .optional()
      .meta({ description: 'If omitted, all but the one of this request', pattern: PATTERNS.sessionId }),
  })
  .meta({ id: 'EndSessionsInput' });

const TOKEN_LIFETIME_ALLOWED = `a whole number of days from 1 to ${MAX_TOKEN_LIFETIME_DAYS}`;

export const deployTokenInput = z
  .strictObject({
    name,
    expiresInDays: z
      .int(TOKEN_LIFETIME_ALLOWED)
      .min(1, TOKEN_LIFETIME_ALLOWED)
      .max(MAX_TOKEN_LIFETIME_DAYS, TOKEN_LIFETIME_ALLOWED)
      .default(90)
      .describe('How long the token works'),
  })
  .meta({ id: 'DeployTokenInput' });

export const planRequestInput = z
  .strictObject({
    plan: z.enum(PLAN_NAMES, `one of ${PLAN_NAMES.join(', ')}`),
    note: z.string('a text').refine(isNote, `up to ${MAX_NOTE_LENGTH} characters, on one line`).default('').meta({
      description: 'What the operator should know: up to 500 characters, without control characters',
      maxLength: MAX_NOTE_LENGTH,
      pattern: PATTERNS.note,
    }),
  })
  .meta({ id: 'PlanRequestInput' });

export const projectInput = z.strictObject({ name }).meta({ id: 'ProjectInput' });

export const rollBackInput = z
  .strictObject({
    deploymentId: z
      .string('the id of a deployment')
      .optional()
      .meta({ description: 'If omitted, the one before the current', pattern: PATTERNS.deploymentId }),
  })
  .meta({ id: 'RollBackInput' });

const MOST_FILES = Math.max(...PLAN_NAMES.map((plan) => planOf(plan).deployment.files));
const LARGEST_FILE = Math.max(...PLAN_NAMES.map((plan) => planOf(plan).deployment.fileBytes));
const BYTES_ALLOWED = 'a whole number of bytes';

export const uploadInput = z
  .strictObject({
    files: z
      .array(
        z.strictObject({
          name: z
            .string('a file name')
            .meta({ description: 'Relative path with / between segments; the page of a folder is index.html', minLength: 1, maxLength: 994 }),
          bytes: z.int(BYTES_ALLOWED).min(0, BYTES_ALLOWED).meta({ maximum: LARGEST_FILE }),
          sha256: z
            .string('a SHA-256 digest')
            .regex(/^[0-9a-f]{64}$/, 'a SHA-256 digest, 64 lower-case hexadecimal digits')
            .describe('Digest of the content'),
        }),
        'a list of files',
      )
      .min(1, 'at least one file, such as index.html')
      .max(MOST_FILES, `at most ${MOST_FILES} files`),
  })
  .meta({ id: 'UploadInput' });

const LIMIT_ALLOWED = `an integer from 1 to ${MAX_PAGE_SIZE}`;
const TIME_ALLOWED = 'a time in ISO 8601 in UTC, such as 2026-03-03T00:00:00Z';
const CURSOR_ALLOWED = 'the cursor of a next link of this list';

/** A page of a list. */
export const pageQuery = z.strictObject({
  limit: z
    .string(LIMIT_ALLOWED)
    .refine((limit) => /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= MAX_PAGE_SIZE, LIMIT_ALLOWED)
    .transform(Number)
    .optional()
    .meta({ description: 'Items per page; without it and without a cursor, the whole list', type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE }),
  cursor: z
    .string(CURSOR_ALLOWED)
    .regex(new RegExp(CURSOR_PATTERN), CURSOR_ALLOWED)
    .optional()
    .meta({ description: 'Where the page starts: taken from the `Link` header of the previous page', pattern: CURSOR_PATTERN }),
});

/** Which entries of the audit log, and which page of them. */
export const auditQuery = z.strictObject({
  since: z.iso
    .datetime(TIME_ALLOWED)
    .transform(Date.parse)
    .optional()
    .meta({ description: 'Entries from then on', type: 'string', format: 'date-time', example: '2026-03-01T00:00:00Z' }),
  until: z.iso
    .datetime(TIME_ALLOWED)
    .transform(Date.parse)
    .optional()
    .meta({ description: 'Entries before then', type: 'string', format: 'date-time', example: '2026-03-04T00:00:00Z' }),
  limit: pageQuery.shape.limit.meta({ description: 'Items per page', type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE }),
  cursor: z.string(CURSOR_ALLOWED).regex(new RegExp(AUDIT_ID_PATTERN), CURSOR_ALLOWED).optional().meta({
    description: 'Where the page starts: taken from the `Link` header of the previous page',
    pattern: AUDIT_ID_PATTERN,
    example: 'aud_mmb4q7k000000h3Kd9Z',
  }),
});

export const uploadQuery = z.strictObject({
  after: z
    .string('a text')
    .regex(/^\d{1,6}$/, '`next` of the page before')
    .optional()
    .meta({ description: '`next` of the page before; if omitted, the first page' }),
});

/** Only for the document: the rules for a configuration go beyond its shape. */
export const configurationInput = z.unknown().meta({
  id: 'ProjectConfigurationInput',
  ...z.toJSONSchema(configurationSchema, { io: 'input', target: 'draft-2020-12' }),
  $schema: undefined,
});

export const domainInput = z
  .strictObject({
    host: z.string('a host name').describe('As its owner types or pastes it: any case, in Unicode or ASCII, also as a URL'),
    companion: z
      .boolean('true or false')
      .default(false)
      .describe(
        'Also adds the same name with, or without, www, and redirects it to this one once this one is live; only for a registered domain and its www',
      ),
  })
  .meta({ id: 'DomainInput' });

/** A query parameter that is either `true` or `false`, the default. */
function flag(description: string) {
  return z
    .enum(['true', 'false'], 'true or false')
    .transform((text) => text === 'true')
    .optional()
    .describe(description);
}

export const removalQuery = z.strictObject({
  withRedirects: flag('Even if it is the primary domain or the target of redirects: these settings are removed too'),
});

/** Lower case is accepted as well. */
const recordType = z.string('a type').meta({ enum: [...SANDBOX_TYPES] });
const recordValue = z
  .string('a value')
  .meta({ description: 'As in a zone file: an address, a name, a text, or flags, tag and value of a CAA record', minLength: 1 });
export const sandboxRecordQuery = z.strictObject({ name: z.string('a name').describe('As in the list'), type: recordType, value: recordValue });

export const sandboxRecordInput = z
  .strictObject({
    name: z.string('a name').describe("Below the sandbox's suffix; the first label may be *"),
    type: recordType,
    value: recordValue,
    ttl: z.int('a whole number of seconds').optional().meta({ description: 'Seconds', minimum: 1, maximum: 604_800, default: 3_600 }),
    accountId: z
      .string('an account')
      .optional()
      .meta({ description: "The owner; if omitted, the user's oldest account", pattern: PATTERNS.accountId }),
  })
  .meta({ id: 'SandboxRecordInput' });
