// The control API's operations, which the dashboard uses, in one table: paths, inputs and outputs. The OpenAPI document is generated from the
// schemas that validate them.

import * as z from 'zod';
import type { Operation } from '../http/operation.ts';
import {
  accountInput,
  configurationInput,
  deployTokenInput,
  domainInput,
  keyInput,
  memberInput,
  planRequestInput,
  projectInput,
  removalQuery,
  rollBackInput,
  rotationInput,
  sandboxRecordInput,
  sandboxRecordQuery,
  uploadInput,
  uploadQuery,
} from './inputs.ts';
import { NOTIFICATION_OPERATIONS } from './notification-operations.ts';
import type { ControlRow } from './operation-row.ts';
import {
  account,
  configuration,
  deployment,
  deployToken,
  domain,
  done,
  issuedDeployToken,
  issuedKey,
  key,
  me,
  member,
  project,
  revokedKey,
  rotatedKey,
  sandboxRecord,
  upload,
  uploadTargets,
  usage,
} from './shapes.ts';

export const CONTROL_PREFIX = '/dashboard/v1';
/** Here pipelines request the operations that a deploy token allows: the layer in front of the API checks users' tokens, and passes these on. */
export const DEPLOY_PREFIX = '/deploy/v1';

/** A Lambda function's event is at most 6 MB. */
const MAX_MANIFEST_BYTES = 4 * 2 ** 20;

