// What the tests of roles and of the audit log expect of each operation of the control API.

import type { AuditAction } from '../../core/audit/entry.ts';
import type { ControlOperationId } from '../../service/control/operations.ts';

interface Expected {
  /** Who may request it on what the path names. A change here is a decision: docs/decisions/0008-accounts.md. */
  readonly who: 'anyone' | 'signed in' | 'member' | 'owner' | 'owner or oneself' | 'operator';
  /**
   * What a request by an owner leaves in the audit log. Files that nobody sees yet leave nothing. Tests of their own are in test/local/audit.test.ts,
   * for operators in test/local/operator.test.ts, and for what needs a ban or a DNS provider in the stores' contract.
   */
  readonly leaves: readonly AuditAction[] | 'nothing' | 'in a test of its own';
  /** A body that is accepted. @default none */
  readonly body?: object;
}

/** Every operation. One that is added is a type error here until its row says who may request it, and what it leaves. */
export const EXPECTED: Readonly<Record<ControlOperationId, Expected>> = {
  getOpenApi: { who: 'anyone', leaves: 'nothing' },
  getMe: { who: 'signed in', leaves: 'nothing' },
  listSessions: { who: 'signed in', leaves: 'nothing' },
  endSessions: { who: 'signed in', leaves: 'in a test of its own' },
  signOutEverywhere: { who: 'signed in', leaves: 'in a test of its own' },
  getNotificationSettings: { who: 'signed in', leaves: 'nothing' },
  updateNotificationSettings: { who: 'signed in', leaves: ['notifications.set'], body: { kinds: [] } },
  listAccounts: { who: 'signed in', leaves: 'nothing' },
  createAccount: { who: 'signed in', leaves: 'in a test of its own', body: { name: 'Another' } },
  getAccount: { who: 'member', leaves: 'nothing' },
  deleteAccount: { who: 'owner', leaves: 'in a test of its own' },
  listAuditEntries: { who: 'owner', leaves: 'nothing' },
  listMembers: { who: 'member', leaves: 'nothing' },
  listMemberCredentials: { who: 'member', leaves: 'nothing' },
  listMemberSignIns: { who: 'owner', leaves: 'nothing' },
  changeMember: { who: 'owner or oneself', leaves: ['member.role_set'], body: { role: 'member' } },
  removeMember: { who: 'owner or oneself', leaves: ['member.removed'] },
  listInvitations: { who: 'owner', leaves: 'nothing' },
  inviteMember: { who: 'owner', leaves: ['invitation.created'], body: { email: 'new@petstore.test' } },
  withdrawInvitation: { who: 'owner', leaves: ['invitation.removed'] },
  viewInvitation: { who: 'signed in', leaves: 'nothing', body: { token: 'junk' } },
  acceptInvitation: { who: 'signed in', leaves: 'in a test of its own', body: { token: 'junk' } },
  requestPlan: { who: 'owner', leaves: ['account.plan_requested'], body: { plan: 'business' } },
  renameAccount: { who: 'owner', leaves: ['account.renamed'], body: { name: 'Store' } },
  requireSecondFactor: { who: 'owner', leaves: ['account.second_factor_optional'], body: { required: false } },
  withdrawPlanRequest: { who: 'owner', leaves: ['account.plan_request_closed'] },
  getUsage: { who: 'member', leaves: 'nothing' },
  listKeys: { who: 'member', leaves: 'nothing' },
  listRevokedKeys: { who: 'member', leaves: 'nothing' },
  issueKey: { who: 'member', leaves: ['key.issued'], body: { name: 'Till' } },
  changeKey: { who: 'member', leaves: ['key.paused'], body: { paused: true } },
  rotateKey: { who: 'member', leaves: ['key.issued', 'key.expiry_set'], body: {} },
  unbanKey: { who: 'member', leaves: 'in a test of its own' },
  revokeKey: { who: 'member', leaves: ['key.revoked'] },
  listProjects: { who: 'member', leaves: 'nothing' },
  createProject: { who: 'member', leaves: ['project.created', 'deployment.published'], body: { name: 'Shop' } },
  getProject: { who: 'member', leaves: 'nothing' },
  renameProject: { who: 'member', leaves: ['project.renamed'], body: { name: 'Store' } },
  deleteProject: { who: 'owner', leaves: ['project.deleted'] },
  listDeployments: { who: 'member', leaves: 'nothing' },
  rollBack: { who: 'member', leaves: ['deployment.served'], body: {} },
  deleteDeployment: { who: 'member', leaves: ['deployment.deleted'] },
  pinDeployment: { who: 'member', leaves: ['deployment.pinned'] },
  unpinDeployment: { who: 'member', leaves: ['deployment.unpinned'] },
  beginUpload: { who: 'member', leaves: 'nothing', body: { files: [{ name: 'index.html', bytes: 1, sha256: '0'.repeat(64) }] } },
  listUploadTargets: { who: 'member', leaves: 'nothing' },
  cancelUpload: { who: 'member', leaves: 'nothing' },
  publishUpload: { who: 'member', leaves: ['deployment.published'] },
  listDeployTokens: { who: 'member', leaves: 'nothing' },
  createDeployToken: { who: 'member', leaves: ['deploy_token.issued'], body: { name: 'CI' } },
  revokeDeployToken: { who: 'member', leaves: ['deploy_token.revoked'] },
  getConfiguration: { who: 'member', leaves: 'nothing' },
  putConfiguration: { who: 'member', leaves: ['project.configured'], body: { domains: { redirects: [] } } },
  listDomains: { who: 'member', leaves: 'nothing' },
  addDomain: { who: 'member', leaves: ['domain.added'], body: { host: 'www.more.test' } },
  getDomain: { who: 'member', leaves: 'nothing' },
  verifyDomain: { who: 'member', leaves: ['domain.state_set'] },
  publishRecords: { who: 'member', leaves: 'in a test of its own' },
  removeDomain: { who: 'member', leaves: ['domain.state_set'] },
  listSandboxRecords: { who: 'signed in', leaves: 'nothing' },
  setSandboxRecord: { who: 'signed in', leaves: ['sandbox_record.set'], body: { name: 'www.roles.test', type: 'A', value: '192.0.2.1' } },
  unsetSandboxRecord: { who: 'signed in', leaves: ['sandbox_record.removed'] },
  getInstallation: { who: 'operator', leaves: 'nothing' },
  listCustomers: { who: 'operator', leaves: 'nothing' },
  getCustomer: { who: 'operator', leaves: 'nothing' },
  getCustomerContents: { who: 'operator', leaves: 'nothing' },
  setPlan: { who: 'operator', leaves: 'in a test of its own' },
  decidePlanRequest: { who: 'operator', leaves: 'in a test of its own' },
  suspendAccount: { who: 'operator', leaves: 'in a test of its own' },
  resumeAccount: { who: 'operator', leaves: 'in a test of its own' },
  listTroubledDomains: { who: 'operator', leaves: 'nothing' },
};
