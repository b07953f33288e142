// What the OpenAPI document of the control API says of each operation beside its shapes.

import type { ControlErrorCode } from './errors.ts';
import type { ControlOperationId } from './operations.ts';

export const CONTROL_TAGS = {
  user: 'The signed-in user.',
  accounts: 'Accounts, their members, and their use of the quota.',
  keys: 'API keys of the catalogue API.',
  projects: 'Projects, their deployments and their configuration.',
  domains: 'Custom domains of projects.',
  sandbox: 'The DNS to try domains with, where there is one.',
  meta: 'About this API.',
} as const;

export interface ControlDescription {
  readonly tag: keyof typeof CONTROL_TAGS;
  readonly description: string;
  /** What the answer is. */
  readonly answer: string;
  /** Errors beside those that its form entails. */
  readonly errors?: readonly ControlErrorCode[];
}

const NO_SANDBOX = 'Where there is no sandbox it answers 404.';

export const CONTROL_DESCRIPTIONS: Readonly<Record<ControlOperationId, ControlDescription>> = {
  getOpenApi: { tag: 'meta', description: 'The OpenAPI document of this API. No token is needed.', answer: 'An OpenAPI 3.1 document.' },
  getMe: {
    tag: 'user',
    description: 'The user whose token it is, the accounts that they are a member of, and the names that the platform has.',
    answer: 'The user.',
  },
  signOutEverywhere: {
    tag: 'user',
    description: 'From now on no token of the user counts, that of this request included. Where users are kept elsewhere, as on AWS, it answers 404.',
    answer: 'All sessions have ended.',
    errors: ['not_found'],
  },
  listAccounts: { tag: 'accounts', description: 'The accounts that the user is a member of, oldest first.', answer: 'The accounts.' },
  createAccount: {
    tag: 'accounts',
    description: 'Makes an account on the plan Free; an operator changes the plan. A user may be a member of 5 accounts; then it answers 409.',
    answer: 'The new account.',
  },
  getAccount: { tag: 'accounts', description: 'An account of the user, with its plan and its limits.', answer: 'The account.' },
  listMembers: { tag: 'accounts', description: 'All members may do the same. Members are added by an operator.', answer: 'The members.' },
  removeMember: {
    tag: 'accounts',
    description: 'Takes effect at once. A member may remove themselves; the last member of an account is refused with 409.',
    answer: 'The user is no longer a member.',
  },
  getUsage: {
    tag: 'accounts',
    description: 'The use of the minute and of the day, of the last minutes and days, and the bans in force. Looking costs no request of the quota.',
    answer: 'The use.',
  },
  listKeys: { tag: 'keys', description: 'The keys of an account, oldest first, with the state and the last use of each.', answer: 'The keys.' },
  issueKey: {
    tag: 'keys',
    description: 'The text of the key is in this answer and nowhere else: it is not stored. An account may have 10 keys; then it answers 409.',
    answer: 'The new key.',
  },
  rotateKey: {
    tag: 'keys',
    description: 'Issues a key with the same name and scopes. Both work until the grace period ends. The new key inherits a ban of the old one.',
    answer: 'The new key, and when the old one ends.',
  },
  unbanKey: {
    tag: 'keys',
    description:
      'Takes effect within a minute. Wait that long before sending with the key, or it is banned again, for longer. A key that is not banned: 409.',
    answer: 'The key.',
  },
  revokeKey: { tag: 'keys', description: 'The key is refused from now on. It can not be taken back.', answer: 'The key is revoked.' },
  listProjects: { tag: 'projects', description: 'The projects of an account, oldest first.', answer: 'The projects.' },
  createProject: {
    tag: 'projects',
    description: 'Its files are published with the command line. The plan says how many projects an account may have; then it answers 409.',
    answer: 'The new project.',
  },
  getProject: { tag: 'projects', description: 'A project, with the target that its domains point to.', answer: 'The project.' },
  listDeployments: { tag: 'projects', description: 'What was published, newest first, and which of it is served.', answer: 'The deployments.' },
  rollBack: {
    tag: 'projects',
    description: 'Takes effect with the next request of a visitor. Without an earlier deployment it answers 409.',
    answer: 'The project, with the deployment that it serves now.',
  },
  getConfiguration: { tag: 'projects', description: "The project's primary domain and its redirects.", answer: 'The configuration.' },
  putConfiguration: {
    tag: 'projects',
    description:
      'All names must be domains of the project, redirects without cycles, to domains that are live. What does not fit is refused as a whole with 400; the message has a line for each fault, by its path, such as `domains.redirects[0].to`.',
    answer: 'The configuration as it is stored.',
  },
  listDomains: {
    tag: 'domains',
    description: 'The domains of a project, oldest first, with the state and the advice of each.',
    answer: 'The domains.',
  },
  addDomain: {
    tag: 'domains',
    description:
      'Set the records of the answer at the DNS provider, then verify. It takes a paid plan (Pro or above) and a deployment; without them it answers 409.',
    answer: 'The new domain, in the state `awaiting_dns`.',
  },
  getDomain: { tag: 'domains', description: 'While a domain moves by itself, `nextCheckAt` says when to look again.', answer: 'The domain.' },
  verifyDomain: {
    tag: 'domains',
    description:
      'Answers at once, in the state `verifying`; the DNS is checked for up to 48 hours, then the certificate is issued and the domain goes live. At most 6 times a minute for a domain and 30 for an account; then it answers 429.',
    answer: 'The domain.',
  },
  publishRecords: {
    tag: 'domains',
    description: 'Where the zone is not in our hands it answers 409: set the records at the DNS provider.',
    answer: 'The domain. Its records are set.',
  },
  removeDomain: {
    tag: 'domains',
    description:
      'Traffic stops before it answers. A domain that is the primary one, or the target of redirects, needs `withRedirects`; without it: 409.',
    answer: 'The domain, in the state `removing` or `removed`.',
  },
  listSandboxRecords: {
    tag: 'sandbox',
    description: `Records of others are not shown. ${NO_SANDBOX}`,
    answer: 'The records.',
    errors: ['not_found'],
  },
  setSandboxRecord: {
    tag: 'sandbox',
    description: `A name of another account is refused with 409, and so is the 201st record of an account. ${NO_SANDBOX}`,
    answer: 'The record as it is stored.',
    errors: ['not_found'],
  },
  unsetSandboxRecord: {
    tag: 'sandbox',
    description: `Name, type and value as they are listed. ${NO_SANDBOX}`,
    answer: 'The record is removed.',
    errors: ['not_found', 'invalid_request'],
  },
};
