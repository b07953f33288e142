// The parts from which the control API's inputs and outputs are composed. Parts with an id have that name in the OpenAPI document. No name starts
// with New…, which generated Go clients use for constructors, and none is Configuration, which generated clients define themselves.

import * as z from 'zod';
import { isDisplayName, MAX_NAME_LENGTH } from '../../core/access/account.ts';
import { ROLES, SCOPES } from '../../core/access/permissions.ts';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { ACTOR_KINDS, AUDIT_ACTIONS } from '../../core/audit/entry.ts';
import { PATTERNS } from '../openapi/patterns.ts';

export const time = z.iso.datetime();
export const name = z
  .string('a text')
  .refine(isDisplayName, '1 to 100 characters, not blank, without control characters')
  .meta({ description: 'Display name: not blank, without control characters', minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: PATTERNS.name });

const accountId = z.string().meta({ description: 'Id of the account' });
const userId = z.string().meta({ description: 'Id of the user' });
export const keyId = z.string().meta({ description: 'Id of the key, not the key itself' });
export const projectId = z.string().meta({ description: 'Id of the project' });
const deploymentId = z.string().meta({ description: 'Id of the deployment' });
export const domainId = z.string().meta({ description: 'Id of the domain' });
export const host = z.string().meta({ description: 'Host name: lower case, in ASCII, without a trailing dot' });

const planName = z.enum(PLAN_NAMES).meta({ id: 'PlanName', description: 'A plan.' });
const limits = z
  .object({ perMinute: z.int().min(1), perDay: z.int().min(1) })
  .describe("Requests to the catalogue API by all of the account's keys together");

const role = z
  .enum(ROLES)
  .meta({ id: 'Role', description: 'What a member may do: an owner everything; a member everything except what requires the role owner.' });
export const account = z
  .object({
    accountId,
    name: z.string(),
    plan: planName,
    limits,
    role: role.describe("The user's role in the account"),
    planRequest: z
      .object({
        plan: planName,
        note: z.string(),
        requestedAt: time,
        decision: z
          .object({ approved: z.boolean(), reason: z.string().describe('From the operator; may be empty'), at: time })
          .nullable()
          .describe('Null while the request is open'),
      })
      .nullable()
      .describe('The plan that was asked for last; null if none was'),
    suspension: z
      .object({ since: time, reason: z.string().describe('From the operator') })
      .nullable()
      .describe('Set while the operator has suspended the account; null while it is in use'),
    createdAt: time,
  })
  .meta({ id: 'Account', description: 'An account: its keys share a quota.' });
export const accountDetail = account
  .extend({
    used: z
      .object({ projects: z.int().min(0), domains: z.int().min(0).describe('Custom domains of all projects') })
      .describe("What counts towards the plan's limits"),
  })
  .meta({ id: 'AccountDetail', description: 'An account, with what it uses.' });
export const member = z
  .object({ userId, email: z.string().nullable().describe('Null if users are managed elsewhere'), role })
  .meta({ id: 'Member', description: 'A user who may act for an account.' });
const invitationFacts = {
  email: z.string().describe('The invited address'),
  role: role.describe('What they would be'),
  expiresAt: time,
};
export const invitation = z
  .object({
    invitationId: z.string().meta({ description: 'Id of the invitation, not the link' }),
    ...invitationFacts,
    mailed: z.boolean().describe('Whether the link was sent to the address; otherwise, the response to inviteMember has it'),
    invitedBy: z
      .object({
        userId: userId.nullable().describe('Null: the operator'),
        email: z.string().nullable().describe('Null if users are managed elsewhere'),
      })
      .meta({ id: 'Inviter', description: 'Who has invited.' }),
    createdAt: time,
  })
  .meta({ id: 'Invitation', description: 'An invitation to an account, without its link.' });
export const sentInvitation = invitation
  .extend({
    link: z
      .string()
      .nullable()
      .describe("To be handed to the invited person: a path below the dashboard's address. Only here, and null if it is sent by mail"),
  })
  .meta({ id: 'SentInvitation', description: 'A new invitation.' });
export const receivedInvitation = z
  .object({
    accountName: z.string(),
    ...invitationFacts,
    invitedBy: z.string().nullable().describe('Address of the owner who invited; null if it is unknown'),
    forYou: z.boolean().describe("Whether it is for the user's address; otherwise they can't accept it"),
    member: z.boolean().describe('Whether the user is a member already'),
  })
  .meta({ id: 'ReceivedInvitation', description: 'An invitation, as who has its link sees it.' });
