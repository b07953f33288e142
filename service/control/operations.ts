// The operations of the control API, which the dashboard talks to: paths, inputs and answers, as one table. What validates is what the
// OpenAPI document is made from.

import * as z from 'zod';
import { MAX_GRACE_DAYS, MAX_KEY_LIFETIME_DAYS } from '../../core/access/account.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { configurationSchema } from '../../core/domains/configuration.ts';
import { SANDBOX_TYPES } from '../../core/sandbox/records.ts';
import type { HttpMethod, Operation } from '../http/operation.ts';
import { PATTERNS } from '../openapi/patterns.ts';
import {
  account,
  configuration,
  deployment,
  domain,
  done,
  issuedKey,
  key,
  me,
  member,
  name,
  project,
  rotatedKey,
  sandboxRecord,
  usage,
} from './shapes.ts';

export const CONTROL_PREFIX = '/dashboard/v1';

const MAX_GRACE_SECONDS = MAX_GRACE_DAYS * 86_400;

/** An operation as the table has it, by its id. */
export interface ControlRow {
  readonly method: HttpMethod;
  /** Below the prefix; parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** @default it takes none */
  readonly body?: z.ZodType;
  /** @default it takes none */
  readonly query?: z.ZodObject;
  readonly status: 200 | 201;
  readonly result: z.ZodType;
  /** Without a signed-in user. @default false */
  readonly open?: boolean;
  /** Makes something new; safe to repeat with an Idempotency-Key. @default false */
  readonly creates?: boolean;
}

/** Lower case is taken too. */
const recordType = z.string('a type').meta({ enum: [...SANDBOX_TYPES] });
const recordValue = z
  .string('a value')
  .meta({ description: 'As in a zone file: an address, a name, a text, or flags, tag and value of a CAA record', minLength: 1 });
const unsetRecord = z.strictObject({ name: z.string('a name').describe('As it is listed'), type: recordType, value: recordValue });

/** A parameter of a query that is `true`, or `false` as if it were left out. */
function flag(description: string) {
  return z
    .enum(['true', 'false'], 'true or false')
    .transform((text) => text === 'true')
    .optional()
    .describe(description);
}

