// The operations behind owners' commands. They use the control API: over HTTP or, for operators, in this process. The results have its types.

import type { ChosenPlan } from '../../core/access/accounts.ts';
import type { KeyChange } from '../../core/access/key-change.ts';
import type { Role, Scope } from '../../core/access/plans.ts';
import type { AuditEntryView } from '../../core/audit/entry.ts';
import type { AuditQuery } from '../../core/audit/ports.ts';
import type { ControlResult } from '../../service/control/operations.ts';

export type AccountRow = Omit<ControlResult<'listAccounts'>[number], 'role' | 'planRequest'>;
/** A domain of an account that is suspended or resumed. */
export type AffectedDomain = Pick<DomainRow, 'domainId' | 'host'>;
export type MemberRow = ControlResult<'listMembers'>[number];
export type InvitationRow = ControlResult<'listInvitations'>[number];
export type SentInvitation = ControlResult<'inviteMember'>;
export type ProjectRow = Omit<ControlResult<'getProject'>, 'url'>;
export type DeploymentRow = ControlResult<'listDeployments'>[number];
export type DomainRow = ControlResult<'getDomain'>;
export type KeyRow = ControlResult<'listKeys'>[number];
export type RevokedKeyRow = ControlResult<'listRevokedKeys'>[number];
/** `accountId`: null if the change does not belong to an account. */
export type AuditRow = AuditEntryView & { readonly accountId: string | null };
export type UsageRow = ControlResult<'getUsage'>;
export type Configuration = ControlResult<'getConfiguration'>;

/** What `projects deploy` reports. */
export interface Published {
  readonly deploymentId: string;
  readonly files: number;
  readonly bytes: number;
  /** Names of hidden files, which are not published. */
  readonly skipped: readonly string[];
}

/** Each method throws CliError if it is refused. */
export interface OwnerPort {
  /** Minimum interval for polling a domain, in milliseconds. */
  readonly pollMs: number;

  listAccounts(): Promise<readonly AccountRow[]>;
  createAccount(name: string, plan: ChosenPlan): Promise<AccountRow>;
  /** Operators only. @returns the domains that were suspended */
  suspendAccount(accountId: string, reason: string): Promise<{ readonly since: string; readonly domains: readonly AffectedDomain[] }>;
  /** Operators only. @returns the domains that are being verified again */
  resumeAccount(accountId: string): Promise<{ readonly domains: readonly AffectedDomain[] }>;
  renameAccount(accountId: string, name: string): Promise<void>;
  /** Sets whether an account's members need a second factor. */
  requireSecondFactor(accountId: string, required: boolean): Promise<void>;
  /** The account must have no projects. */
  deleteAccount(accountId: string): Promise<void>;
  usage(accountId: string): Promise<UsageRow>;
  /** Returns changes, newest first. */
  auditEntries(query: AuditQuery): AsyncIterable<AuditRow>;
  listMembers(accountId: string): Promise<readonly MemberRow[]>;
  /** @param user id or email address. @returns the user's id */
  setRole(accountId: string, user: string, role: Role): Promise<string>;
  /** @param user id or email address. @returns the user's id */
  removeMember(accountId: string, user: string): Promise<string>;

  /** Returns invitations that can still be accepted, oldest first. */
  listInvitations(accountId: string): Promise<readonly InvitationRow[]>;
  /** @returns the invitation and, unless it is sent by email, its link: a URL or, for an operator, a path below the dashboard's URL */
  invite(accountId: string, email: string, role: Role): Promise<SentInvitation>;
  /** @param invitation id or email address. @returns the invitation's id */
  withdrawInvitation(accountId: string, invitation: string): Promise<string>;

  listKeys(accountId: string): Promise<readonly KeyRow[]>;
  /** Returns keys that were revoked within the last 90 days, newest first. */
  listRevokedKeys(accountId: string): Promise<readonly RevokedKeyRow[]>;
  /** @param lifetimeMs undefined if the key does not expire */
  issueKey(request: {
    readonly accountId: string;
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly lifetimeMs: number | undefined;
  }): Promise<ControlResult<'issueKey'>>;
  /** @returns the key after the change */
  changeKey(keyId: string, change: KeyChange): Promise<KeyRow>;
  rotateKey(keyId: string, graceMs: number): Promise<ControlResult<'rotateKey'>>;
  revokeKey(keyId: string): Promise<void>;
  /** @returns the end of the ban that was lifted */
  unbanKey(keyId: string): Promise<{ readonly wasBannedUntil: string }>;

  /** Returns all projects, or an account's. */
  listProjects(accountId: string | undefined): Promise<readonly ProjectRow[]>;
  createProject(accountId: string, name: string, options: { readonly empty: boolean }): Promise<ProjectRow>;
  renameProject(projectId: string, name: string): Promise<void>;
  deleteProject(projectId: string): Promise<void>;
  deploy(projectId: string, folder: string): Promise<Published>;
  listDeployments(projectId: string): Promise<readonly DeploymentRow[]>;
  deleteDeployment(projectId: string, deploymentId: string): Promise<void>;
  pinDeployment(projectId: string, deploymentId: string): Promise<DeploymentRow>;
  unpinDeployment(projectId: string, deploymentId: string): Promise<DeploymentRow>;
  /** @param to @default the deployment before the current one */
  rollBack(projectId: string, to: string | undefined): Promise<ProjectRow>;
  getConfiguration(projectId: string): Promise<Configuration>;
  /** Replaces the configuration. @throws CliError with the changes if it has changed since the user read it (`read`, by default not checked) */
  putConfiguration(projectId: string, value: unknown, read?: Configuration): Promise<Configuration>;

  /** @param companion whether to also add the name's counterpart with or without www, which redirects to this one */
  addDomain(projectId: string, input: string, options: { readonly companion: boolean }): Promise<DomainRow>;
  listDomains(projectId: string): Promise<readonly DomainRow[]>;
  /** Finds a domain by its name. @param projectId selects one of several projects that claim the name */
  findDomain(input: string, projectId: string | undefined): Promise<DomainRow>;
  /** Returns the domain's current state; undefined if it is gone. */
  getDomain(domain: DomainRow): Promise<DomainRow | undefined>;
  verifyDomain(domain: DomainRow): Promise<DomainRow>;
  /** Sets the domain's records. @returns the records that were set */
  publishRecords(domain: DomainRow): Promise<DomainRow['records']>;
  removeDomain(domain: DomainRow, options: { readonly withRedirects: boolean }): Promise<DomainRow>;
}