export const project = z
  .object({
    projectId,
    accountId,
    name: z.string(),
    target: host.describe("The value of its domains' CNAME records"),
    url: z
      .string()
      .nullable()
      .describe('Where the project is served without a domain, marked as not for search engines; null if the platform has no such addresses'),
    deploymentId: deploymentId.nullable().describe('The current deployment'),
    createdAt: time,
  })
  .meta({ id: 'Project', description: 'Files that are served on domains.' });
export const deployment = z
  .object({
    deploymentId,
    current: z.boolean().describe('Whether it is the current deployment'),
    pinned: z.boolean().describe('Whether it is kept until it is unpinned'),
    createdAt: time,
    files: z.int().min(0),
    bytes: z.int().min(0),
  })
  .meta({ id: 'Deployment', description: "One immutable set of a project's files." });
export const upload = z
  .object({
    deploymentId,
    expiresAt: time.describe('What is not published until then is deleted'),
    files: z.int().min(1),
    bytes: z.int().min(0),
  })
  .meta({ id: 'Upload', description: 'A deployment whose files are being sent.' });
export const uploadTargets = z
  .object({
    targets: z.array(
      z.object({
        name: z.string().describe('The file to send'),
        url: z
          .string()
          .describe("Send the content with PUT. A path is one of this service and takes the access token; don't send the token to any other host"),
        headers: z.record(z.string(), z.string()).describe('Send exactly these'),
      }),
    ),
    next: z.string().nullable().describe('For the parameter `after`; null on the last page'),
  })
  .meta({ id: 'UploadTargets', description: 'Requests that send missing files. A file may have several: send it to each.' });
const actorUser = z
  .object({
    userId: userId.nullable().describe('Null: the operator'),
    email: z.string().nullable().describe('Null if users are managed elsewhere, for the operator, and for users who no longer exist'),
  })
  .meta({ id: 'KeyActor', description: 'Who issued or revoked a key.' });
const keyFacts = {
  keyId,
  name: z.string(),
  hint: z.string().nullable().describe('Start and end of its text, such as petstore_live_8sK2…zFw9; null for keys issued before hints were stored'),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: time,
  createdBy: actorUser.nullable().describe('Who issued or rotated it; null for keys issued before this was stored'),
  lastUsedAt: time.nullable().describe('To the minute; null if it has not been used'),
};
export const key = z
  .object({
    ...keyFacts,
    state: z.enum(['active', 'banned', 'expired']),
    expiresAt: time.nullable().describe('Null if it does not expire'),
    expiresSoon: z.boolean().describe('Whether it expires within seven days and has no successor'),
    successorId: keyId.nullable().describe('The key that replaces it; null if it has not been rotated'),
    bannedUntil: time.nullable().describe('Null if no ban is in force'),
  })
  .meta({ id: 'Key', description: 'An API key, without its text.' });
export const revokedKey = z
  .object({ ...keyFacts, revokedAt: time, revokedBy: actorUser })
  .meta({ id: 'RevokedKey', description: 'What is kept of a revoked API key.' });
const keyText = z.string().meta({ description: 'The key itself; shown only once' });
export const issuedKey = key.extend({ key: keyText }).meta({ id: 'IssuedKey', description: 'A new API key.' });
export const rotatedKey = issuedKey
  .extend({ oldKeyId: keyId, oldExpiresAt: time.describe('Both keys work until then') })
  .meta({ id: 'RotatedKey', description: "An API key's successor." });
const auditDetail = z.union([z.string(), z.number(), z.boolean()]).meta({ id: 'AuditDetail', description: 'A fact about a change.' });
export const auditEntry = z
  .object({
    entryId: z.string(),
    at: time,
    action: z.enum(AUDIT_ACTIONS),
    subject: z.string().describe('Id of what has changed; of a record, its name'),
    actor: z.object({
      kind: z
        .enum(ACTOR_KINDS)
        .describe('`workflow`: the work on domains; `sweep`: the removal of what is no longer needed; `service`: the service itself'),
      id: z.string().nullable().describe('Of a user or a deploy token; otherwise null'),
      email: z.string().nullable().describe('Of a user; null if users are managed elsewhere, or no longer exist'),
      address: z.string().nullable().describe('IP address; null for the operator, and for what happens by itself'),
    }),
    requestId: z.string().nullable().describe('`X-Request-Id` of the request that made the change; null without a request'),
    details: z.record(z.string(), auditDetail).describe('Facts that depend on the action'),
  })
  .meta({ id: 'AuditEntry', description: 'A change in an account.' });
