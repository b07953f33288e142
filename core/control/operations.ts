// The operations of the control API, which the dashboard talks to: paths, inputs and answers, as one table. What validates is what the
// OpenAPI document is made from.

import * as z from 'zod';
import { PLAN_NAMES } from '../access/plans.ts';
import { SCOPES } from '../access/scopes.ts';
import { CERTIFICATE_FAILURES, SUSPENSION_REASONS } from '../domains/domain.ts';
import { REDIRECT_STATUSES } from '../domains/redirects.ts';

export const CONTROL_PREFIX = '/dashboard/v1';

const time = z.iso.datetime();
const name = z.string('a text').min(1, '1 to 100 characters').max(100, '1 to 100 characters');

const account = z.object({
  accountId: z.string(),
  name: z.string(),
  plan: z.enum(PLAN_NAMES),
  limits: z.object({ perMinute: z.int(), perDay: z.int() }),
  createdAt: time,
});
const project = z.object({
  projectId: z.string(),
  accountId: z.string(),
  name: z.string(),
  target: z.string().describe('What the CNAME of its domains says'),
  deploymentId: z.string().nullable().describe('The deployment that is served'),
  createdAt: time,
});
const deployment = z.object({ deploymentId: z.string(), current: z.boolean(), createdAt: time, files: z.int(), bytes: z.int() });
const record = z.object({
  type: z.enum(['CNAME', 'ALIAS', 'TXT']),
  name: z.string(),
  label: z.string().describe('The name as most registrars want it: without the registered domain, @ for that domain itself'),
  value: z.string(),
  ttl: z.int().describe('Seconds'),
});
const domain = z.object({
  domainId: z.string(),
  host: z.string(),
  projectId: z.string(),
  state: z.string(),
  since: time,
  diagnosis: z
    .object({ code: z.string(), seen: z.string(), fix: z.string(), actor: z.enum(['owner', 'dns_provider', 'platform', 'nobody']) })
    .nullable(),
  nextCheckAt: time.optional(),
  failure: z.enum(CERTIFICATE_FAILURES).optional(),
  detail: z.string().optional(),
  reason: z.enum(SUSPENSION_REASONS).optional(),
  canVerify: z.boolean().describe('Is Verify, or Re-verify, possible now?'),
  certificateLate: z.boolean().describe('No certificate within 30 minutes: check the record and CAA records, then Re-verify'),
  history: z.array(z.object({ state: z.string(), at: time })),
  records: z.array(record).describe('What has to stand in the DNS'),
});
const configuration = z.object({
  domains: z.object({
    primary: z.string().optional(),
    redirects: z.array(z.object({ from: z.string(), to: z.string(), status: z.literal(REDIRECT_STATUSES) })),
  }),
});
const key = z.object({
  keyId: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  state: z.enum(['active', 'banned', 'expired']),
  createdAt: time,
  expiresAt: time.nullable(),
  bannedUntil: time.nullable().describe('Null if no ban is in force'),
  lastUsedAt: time.nullable().describe('To the minute; null if it has not been used'),
});
const issuedKey = key.extend({ key: z.string().describe('The key itself, only here and only now') });
const window = z.object({ used: z.int(), limit: z.int(), remaining: z.int(), resetAt: time });
const usage = z.object({
  accountId: z.string(),
  plan: z.enum(PLAN_NAMES),
  minute: window,
  day: window,
  bans: z.array(z.object({ keyId: z.string(), until: time, level: z.int() })),
  history: z
    .object({
      minutes: z.array(z.object({ startsAt: time, admitted: z.int() })),
      days: z.array(z.object({ startsAt: time, admitted: z.int(), refused: z.int().describe('Answered 429; told up to a minute later') })),
    })
    .describe('Oldest first; the last of each is the current one'),
});
const sandboxRecord = z.object({ name: z.string(), type: z.string(), value: z.string(), ttl: z.int() });
const done = z.object({ done: z.literal(true) });

const MAX_LIFETIME_DAYS = 3_650;
const MAX_GRACE_SECONDS = 30 * 86_400;

export interface ControlOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the prefix; parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** @default it takes none */
  readonly body?: z.ZodType;
  readonly status: 200 | 201;
  readonly result: z.ZodType;
  /** Without a signed-in user. @default false */
  readonly open?: boolean;
  /** Makes something new; safe to repeat with an Idempotency-Key. @default false */
  readonly creates?: boolean;
}

