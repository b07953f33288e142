// Examples in the control API's OpenAPI document. Types and a test keep them in line with the shapes.

import type * as z from 'zod';
import { suspendedMessage } from '../../core/access/account.ts';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { NOTIFICATION_KINDS } from '../../core/notifications/notification.ts';
import { OWNERS_ONLY } from './answer.ts';
import { added, removing, verifying, waiting } from './domain-examples.ts';
import type { ControlErrorCode } from './errors.ts';
import {
  accountId,
  apex,
  deploymentId,
  earlier,
  host,
  invitationId,
  keyId,
  monday,
  projectId,
  target,
  tokenId,
  tuesday,
  userId,
} from './example-values.ts';
import type { CONTROL_OPERATIONS, ControlOperationId, ControlResult } from './operations.ts';
import { planView } from './views.ts';

type Operations = typeof CONTROL_OPERATIONS;

type Example<Id extends ControlOperationId> = {
  readonly answer: ControlResult<Id>;
} & (Operations[Id] extends { body: infer Schema extends z.ZodType } ? { readonly body: z.input<Schema> } : unknown);

const sessionId = 'g4Xk0pV2bQ8sT6uY1wZ3cR5eF7hJ9mN0aB2dL4iO6kE';

const account = {
  accountId,
  name: 'My shop',
  plan: 'pro',
  limits: { perMinute: 300, perDay: 10_000 },
  role: 'owner',
  planRequest: null,
  suspension: null,
  createdAt: monday,
} as const;
const planRequest = { plan: 'business', note: 'We open a second shop in May', requestedAt: tuesday, decision: null } as const;
const invitation = {
  invitationId,
  email: 'ben@example.com',
  role: 'member',
  mailed: true,
  invitedBy: { userId, email: 'ann@example.com' },
  createdAt: monday,
  expiresAt: '2026-03-09T09:00:00.000Z',
} as const;
const invitationToken = `petstore_invite_${invitationId.slice(4)}ThisOneIsAnExample000000000000000001`;
const keyFacts = {
  keyId,
  name: 'laptop',
  hint: 'petstore_test_8sK2…0001',
  scopes: ['pets:read', 'pets:write'],
  createdAt: monday,
  createdBy: { userId, email: 'ana@example.com' },
  lastUsedAt: tuesday,
} as const;
const key = { ...keyFacts, state: 'active', expiresAt: null, expiresSoon: false, successorId: null, bannedUntil: null } as const;
const deployToken = {
  tokenId,
  name: 'CI',
  state: 'active',
  createdBy: userId,
  createdAt: monday,
  expiresAt: '2026-05-31T09:00:00.000Z',
  lastUsedAt: tuesday,
} as const;
const newKey = { ...key, lastUsedAt: null } as const;
const project = { projectId, accountId, name: 'Shop', target, url: `https://${target}/`, deploymentId, createdAt: monday };
const configuration = { domains: { primary: host, redirects: [{ from: apex, to: host, status: 301 as const }] } };
const sandboxRecord = { name: host, type: 'CNAME', value: target, ttl: 3_600 } as const;
const done = { done: true } as const;