export const deployToken = z
  .object({
    tokenId: z.string().meta({ description: 'Id of the token, not the token itself' }),
    name: z.string(),
    state: z.enum(['active', 'expired']),
    createdBy: userId,
    createdAt: time,
    expiresAt: time,
    lastUsedAt: time.nullable().describe('To the minute; null if it has not been used'),
  })
  .meta({ id: 'DeployToken', description: "A token with which a pipeline publishes a project's files, without its text." });
export const issuedDeployToken = deployToken
  .extend({ token: z.string().meta({ description: 'The token itself; shown only once' }) })
  .meta({ id: 'IssuedDeployToken', description: 'A new deploy token.' });
const window = z
  .object({ used: z.int().min(0), limit: z.int().min(1), remaining: z.int().min(0), resetAt: time })
  .meta({ id: 'UsageWindow', description: 'Usage of one window: a UTC minute or a UTC day.' });
const pastWindow = z
  .object({
    startsAt: time,
    admitted: z.int().min(0),
    refused: z.int().min(0).describe('Requests that got 429; reported up to a minute later'),
  })
  .meta({ id: 'PastWindow', description: 'Requests in a window of the usage history.' });
export const usage = z
  .object({
    accountId,
    plan: planName,
    minute: window,
    day: window,
    bans: z.array(z.object({ keyId, until: time, level: z.int().min(0) })),
    history: z
      .object({
        minutes: z.array(pastWindow).describe('The last hour, by UTC minute'),
        hours: z.array(pastWindow).describe('The last 24 hours, by UTC hour'),
        days: z.array(pastWindow).describe('The last 30 days, by UTC day'),
      })
      .describe('Oldest first; the last entry of each is the current window'),
  })
  .meta({ id: 'Usage', description: "An account's quota usage." });
const plan = z
  .object({
    plan: planName,
    label: z.string().describe('Display name'),
    limits: limits.nullable().describe('Null if agreed per account'),
    projects: z.int().describe('Maximum number of projects per account'),
    domains: z.int().describe('Maximum number of custom domains per account; 0 if the plan has none'),
    deployment: z
      .object({
        files: z.int().min(1),
        fileBytes: z.int().min(1).describe('Of a single file'),
        bytes: z.int().min(1).describe('Of all files together'),
      })
      .describe('Maxima for one deployment'),
  })
  .meta({ id: 'Plan', description: 'What a plan allows an account.' });
export const me = z
  .object({
    userId,
    email: z.string().nullable().describe('Null if unknown'),
    accounts: z.array(account).describe("The user's accounts, oldest first"),
    platform: z.object({
      edgeHost: z.string().describe("The parent of all projects' targets"),
      httpsPort: z.int().describe('Port that domains are served on over HTTPS'),
      sandboxSuffix: z.string().nullable().describe("The suffix of the sandbox's names; null if there is no sandbox"),
      plans: z.array(plan).describe('Smallest first'),
    }),
  })
  .meta({ id: 'Me', description: 'The signed-in user, their accounts, and the platform.' });
export const sessions = z
  .object({
    canList: z.boolean().describe('Whether this installation tells sessions apart; if not, the list is empty, and signOutEverywhere ends all'),
    accessEndsWithinSeconds: z
      .int()
      .min(0)
      .describe('How long a session that is ended can still make requests, until its last access token expires; 0: not at all'),
    sessions: z
      .array(
        z.object({
          sessionId: z.string().meta({ description: 'Not a secret' }),
          client: z.enum(['dashboard', 'command_line']),
          agent: z.string().nullable().describe('The browser and its system, in words; null if unknown'),
          current: z.boolean().describe('Whether it is the session of this request'),
          begunAt: time,
          usedAt: time.describe('When it was last renewed: within ten minutes of its last request'),
        }),
      )
      .describe('Those used last first'),
  })
  .meta({ id: 'Sessions', description: 'Where a user is signed in.' });
export const done = z
  .object({ done: z.literal(true).describe('Always true') })
  .meta({ id: 'Done', description: 'Done; there is nothing to report.' });