export const CONTROL_OPERATIONS = {
  getOpenApi: { method: 'GET', path: '/openapi.json', summary: 'This document.', status: 200, result: z.record(z.string(), z.unknown()), open: true },
  getMe: {
    method: 'GET',
    path: '/me',
    summary: 'Who is signed in, what they may act for, and where.',
    status: 200,
    result: z.object({
      userId: z.string(),
      email: z.string().nullable(),
      accounts: z.array(account),
      platform: z.object({ edgeHost: z.string(), httpsPort: z.int().describe('Where domains are served'), sandboxSuffix: z.string().nullable() }),
    }),
  },
  listAccounts: { method: 'GET', path: '/accounts', summary: 'The accounts that the user is a member of.', status: 200, result: z.array(account) },
  createAccount: {
    method: 'POST',
    path: '/accounts',
    summary: 'Makes an account on the plan Free, with the user as its member.',
    creates: true,
    body: z.strictObject({ name }),
    status: 201,
    result: account,
  },
  getAccount: { method: 'GET', path: '/accounts/{accountId}', summary: 'An account.', status: 200, result: account },
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
    body: z.strictObject({
      name,
      scopes: z
        .array(z.enum(SCOPES, `one of ${SCOPES.join(', ')}`), `a list of ${SCOPES.join(', ')}`)
        .min(1, 'at least one scope')
        .default([...SCOPES]),
      expiresInDays: z
        .int(`days from 1 to ${MAX_LIFETIME_DAYS}`)
        .min(1, `days from 1 to ${MAX_LIFETIME_DAYS}`)
        .max(MAX_LIFETIME_DAYS, `days from 1 to ${MAX_LIFETIME_DAYS}`)
        .optional(),
    }),
    status: 201,
    result: issuedKey,
  },
  rotateKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys/{keyId}/rotate',
    summary: 'Issues a successor, and lets the key end after a grace period.',
    creates: true,
    body: z.strictObject({
      graceSeconds: z
        .int(`seconds from 0 to ${MAX_GRACE_SECONDS}`)
        .min(0, `seconds from 0 to ${MAX_GRACE_SECONDS}`)
        .max(MAX_GRACE_SECONDS, `seconds from 0 to ${MAX_GRACE_SECONDS}`)
        .default(86_400),
    }),
    status: 201,
    result: issuedKey.extend({ oldKeyId: z.string(), oldExpiresAt: time }),
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
    body: z.strictObject({ name }),
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
    body: z.strictObject({ deploymentId: z.string('the id of a deployment').optional() }),
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
    body: z.unknown(),
    status: 200,
    result: configuration,
  },
  listDomains: { method: 'GET', path: '/projects/{projectId}/domains', summary: 'Domains, oldest first.', status: 200, result: z.array(domain) },
  addDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains',
    summary: 'Adds a domain; the answer has the records to set.',
    creates: true,
    body: z.strictObject({ host: z.string('a host name') }),
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
    body: z.strictObject({
      name: z.string('a name'),
      type: z.string('a type'),
      value: z.string('a value'),
      ttl: z.int('seconds').optional(),
      accountId: z.string('an account').optional().describe("Whose it is; without it, that of the user's oldest account"),
    }),
    status: 200,
    result: sandboxRecord,
  },
  unsetSandboxRecord: {
    method: 'DELETE',
    path: '/sandbox/records',
    summary: 'Removes a record of the sandbox.',
    body: z.strictObject({ name: z.string('a name'), type: z.string('a type'), value: z.string('a value') }),
    status: 200,
    result: done,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export type ControlOperationId = keyof typeof CONTROL_OPERATIONS;

export type ControlBody<Id extends ControlOperationId> = (typeof CONTROL_OPERATIONS)[Id] extends { body: infer Schema extends z.ZodType }
  ? z.infer<Schema>
  : undefined;

/** An answer. Whoever gets it changes nothing in it. */
export type ControlResult<Id extends ControlOperationId> = Unchanged<z.infer<(typeof CONTROL_OPERATIONS)[Id]['result']>>;

type Unchanged<T> = T extends readonly (infer Element)[]
  ? readonly Unchanged<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

export type ControlRoute =
  | { readonly kind: 'operation'; readonly id: ControlOperationId; readonly parameters: Readonly<Record<string, string>> }
  | { readonly kind: 'method_not_allowed'; readonly allow: string }
  | { readonly kind: 'not_found' };

const PATTERNS = (Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlOperation][]).map(([id, operation]) => ({
  id,
  method: operation.method,
  pattern: new RegExp(`^${CONTROL_PREFIX}${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[\\w-]{1,64})').replace('.', '\\.')}/?$`),
}));

export function routeControl(method: string, path: string): ControlRoute {
  const there = PATTERNS.map((each) => ({ ...each, match: each.pattern.exec(path) })).filter(({ match }) => match !== null);
  const found = there.find((each) => each.method === method);
  if (found !== undefined) return { kind: 'operation', id: found.id, parameters: { ...found.match?.groups } };
  return there.length === 0 ? { kind: 'not_found' } : { kind: 'method_not_allowed', allow: there.map((each) => each.method).join(', ') };
}