export const CONTROL_EXAMPLES: { readonly [Id in ControlOperationId]: Example<Id> } = {
  getOpenApi: { answer: { openapi: '3.1.0', info: { title: 'Petstore control API', version: '1.0.0' }, paths: {} } },
  getMe: {
    answer: {
      userId,
      email: 'ann@example.com',
      accounts: [account],
      platform: { edgeHost: 'edge.petstore.test', httpsPort: 8_443, sandboxSuffix: 'test', plans: PLAN_NAMES.map(planView) },
    },
  },
  getNotificationSettings: { answer: { sends: true, kinds: [...NOTIFICATION_KINDS] } },
  updateNotificationSettings: {
    body: { kinds: ['domain_failed', 'domain_lost', 'key_banned'] },
    answer: { sends: true, kinds: ['domain_failed', 'domain_lost', 'key_banned'] },
  },
  listSessions: {
    answer: {
      canList: true,
      accessEndsWithinSeconds: 0,
      sessions: [
        { sessionId, client: 'dashboard', agent: 'Firefox on Windows', current: true, begunAt: monday, usedAt: tuesday },
        { sessionId: sessionId.replace('4', '5'), client: 'command_line', agent: 'Safari on macOS', current: false, begunAt: monday, usedAt: monday },
      ],
    },
  },
  endSessions: { body: { sessionId }, answer: done },
  signOutEverywhere: { answer: done },
  listAccounts: { answer: [account] },
  createAccount: { body: { name: 'My shop' }, answer: { ...account, plan: 'free', limits: { perMinute: 60, perDay: 1_000 } } },
  getAccount: { answer: { ...account, used: { projects: 2, domains: 3 } } },
  listMembers: {
    answer: [
      { userId, email: 'ann@example.com', role: 'owner' },
      { userId: 'usr_2b9XkLw0Tq', email: 'ben@example.com', role: 'member' },
    ],
  },
  requestPlan: { body: { plan: 'business', note: planRequest.note }, answer: { ...account, planRequest } },
  withdrawPlanRequest: { answer: account },
  changeMember: { body: { role: 'owner' }, answer: { userId: 'usr_2b9XkLw0Tq', email: 'ben@example.com', role: 'owner' } },
  removeMember: { answer: done },
  listInvitations: { answer: [invitation] },
  inviteMember: { body: { email: 'ben@example.com', role: 'member' }, answer: { ...invitation, link: null } },
  withdrawInvitation: { answer: done },
  viewInvitation: {
    body: { token: invitationToken },
    answer: {
      accountName: 'My shop',
      role: 'member',
      email: 'ben@example.com',
      invitedBy: 'ann@example.com',
      expiresAt: '2026-03-09T09:00:00.000Z',
      forYou: true,
      member: false,
    },
  },
  acceptInvitation: { body: { token: invitationToken }, answer: { ...account, role: 'member' } },
  getUsage: {
    answer: {
      accountId,
      plan: 'pro',
      minute: { used: 3, limit: 300, remaining: 297, resetAt: '2026-03-03T10:16:00.000Z' },
      day: { used: 588, limit: 10_000, remaining: 9_412, resetAt: '2026-03-04T00:00:00.000Z' },
      bans: [],
      history: {
        minutes: [{ startsAt: tuesday, admitted: 3, refused: 0 }],
        hours: [{ startsAt: '2026-03-03T10:00:00.000Z', admitted: 46, refused: 0 }],
        days: [{ startsAt: '2026-03-03T00:00:00.000Z', admitted: 588, refused: 0 }],
      },
    },
  },
  listAuditEntries: {
    answer: [
      {
        entryId: 'aud_mmb4q7k000000h3Kd9Z',
        at: tuesday,
        action: 'member.added',
        subject: 'usr_4wQ7nZk2Lm',
        actor: { kind: 'user', id: userId, email: 'ann@example.com', address: '192.0.2.17' },
        requestId: '3f1c5a9e-6b0f-4f5e-9d38-0a8f2d1c7b64',
        details: { role: 'member' },
      },
    ],
  },
  listKeys: { answer: [key] },
  listRevokedKeys: { answer: [{ ...keyFacts, revokedAt: '2026-03-04T08:00:00.000Z', revokedBy: { userId: null, email: null } }] },
  issueKey: {
    body: { name: 'laptop', scopes: ['pets:read', 'pets:write'], expiresInDays: 90 },
    answer: { ...newKey, expiresAt: '2026-05-31T09:00:00.000Z', key: 'petstore_test_8sK2mPq4ZtThisOneIsAnExample000000000000000001' },
  },
  rotateKey: {
    body: { graceSeconds: 86_400 },
    answer: {
      ...newKey,
      keyId: 'key_8sK2mPq4Ztw5Xr7Bn2Vc9M',
      hint: 'petstore_test_8sK2…0002',
      createdAt: tuesday,
      key: 'petstore_test_8sK2mPq4ZtThisOneIsAnExample000000000000000002',
      oldKeyId: keyId,
      oldExpiresAt: '2026-03-04T10:15:00.000Z',
    },
  },
  unbanKey: { answer: key },
  revokeKey: { answer: done },
  listProjects: { answer: [project] },
  createProject: { body: { name: 'Shop' }, answer: project },
  getProject: { answer: project },
  renameProject: { body: { name: 'Shop' }, answer: project },
  deleteAccount: { answer: done },
  deleteProject: { answer: done },
  listDeployments: {
    answer: [
      { deploymentId, current: true, pinned: false, createdAt: tuesday, files: 12, bytes: 48_213 },
      { deploymentId: earlier, current: false, pinned: true, createdAt: monday, files: 2, bytes: 31_877 },
    ],
  },
  rollBack: { body: { deploymentId: earlier }, answer: { ...project, deploymentId: earlier } },
  deleteDeployment: { answer: done },
  pinDeployment: { answer: { deploymentId: earlier, current: false, pinned: true, createdAt: monday, files: 2, bytes: 31_877 } },
  unpinDeployment: { answer: { deploymentId: earlier, current: false, pinned: false, createdAt: monday, files: 2, bytes: 31_877 } },
  beginUpload: {
    body: { files: [{ name: 'index.html', bytes: 5, sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' }] },
    answer: { deploymentId, expiresAt: '2026-03-04T10:15:00.000Z', files: 1, bytes: 5 },
  },
  listUploadTargets: {
    answer: {
      targets: [{ name: 'index.html', url: `/dashboard/v1/projects/${projectId}/uploads/${deploymentId}/files/0`, headers: {} }],
      next: null,
    },
  },
  cancelUpload: { answer: done },
  publishUpload: { answer: { deploymentId, current: true, pinned: false, createdAt: tuesday, files: 1, bytes: 5 } },
  listDeployTokens: { answer: [deployToken] },
  createDeployToken: {
    body: { name: 'CI', expiresInDays: 90 },
    answer: { ...deployToken, lastUsedAt: null, token: 'petstore_deploy_x7Rb2Lq9VdT0kWm4Jr8NcYp2Gs6Hf1Ab5Ev3Xz1D2zFwQy' },
  },
  revokeDeployToken: { answer: done },
  getConfiguration: { answer: configuration },
  putConfiguration: { body: configuration, answer: configuration },
  listDomains: { answer: [waiting] },
  addDomain: { body: { host }, answer: added },
  getDomain: { answer: waiting },
  verifyDomain: { answer: verifying },
  publishRecords: { answer: waiting },
  removeDomain: { answer: removing },
  listSandboxRecords: { answer: [sandboxRecord] },
  setSandboxRecord: { body: { name: host, type: 'CNAME', value: target }, answer: sandboxRecord },
  unsetSandboxRecord: { answer: done },
};

/** Query parameters. */
export const QUERY_EXAMPLES: Readonly<Record<string, unknown>> = {
  limit: 20,
  cursor: 'mibx8zo0.prj_4Hq0Zt8wY2',
  after: '200',
  name: host,
  type: 'CNAME',
  value: target,
};

export const CONTROL_ERROR_EXAMPLES: Readonly<Record<ControlErrorCode, string>> = {
  invalid_request: 'name: got nothing; allowed: a string',
  unauthorized: 'sign in first',
  forbidden: OWNERS_ONLY.message,
  account_suspended: `${suspendedMessage(accountId, { since: Date.UTC(2026, 10, 2), reason: 'unpaid since May' })}; until then, you can only look and remove`,
  not_found: `no project "${projectId}" among yours`,
  method_not_allowed: 'not allowed here; allowed: GET, POST',
  request_timeout: 'the request did not arrive within 10 s',
  conflict: 'the account already has 10 keys, the maximum; revoke one first',
  idempotency_in_progress: 'a request with this Idempotency-Key is in progress; retry in 1 s',
  precondition_failed: 'If-Match: got "mX3v9kQ2", but the ETag is "Zq81LsPd" now; read it again, and repeat what you want to change',
  payload_too_large: 'body: larger than allowed; allowed: at most 65536 bytes',
  unsupported_media_type: 'content-type: got "text/plain"; allowed: application/json, in UTF-8',
  idempotency_key_reused: 'this Idempotency-Key was used for a different request within the last 24 hours; use a new key for a new request',
  rate_limit_exceeded: 'this user has sent more than 600 requests in this UTC minute; retry in 23 s',
  headers_too_large: 'request line and headers: too large or too many; allowed: at most 16384 bytes and fewer than 1000 lines',
  internal_error: 'a fault in the service',
  unavailable: 'storage does not answer; try again',
};
