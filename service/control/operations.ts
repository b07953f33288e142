// The operations of the control API, which the dashboard talks to: paths, inputs and answers, as one table. What validates is what the
// OpenAPI document is made from.

import * as z from 'zod';
import type { HttpMethod, Operation } from '../http/operation.ts';
import {
  accountInput,
  configurationInput,
  domainInput,
  keyInput,
  projectInput,
  removalQuery,
  rollBackInput,
  rotationInput,
  sandboxRecordInput,
  sandboxRecordQuery,
} from './inputs.ts';
import { account, configuration, deployment, domain, done, issuedKey, key, me, member, project, rotatedKey, sandboxRecord, usage } from './shapes.ts';

export const CONTROL_PREFIX = '/dashboard/v1';

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
    body: accountInput,
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
    body: keyInput,
    status: 201,
    result: issuedKey,
  },
  rotateKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys/{keyId}/rotate',
    summary: 'Issues a successor, and lets the key end after a grace period.',
    creates: true,
    body: rotationInput,
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
    body: projectInput,
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
    body: rollBackInput,
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
    body: configurationInput,
    status: 200,
    result: configuration,
  },
  listDomains: { method: 'GET', path: '/projects/{projectId}/domains', summary: 'Domains, oldest first.', status: 200, result: z.array(domain) },
  addDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains',
    summary: 'Adds a domain; the answer has the records to set.',
    creates: true,
    body: domainInput,
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
    query: removalQuery,
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
    body: sandboxRecordInput,
    status: 200,
    result: sandboxRecord,
  },
  unsetSandboxRecord: {
    method: 'DELETE',
    path: '/sandbox/records',
    summary: 'Removes a record of the sandbox.',
    query: sandboxRecordQuery,
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
