// The texts for each operation in the control API's OpenAPI document, in addition to its shapes.

import { MOST_DEPLOYMENTS_LISTED } from '../../core/projects/ports.ts';
import { DEPLOYMENTS_KEPT, MOST_PINNED } from '../../core/publishing/kept-deployments.ts';
import type { ControlErrorCode } from './errors.ts';
import type { ControlOperationId } from './operations.ts';

export const CONTROL_TAGS = {
  user: 'The signed-in user.',
  accounts: 'Accounts, their members, and their quota usage.',
  keys: 'API keys of the catalogue API.',
  projects: 'Projects, their deployments and their configuration.',
  domains: 'Custom domains of projects.',
  sandbox: 'The DNS for trying domains, if the platform has a sandbox.',
  meta: 'About this API.',
} as const;

export interface ControlDescription {
  readonly tag: keyof typeof CONTROL_TAGS;
  readonly description: string;
  /** Description of the response. */
  readonly answer: string;
  /** Errors in addition to those that follow from the operation's row. */
  readonly errors?: readonly ControlErrorCode[];
}

const NO_SANDBOX = 'Without a sandbox, returns 404.';

export const CONTROL_DESCRIPTIONS: Readonly<Record<ControlOperationId, ControlDescription>> = {
  getOpenApi: { tag: 'meta', description: 'The OpenAPI document of this API. Needs no token.', answer: 'An OpenAPI 3.1 document.' },
  getMe: {
    tag: 'user',
    description: "The token's user, the accounts they are a member of, and the platform's names, port and plans.",
    answer: 'The user.',
  },
  getNotificationSettings: {
    tag: 'user',
    description: 'A user who has not chosen gets all kinds, also those that are added later. Emails are sent to the members of an account.',
    answer: 'The settings.',
  },
  updateNotificationSettings: {
    tag: 'user',
    description: 'Holds for all accounts of the user, and for no other member.',
    answer: 'The stored settings.',
  },
  listSessions: {
    tag: 'user',
    description: 'Browsers and command lines that can renew their access. Cognito does not tell sessions apart: on AWS the list is empty.',
    answer: 'The sessions.',
  },
  endSessions: {
    tag: 'user',
    description:
      'Takes effect at once. A browser ends together with the command lines that were signed in with it. Where sessions can’t be listed, returns 404: use signOutEverywhere.',
    answer: 'The sessions have ended.',
    errors: ['not_found'],
  },
  signOutEverywhere: {
    tag: 'user',
    description:
      'No session can be renewed any more. Access tokens that were issued before are refused at once; on AWS, they work until they expire, ten minutes at most.',
    answer: 'All sessions have ended.',
  },
  listAccounts: { tag: 'accounts', description: 'The accounts the user is a member of, oldest first.', answer: 'The accounts.' },
  createAccount: {
    tag: 'accounts',
    description: 'Creates an account on the Free plan; an operator changes the plan. A user who is already a member of 5 accounts gets 409.',
    answer: 'The new account.',
  },
  getAccount: {
    tag: 'accounts',
    description: "One of the user's accounts, with its plan, its limits, and how many projects and custom domains it has.",
    answer: 'The account.',
  },
  deleteAccount: {
    tag: 'accounts',
    description:
      'Its keys are refused at once. Its usage, members, invitations and sandbox records are deleted with it; its entries in the audit log stay for 400 days. While it has projects, returns 409: delete them first.',
    answer: 'The account is deleted.',
    errors: ['conflict'],
  },
  listMembers: {
    tag: 'accounts',
    description:
      'An owner may do everything. A member works with projects, domains, keys and deployments, but does not change who belongs to the account, nor delete projects. Owners invite members; an operator can add them directly.',
    answer: 'The members.',
  },
  changeMember: {
    tag: 'accounts',
    description:
      'Requires the role owner; owners may also step down themselves. To hand an account over, make another member an owner, then step down. The last owner stays one: 409.',
    answer: 'The member, with the new role.',
  },
  removeMember: {
    tag: 'accounts',
    description: 'Takes effect at once. Requires the role owner; members may remove themselves. Removing the last owner of an account returns 409.',
    answer: 'The user is no longer a member.',
  },
  listInvitations: {
    tag: 'accounts',
    description:
      'Oldest first. Requires the role owner. An invitation is open for seven days, until it is accepted, withdrawn or replaced, or who invited is no longer an owner.',
    answer: 'The open invitations, without their links.',
  },
  inviteMember: {
    tag: 'accounts',
    description:
      'Requires the role owner. The address gets an email with a link; if the installation sends no emails, the link is in the response, to be handed over. Inviting an address again replaces its invitation, whose links end. An account has up to 20 open invitations (409). In a UTC day, up to 30 are sent for an account, and up to 30 by a user (429).',
    answer: 'The invitation.',
  },
  withdrawInvitation: { tag: 'accounts', description: 'Its links end at once. Requires the role owner.', answer: 'The invitation is withdrawn.' },
  viewInvitation: {
    tag: 'accounts',
    description:
      'For the signed-in user who has the link. All links that can’t be used get the same 404: expired, withdrawn, replaced or accepted ones, and junk.',
    answer: 'The invitation, and whether this user can accept it.',
    errors: ['not_found'],
  },
  acceptInvitation: {
    tag: 'accounts',
    description:
      "Works once. The user's verified address must be the invited one: others get 403. A member keeps their role, and gets 409; the invitation ends.",
    answer: "The account, with the user's role.",
    errors: ['not_found', 'forbidden', 'account_suspended'],
  },
  requestPlan: {
    tag: 'accounts',
    description:
      'The operator sees the request, and approves or declines it; members get an email, if the installation sends any. Asking for the plan that the account is on returns 409.',
    answer: 'The account, with the request.',
  },
  withdrawPlanRequest: { tag: 'accounts', description: 'Without a request, returns 404.', answer: 'The account, without a request.' },
  getUsage: {
    tag: 'accounts',
    description:
      'Usage of the current minute and day, the last hour by minute, the last day by hour, the last 30 days by day, and the bans in force. This request uses up no quota.',
    answer: 'The usage.',
  },
  listAuditEntries: {
    tag: 'accounts',
    description:
      'Changes of the last 400 days: of keys, members, invitations, plans, projects, deployments, deploy tokens and domains, by users, pipelines, the operator and the service itself. Requests to the catalogue API are not in it. `details` has facts such as the role of a new member. For an export, follow the `Link` headers.',
    answer: 'A page of entries, the latest first.',
  },
  listKeys: {
    tag: 'keys',
    description:
      "The account's keys, oldest first, each with its state and last use. Keys that have expired are listed for 90 days. Revoked keys: listRevokedKeys.",
    answer: 'The keys.',
  },
  listRevokedKeys: {
    tag: 'keys',
    description: 'For 90 days, who revoked a key, and when. At most 100 keys.',
    answer: 'The revoked keys.',
  },
  issueKey: {
    tag: 'keys',
    description: "The key's text is only in this response: it is not stored. An account that already has 10 keys gets 409.",
    answer: 'The new key.',
  },
  rotateKey: {
    tag: 'keys',
    description:
      'Issues a key with the same name and scopes. Both work until the grace period ends. If the old key is banned, the new key inherits the ban.',
    answer: 'The new key, and when the old one stops working.',
  },
  unbanKey: {
    tag: 'keys',
    description:
      'Takes effect within a minute. Wait that long before you send requests with the key, or it is banned again, for longer. If the key is not banned, returns 409.',
    answer: 'The key.',
  },
  revokeKey: { tag: 'keys', description: "The key is refused from now on. This can't be undone.", answer: 'The key is revoked.' },
  listProjects: { tag: 'projects', description: "The account's projects, oldest first.", answer: 'The projects.' },
  createProject: {
    tag: 'projects',
    description: 'Publish its files with an upload. The plan limits the number of projects; at the limit, returns 409.',
    answer: 'The new project.',
  },
  getProject: { tag: 'projects', description: 'A project, with the target that its domains point to.', answer: 'The project.' },
  renameProject: { tag: 'projects', description: 'Only the name changes; the id and the target stay.', answer: 'The project.' },
  deleteProject: {
    tag: 'projects',
    description: 'Its deployments are deleted with it. While it has domains, returns 409: remove them first.',
    answer: 'The project is deleted.',
    errors: ['conflict'],
  },
  listDeployments: {
    tag: 'projects',
    description: `The ${MOST_DEPLOYMENTS_LISTED} newest deployments, newest first, and which of them is current. The last ${DEPLOYMENTS_KEPT} that were served, with the current one among them, and pinned ones are kept; older ones are deleted when another one is published.`,
    answer: 'The deployments.',
  },
  listDeployTokens: {
    tag: 'projects',
    description: 'Oldest first. An expired token is listed for 30 days at least.',
    answer: 'The tokens, without their texts.',
  },
  createDeployToken: {
    tag: 'projects',
    description:
      "A pipeline sends the token as a bearer token to the paths below `/deploy/v1/`: there it can publish the project's files, list deployments and make an earlier one current, and nothing else. A project has up to 10 tokens; at the limit, returns 409.",
    answer: 'The new token; its text is shown only here.',
  },
  revokeDeployToken: { tag: 'projects', description: "The token is refused from now on. This can't be undone.", answer: 'The token is revoked.' },
  rollBack: {
    tag: 'projects',
    description: 'Takes effect with the next request. Without an earlier deployment, returns 409.',
    answer: 'The project, with its current deployment.',
  },
  deleteDeployment: {
    tag: 'projects',
    description: 'It can no longer be made current, and its files are removed. For the current deployment and for a pinned one, returns 409.',
    answer: 'The deployment is deleted.',
    errors: ['conflict'],
  },
  pinDeployment: {
    tag: 'projects',
    description: `Of the others, the ${DEPLOYMENTS_KEPT} that were served last are kept. A project has up to ${MOST_PINNED} pinned deployments; at the limit, returns 409.`,
    answer: 'The deployment.',
    errors: ['conflict'],
  },
  unpinDeployment: {
    tag: 'projects',
    description: `With the next publication, it is deleted unless it is current or one of the ${DEPLOYMENTS_KEPT} that were served last.`,
    answer: 'The deployment.',
  },
  beginUpload: {
    tag: 'projects',
    description:
      'Announces the files of a new deployment, with sizes and digests. Then send the files (`listUploadTargets`) and publish them. The plan limits their number and size. A project has at most 10 uploads that are not published, and deployments of 20 times the size that the plan allows for one; beyond these limits, returns 409.',
    answer: 'The upload. It is deleted unless it is published within 24 hours.',
    errors: ['conflict'],
  },
  listUploadTargets: {
    tag: 'projects',
    description:
      'Lists only files that are not stored yet, so an upload that was interrupted continues here. Send each file with PUT to its `url` with its `headers`; several at a time are fine. Content other than announced is refused. A `url` is valid for an hour.',
    answer: 'Requests to send, and the next page.',
  },
  cancelUpload: {
    tag: 'projects',
    description: 'Its files are removed soon after, and it no longer counts among the uploads of the project.',
    answer: 'The upload is canceled.',
  },
  publishUpload: {
    tag: 'projects',
    description: 'All files are served from the next request on, together. While files are missing, returns 409. Safe to repeat.',
    answer: 'The deployment.',
    errors: ['conflict'],
  },
  getConfiguration: { tag: 'projects', description: "The project's primary domain and its redirects.", answer: 'The configuration.' },
  putConfiguration: {
    tag: 'projects',
    description:
      'All names must be domains of the project; the primary domain and all redirect targets must be live. Redirects must not form a loop. An invalid configuration is refused as a whole with 400; the message has a line for each fault, by its path, such as `domains.redirects[0].to`.',
    answer: 'The stored configuration.',
  },
  listDomains: {
    tag: 'domains',
    description: "The project's domains, oldest first, each with its state and advice.",
    answer: 'The domains.',
  },
  addDomain: {
    tag: 'domains',
    description:
      'Set the records in the response at your DNS provider, then verify. Requires a paid plan (Pro or above) and a deployment; without them, returns 409.',
    answer: 'The new domain, in the state `awaiting_dns`.',
  },
  getDomain: { tag: 'domains', description: 'While a domain changes automatically, `nextCheckAt` is when to fetch it again.', answer: 'The domain.' },
  verifyDomain: {
    tag: 'domains',
    description:
      'Returns at once. Before the domain is live, usually in the state `verifying`: once the DNS is right, the certificate is issued and the domain goes live. A served domain keeps its state, and its record is checked; a domain whose certificate is being issued is returned as it is. What fails is tried again automatically, so one call is enough. At most 6 times a minute for a domain and 30 for an account; beyond that, returns 429.',
    answer: 'The domain.',
  },
  publishRecords: {
    tag: 'domains',
    description: 'If the platform does not manage the zone, returns 409: set the records at your DNS provider.',
    answer: 'The domain. Its records are set.',
  },
  removeDomain: {
    tag: 'domains',
    description:
      'Traffic has stopped when the response arrives. Removing the primary domain or the target of a redirect requires `withRedirects`; without it, returns 409.',
    answer: 'The domain, in the state `removing` or `removed`.',
  },
  listSandboxRecords: {
    tag: 'sandbox',
    description: `Other accounts' records are not shown. ${NO_SANDBOX}`,
    answer: 'The records.',
    errors: ['not_found'],
  },
  setSandboxRecord: {
    tag: 'sandbox',
    description: `Setting a name that belongs to another account gets 409, as does adding a 201st record. ${NO_SANDBOX}`,
    answer: 'The stored record.',
    errors: ['not_found', 'account_suspended'],
  },
  unsetSandboxRecord: {
    tag: 'sandbox',
    description: `Name, type and value as in the list. ${NO_SANDBOX}`,
    answer: 'The record is removed.',
    errors: ['not_found', 'invalid_request'],
  },
};