export const CONTROL_OPERATIONS = {
  getOpenApi: { method: 'GET', path: '/openapi.json', summary: 'This document.', status: 200, result: z.record(z.string(), z.unknown()), open: true },
  getMe: {
    method: 'GET',
    path: '/me',
    summary: 'Who is signed in, what they may act for, and where.',
    status: 200,
    result: me,
  },
  signOutEverywhere: {
    method: 'POST',
    path: '/me/sign-out',
    summary: "Ends all of the user's sessions at once, this one too, where users are kept here.",
    status: 200,
    result: done,
  },
  listAccounts: { method: 'GET', path: '/accounts', summary: 'The accounts that the user is a member of.', status: 200, result: z.array(account) },
  createAccount: {
    method: 'POST',
    path: '/accounts',
    summary: 'Makes an account on the plan Free, with the user as its member.',
    creates: true,
    body: z.strictObject({ name }).meta({ id: 'AccountInput' }),
    status: 201,
    result: account,
  },
  getAccount: { method: 'GET', path: '/accounts/{accountId}', summary: 'An account.', status: 200, result: account },
  listMembers: {
    method: 'GET',
    path: '/accounts/{accountId}/members',
    summary: 'The users who may act for the account.',
    status: 200,
    result: z.array(member),
  },
  removeMember: {
    method: 'DELETE',
    path: '/accounts/{accountId}/members/{userId}',
    summary: 'No longer lets a user act for the account. The last member stays.',
    status: 200,
    result: done,
  },
  getUsage: {
    method: 'GET',
    path: '/accounts/{accountId}/usage',
    summary: "An account's use of its quota; counts as no request.",
    status: 200,
    result: usage,
  },
  listKeys: { method: 'GET', path: '/accounts/{accountId}/keys', summary: 'API keys, without their texts.', status: 200, result: z.array(key) },
  issueKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys',
    summary: 'Issues an API key; its text is in this answer alone.',
    creates: true,
    body: z
      .strictObject({
        name,
        scopes: z
          .array(z.enum(SCOPES, `one of ${SCOPES.join(', ')}`), `a list of ${SCOPES.join(', ')}`)
          .min(1, 'at least one scope')
          .default([...SCOPES])
          .describe('What the key may do'),
        expiresInDays: z
          .int(`days from 1 to ${MAX_KEY_LIFETIME_DAYS}`)
          .min(1, `days from 1 to ${MAX_KEY_LIFETIME_DAYS}`)
          .max(MAX_KEY_LIFETIME_DAYS, `days from 1 to ${MAX_KEY_LIFETIME_DAYS}`)
          .optional()
          .describe('Without it, the key does not expire'),
      })
      .meta({ id: 'KeyInput' }),
    status: 201,
    result: issuedKey,
  },
  rotateKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys/{keyId}/rotate',
    summary: 'Issues a successor, and lets the key end after a grace period.',
    creates: true,
    body: z
      .strictObject({
        graceSeconds: z
          .int(`seconds from 0 to ${MAX_GRACE_SECONDS}`)
          .min(0, `seconds from 0 to ${MAX_GRACE_SECONDS}`)
          .max(MAX_GRACE_SECONDS, `seconds from 0 to ${MAX_GRACE_SECONDS}`)
          .default(86_400)
          .describe('How long the old key goes on working'),
      })
      .meta({ id: 'RotationInput' }),
    status: 201,
    result: rotatedKey,
  },
  unbanKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys/{keyId}/unban',
    summary: "Lifts a key's ban; takes effect within a minute. The next ban is still longer.",
    status: 200,
    result: key,
  },
  revokeKey: { method: 'DELETE', path: '/accounts/{accountId}/keys/{keyId}', summary: 'Stops a key at once.', status: 200, result: done },
  listProjects: { method: 'GET', path: '/accounts/{accountId}/projects', summary: 'Projects, oldest first.', status: 200, result: z.array(project) },
  createProject: {
    method: 'POST',
    path: '/accounts/{accountId}/projects',
    summary: 'Makes a project, which serves the API reference until something is published.',
    creates: true,
    body: z.strictObject({ name }).meta({ id: 'ProjectInput' }),
    status: 201,
    result: project,
  },
  getProject: { method: 'GET', path: '/projects/{projectId}', summary: 'A project.', status: 200, result: project },
  listDeployments: {
    method: 'GET',
    path: '/projects/{projectId}/deployments',
    summary: 'Deployments, newest first.',
    status: 200,
    result: z.array(deployment),
  },
  rollBack: {
    method: 'POST',
    path: '/projects/{projectId}/rollback',
    summary: 'Serves an earlier deployment again: the one named, or the one before the current.',
    body: z
      .strictObject({
        deploymentId: z
          .string('the id of a deployment')
          .optional()
          .meta({ description: 'Without it, the one before the current', pattern: PATTERNS.deploymentId }),
      })
      .meta({ id: 'RollBackInput' }),
    status: 200,
    result: project,
  },
  getConfiguration: {
    method: 'GET',
    path: '/projects/{projectId}/configuration',
    summary: 'The primary domain and the redirects.',
    status: 200,
    result: configuration,
  },
  putConfiguration: {
    method: 'PUT',
    path: '/projects/{projectId}/configuration',
    summary: 'Takes the place of the configuration before.',
    // Its own rules say more than a shape can; this one is for the document.
    body: z.unknown().meta({
      id: 'ProjectConfigurationInput',
      ...z.toJSONSchema(configurationSchema, { io: 'input', target: 'draft-2020-12' }),
      $schema: undefined,
    }),
    status: 200,
    result: configuration,
  },
  listDomains: { method: 'GET', path: '/projects/{projectId}/domains', summary: 'Domains, oldest first.', status: 200, result: z.array(domain) },
  addDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains',
    summary: 'Adds a domain; the answer has the records to set.',
    creates: true,
    body: z
      .strictObject({ host: z.string('a host name').describe('As its owner types it: any case, in Unicode or ASCII') })
      .meta({ id: 'DomainInput' }),
    status: 201,
    result: domain,
  },
  getDomain: { method: 'GET', path: '/projects/{projectId}/domains/{domainId}', summary: 'A domain.', status: 200, result: domain },
  verifyDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains/{domainId}/verify',
    summary: 'Verify and Re-verify: checks the DNS now; what follows goes on by itself.',
    status: 200,
    result: domain,
  },
  publishRecords: {
    method: 'POST',
    path: '/projects/{projectId}/domains/{domainId}/publish',
    summary: "Sets the domain's records, where their zone is in our hands.",
    status: 200,
    result: domain,
  },
  removeDomain: {
    method: 'DELETE',
    path: '/projects/{projectId}/domains/{domainId}',
    summary: 'Stops serving the domain at once, and takes down what was made for it.',
    query: z.strictObject({ withRedirects: flag('Also if it is the primary domain, or redirects lead to it: they end too.') }),
    status: 200,
    result: domain,
  },
  listSandboxRecords: {
    method: 'GET',
    path: '/sandbox/records',
    summary: "The records of the sandbox's DNS that the user's accounts or the operator set, where there is a sandbox.",
    status: 200,
    result: z.array(sandboxRecord),
  },
  setSandboxRecord: {
    method: 'PUT',
    path: '/sandbox/records',
    summary: 'Sets a record of the sandbox, as at a registrar, in the place of those of its name and type.',
    body: z
      .strictObject({
        name: z.string('a name').describe("Below the sandbox's suffix; the first label may be *"),
        type: recordType,
        value: recordValue,
        ttl: z.int('seconds').optional().meta({ description: 'Seconds', minimum: 1, maximum: 604_800, default: 3_600 }),
        accountId: z
          .string('an account')
          .optional()
          .meta({ description: "Whose it is; without it, that of the user's oldest account", pattern: PATTERNS.accountId }),
      })
      .meta({ id: 'SandboxRecordInput' }),
    status: 200,
    result: sandboxRecord,
  },
  unsetSandboxRecord: {
    method: 'DELETE',
    path: '/sandbox/records',
    summary: 'Removes a record of the sandbox.',
    query: unsetRecord,
    status: 200,
    result: done,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;

export type ControlOperationId = keyof typeof CONTROL_OPERATIONS;

export interface ControlOperation extends Operation<ControlOperationId> {
  readonly open: boolean;
}

/** As the engine has them: with their ids, and whole paths. */
export const OPERATIONS: readonly ControlOperation[] = (Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlRow][]).map(
  ([id, { method, path, body, query, open = false }]) => ({ id, method, path: `${CONTROL_PREFIX}${path}`, body, query, open }),
);

/** What nobody changes who gets it. */
export type Unchanged<T> = T extends readonly (infer Element)[]
  ? readonly Unchanged<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

/** An answer. */
export type ControlResult<Id extends ControlOperationId> = Unchanged<z.infer<(typeof CONTROL_OPERATIONS)[Id]['result']>>;