export const CONTROL_OPERATIONS = {
  getOpenApi: { method: 'GET', path: '/openapi.json', summary: 'This document.', status: 200, result: z.record(z.string(), z.unknown()), open: true },
  getMe: { method: 'GET', path: '/me', summary: 'The signed-in user, their accounts, and the platform.', status: 200, result: me },
  ...NOTIFICATION_OPERATIONS,
  signOutEverywhere: {
    method: 'POST',
    path: '/me/sign-out',
    summary: "Ends all of the user's sessions at once, including this one, if the service manages users itself.",
    status: 200,
    result: done,
  },
  listAccounts: { method: 'GET', path: '/accounts', summary: 'The accounts the user is a member of.', status: 200, result: z.array(account) },
  createAccount: {
    method: 'POST',
    path: '/accounts',
    summary: 'Creates an account on the Free plan, with the user as its owner.',
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
  changeMember: {
    method: 'PUT',
    path: '/accounts/{accountId}/members/{userId}',
    summary: "Changes a member's role. The last owner stays one.",
    role: 'owner',
    orSelf: true,
    body: memberInput,
    status: 200,
    result: member,
  },
  removeMember: {
    method: 'DELETE',
    path: '/accounts/{accountId}/members/{userId}',
    summary: 'Removes a member from the account. The last owner stays.',
    role: 'owner',
    orSelf: true,
    status: 200,
    result: done,
  },
  requestPlan: {
    method: 'PUT',
    path: '/accounts/{accountId}/plan-request',
    summary: 'Asks the operator for another plan; replaces an earlier request.',
    role: 'owner',
    body: planRequestInput,
    status: 200,
    result: account,
  },
  withdrawPlanRequest: {
    method: 'DELETE',
    path: '/accounts/{accountId}/plan-request',
    summary: 'Takes the request for a plan back, or puts a decided one away.',
    role: 'owner',
    status: 200,
    result: account,
  },
  getUsage: {
    method: 'GET',
    path: '/accounts/{accountId}/usage',
    summary: "An account's quota usage; does not count as a request.",
    status: 200,
    result: usage,
  },
  listKeys: { method: 'GET', path: '/accounts/{accountId}/keys', summary: 'API keys, without their texts.', status: 200, result: z.array(key) },
  listRevokedKeys: {
    method: 'GET',
    path: '/accounts/{accountId}/revoked-keys',
    summary: 'API keys revoked within the last 90 days, the latest first.',
    status: 200,
    result: z.array(revokedKey),
  },
  issueKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys',
    summary: 'Issues an API key; its text is only in this response.',
    creates: true,
    body: keyInput,
    status: 201,
    result: issuedKey,
  },
  rotateKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys/{keyId}/rotate',
    summary: 'Issues a successor, and ends the key after a grace period.',
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
  revokeKey: { method: 'DELETE', path: '/accounts/{accountId}/keys/{keyId}', summary: 'Revokes a key at once.', status: 200, result: done },
  listProjects: { method: 'GET', path: '/accounts/{accountId}/projects', summary: 'Projects, oldest first.', status: 200, result: z.array(project) },
  createProject: {
    method: 'POST',
    path: '/accounts/{accountId}/projects',
    summary: 'Creates a project, which serves the API reference until its first deployment.',
    creates: true,
    body: projectInput,
    status: 201,
    result: project,
  },
  getProject: { method: 'GET', path: '/projects/{projectId}', summary: 'A project.', deploys: true, status: 200, result: project },
  renameProject: {
    method: 'PUT',
    path: '/projects/{projectId}',
    summary: 'Gives a project another display name.',
    body: projectInput,
    status: 200,
    result: project,
  },
  deleteProject: {
    method: 'DELETE',
    path: '/projects/{projectId}',
    summary: 'Deletes a project without domains, and its deployments.',
    role: 'owner',
    status: 200,
    result: done,
  },
  listDeployments: {
    method: 'GET',
    path: '/projects/{projectId}/deployments',
    summary: 'Deployments, newest first.',
    deploys: true,
    status: 200,
    result: z.array(deployment),
  },
  rollBack: {
    method: 'POST',
    path: '/projects/{projectId}/rollback',
    summary: 'Makes an earlier deployment current: the given one, or the one before the current.',
    body: rollBackInput,
    deploys: true,
    status: 200,
    result: project,
  },
  deleteDeployment: {
    method: 'DELETE',
    path: '/projects/{projectId}/deployments/{deploymentId}',
    summary: 'Deletes a deployment that is not current.',
    status: 200,
    result: done,
  },
  beginUpload: {
    method: 'POST',
    path: '/projects/{projectId}/uploads',
    summary: 'Begins a deployment: announces its files.',
    creates: true,
    body: uploadInput,
    maxBodyBytes: MAX_MANIFEST_BYTES,
    deploys: true,
    status: 201,
    result: upload,
  },
  listUploadTargets: {
    method: 'GET',
    path: '/projects/{projectId}/uploads/{deploymentId}',
    summary: 'A page of requests that send the files that are missing.',
    query: uploadQuery,
    deploys: true,
    status: 200,
    result: uploadTargets,
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/projects/{projectId}/uploads/{deploymentId}',
    summary: 'Cancels an upload.',
    deploys: true,
    status: 200,
    result: done,
  },
  publishUpload: {
    method: 'POST',
    path: '/projects/{projectId}/uploads/{deploymentId}/publish',
    summary: 'Makes the deployment current, once all of its files are stored.',
    deploys: true,
    status: 200,
    result: deployment,
  },
  listDeployTokens: {
    method: 'GET',
    path: '/projects/{projectId}/deploy-tokens',
    summary: 'Deploy tokens, without their texts.',
    status: 200,
    result: z.array(deployToken),
  },
  createDeployToken: {
    method: 'POST',
    path: '/projects/{projectId}/deploy-tokens',
    summary: 'Creates a deploy token; its text is only in this response.',
    creates: true,
    body: deployTokenInput,
    status: 201,
    result: issuedDeployToken,
  },
  revokeDeployToken: {
    method: 'DELETE',
    path: '/projects/{projectId}/deploy-tokens/{tokenId}',
    summary: 'Revokes a deploy token at once.',
    status: 200,
    result: done,
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
    summary: 'Replaces the configuration.',
    body: configurationInput,
    status: 200,
    result: configuration,
  },
  listDomains: { method: 'GET', path: '/projects/{projectId}/domains', summary: 'Domains, oldest first.', status: 200, result: z.array(domain) },
  addDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains',
    summary: 'Adds a domain; the response has the records to set.',
    creates: true,
    body: domainInput,
    status: 201,
    result: domain,
  },
  getDomain: { method: 'GET', path: '/projects/{projectId}/domains/{domainId}', summary: 'A domain.', status: 200, result: domain },
  verifyDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains/{domainId}/verify',
    summary: 'Verify and Re-verify: checks the DNS now; the rest follows automatically.',
    status: 200,
    result: domain,
  },
  publishRecords: {
    method: 'POST',
    path: '/projects/{projectId}/domains/{domainId}/publish',
    summary: "Sets the domain's records, if the platform runs their zone.",
    status: 200,
    result: domain,
  },
  removeDomain: {
    method: 'DELETE',
    path: '/projects/{projectId}/domains/{domainId}',
    summary: 'Stops serving the domain at once and deletes what was made for it.',
    query: removalQuery,
    status: 200,
    result: domain,
  },
  listSandboxRecords: {
    method: 'GET',
    path: '/sandbox/records',
    summary: "The sandbox records set by the user's accounts or the operator, if the platform has a sandbox.",
    status: 200,
    result: z.array(sandboxRecord),
  },
  setSandboxRecord: {
    method: 'PUT',
    path: '/sandbox/records',
    summary: 'Sets a sandbox record, as at a DNS provider, and replaces those with the same name and type.',
    body: sandboxRecordInput,
    status: 200,
    result: sandboxRecord,
  },
  unsetSandboxRecord: {
    method: 'DELETE',
    path: '/sandbox/records',
    summary: 'Removes a sandbox record.',
    query: sandboxRecordQuery,
    status: 200,
    result: done,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;

export type ControlOperationId = keyof typeof CONTROL_OPERATIONS;

export interface ControlOperation extends Operation<ControlOperationId> {
  readonly open: boolean;
}

/** The operations as the engine needs them: with ids and full paths. */
export const OPERATIONS: readonly ControlOperation[] = (Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlRow][]).flatMap(
  ([id, { method, path, body, maxBodyBytes, query, open = false, deploys = false }]) =>
    [CONTROL_PREFIX, ...(deploys ? [DEPLOY_PREFIX] : [])].map((prefix) => ({
      id,
      method,
      path: `${prefix}${path}`,
      body,
      maxBodyBytes,
      query,
      open,
    })),
);

/** Whether a path is one for deploy tokens. */
export function isForDeployTokens(path: string): boolean {
  return path.startsWith(`${DEPLOY_PREFIX}/`);
}

/** The response is the same for all users. */
export type Unchanged<T> = T extends readonly (infer Element)[]
  ? readonly Unchanged<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

/** A response. */
export type ControlResult<Id extends ControlOperationId> = Unchanged<z.infer<(typeof CONTROL_OPERATIONS)[Id]['result']>>;
