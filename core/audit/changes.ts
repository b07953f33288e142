// The audit log's actions and details for the changes that stores make.

import { type Account, type KeyRecord, NEVER, type PlanRequest, type Suspension } from '../access/account.ts';
import type { DeployToken } from '../access/deploy-token.ts';
import type { Invitation } from '../access/invitation.ts';
import type { Limits, PlanName } from '../access/plans.ts';
import type { Member } from '../access/ports.ts';
import type { DomainConfiguration } from '../domains/configuration.ts';
import type { Domain } from '../domains/domain.ts';
import type { Deployment, Project } from '../projects/project.ts';
import type { AuditAction, Change } from './entry.ts';

/** An account was created. */
export function accountCreated({ id, name, plan, limits }: Account): Change {
  return { action: 'account.created', accountId: id, subject: id, details: { name, plan, ...limits } };
}

/** An account's plan or limits were changed. */
export function planSet(accountId: string, plan: PlanName, limits: Limits): Change {
  return { action: 'account.plan_set', accountId, subject: accountId, details: { plan, ...limits } };
}

/** An account's request for a plan was made, decided or withdrawn (undefined). */
export function planRequestSet(accountId: string, request: PlanRequest | undefined): Change {
  const isOpen = request !== undefined && request.decision === undefined;
  const approved = request?.decision?.approved;
  return {
    action: isOpen ? 'account.plan_requested' : 'account.plan_request_closed',
    accountId,
    subject: accountId,
    ...(request !== undefined && { details: { plan: request.plan, ...(approved !== undefined && { approved }) } }),
  };
}

/** An account was suspended, or resumed (undefined). */
export function suspensionSet(accountId: string, suspension: Suspension | undefined): Change {
  return suspension === undefined
    ? { action: 'account.resumed', accountId, subject: accountId }
    : { action: 'account.suspended', accountId, subject: accountId, details: { reason: suspension.reason } };
}

/** An account was renamed. */
export function accountRenamed(accountId: string, name: string): Change {
  return { action: 'account.renamed', accountId, subject: accountId, details: { name } };
}

/** Whether an account's members need a second factor was changed. */
export function secondFactorSet(accountId: string, isRequired: boolean): Change {
  return { action: isRequired ? 'account.second_factor_required' : 'account.second_factor_optional', accountId, subject: accountId };
}

/** An account was deleted, with its keys. */
export function accountDeleted(accountId: string): Change {
  return { action: 'account.deleted', accountId, subject: accountId };
}

/** A key was added to an account. */
export function keyIssued({ id, accountId, name, scopes, expiresAt }: KeyRecord): Change {
  return {
    action: 'key.issued',
    accountId,
    subject: id,
    details: { name, scopes: scopes.join(' '), ...(expiresAt !== NEVER && { expiresAt: isoTime(expiresAt) }) },
  };
}

/** A key's expiry was changed, perhaps because it has a successor. */
export function keyExpirySet(accountId: string, keyId: string, expiresAt: number, successor: string | undefined): Change {
  return {
    action: 'key.expiry_set',
    accountId,
    subject: keyId,
    details: { expiresAt: isoTime(expiresAt), ...(successor !== undefined && { successor }) },
  };
}

/** A key was renamed, paused or resumed, or its scopes or expiry were changed. @param read the key before the change */
export function keySet(next: KeyRecord, read: KeyRecord): Change {
  const scopes = next.scopes.join(' ');
  const isPaused = next.pausedAt !== undefined;
  return {
    action: isPaused === (read.pausedAt !== undefined) ? 'key.changed' : isPaused ? 'key.paused' : 'key.resumed',
    accountId: read.accountId,
    subject: read.id,
    details: {
      ...(next.name !== read.name && { name: next.name }),
      ...(scopes !== read.scopes.join(' ') && { scopes }),
      ...(next.expiresAt !== read.expiresAt && { expiresAt: next.expiresAt === NEVER ? 'never' : isoTime(next.expiresAt) }),
    },
  };
}

/** A key was unbanned or revoked. */
export function keyChanged(action: Extract<AuditAction, 'key.unbanned' | 'key.revoked'>, accountId: string, keyId: string): Change {
  return { action, accountId, subject: keyId };
}

/** An account has a new member. @param invitation id of the invitation that the member accepted. @default none */
export function memberAdded(accountId: string, { userId, role }: Member, invitation?: string): Change {
  return { action: 'member.added', accountId, subject: userId, details: { role, ...(invitation !== undefined && { invitation }) } };
}

/** A member's role was changed. */
export function memberRoleSet(accountId: string, { userId, role }: Member): Change {
  return { action: 'member.role_set', accountId, subject: userId, details: { role } };
}

/** A member was removed from an account. */
export function memberRemoved(accountId: string, userId: string): Change {
  return { action: 'member.removed', accountId, subject: userId };
}

/** Something happened to an invitation. */
export function invitationChanged(
  action: Extract<AuditAction, `invitation.${string}`>,
  { id, accountId, email, role }: Pick<Invitation, 'id' | 'accountId' | 'email' | 'role'>,
): Change {
  return { action, accountId, subject: id, details: { email, role } };
}

/** Something happened to a deploy token. @param accountId the account of its project; undefined if the project is gone */
export function deployTokenChanged(
  action: Extract<AuditAction, `deploy_token.${string}`>,
  accountId: string | undefined,
  { id, projectId, name, expiresAt }: Pick<DeployToken, 'id' | 'projectId' | 'name' | 'expiresAt'>,
): Change {
  return { action, accountId, subject: id, details: { projectId, name, expiresAt: isoTime(expiresAt) } };
}

/** A project was created. */
export function projectCreated({ id, accountId, name }: Pick<Project, 'id' | 'accountId' | 'name'>): Change {
  return { action: 'project.created', accountId, subject: id, details: { name } };
}

/** A project was renamed. */
export function projectRenamed({ id, accountId }: Pick<Project, 'id' | 'accountId'>, name: string): Change {
  return { action: 'project.renamed', accountId, subject: id, details: { name } };
}

/** A project's configuration was changed. */
export function projectConfigured(
  { id, accountId }: Pick<Project, 'id' | 'accountId'>,
  { domains: { primary, redirects }, logs }: DomainConfiguration,
): Change {
  return {
    action: 'project.configured',
    accountId,
    subject: id,
    details: { ...(primary !== undefined && { primary }), redirects: redirects.length, accessLog: logs?.access === true },
  };
}

/** A project was deleted. */
export function projectDeleted({ id, accountId }: Pick<Project, 'id' | 'accountId'>): Change {
  return { action: 'project.deleted', accountId, subject: id };
}

/** Something happened to a deployment. @param accountId the account of its project; undefined if the project is gone */
export function deploymentChanged(
  action: Extract<AuditAction, `deployment.${string}`>,
  accountId: string | undefined,
  { id, projectId }: Pick<Deployment, 'id' | 'projectId'>,
): Change {
  return { action, accountId, subject: id, details: { projectId } };
}

/** The files of a deployment that was deleted or never published, or of a deleted project, were removed. */
export function filesRemoved(accountId: string | undefined, projectId: string, deploymentId: string | undefined): Change {
  return { action: 'files.removed', accountId, subject: deploymentId ?? projectId, details: { projectId } };
}

/** A domain was added to a project. */
export function domainAdded({ id, accountId, projectId, host }: Domain): Change {
  return { action: 'domain.added', accountId, subject: id, details: { host, projectId } };
}

/** A domain's state has changed. Returns undefined if it is the same as before. @param read the domain before the change */
export function domainStateSet(read: Domain, { id, accountId, projectId, host, state, lost }: Domain): Change | undefined {
  if (read.state.name === state.name) return undefined;
  const details = { host, projectId, from: read.state.name, to: state.name };
  const reason = state.name === 'suspended' ? state.reason : state.name === 'certificate_failed' ? state.failure : undefined;
  const isLost = lost !== undefined && read.lost === undefined;
  return {
    action: 'domain.state_set',
    accountId,
    subject: id,
    details: { ...details, ...(reason !== undefined && { reason }), ...(isLost && { lost: true }) },
  };
}

/** Sandbox DNS records were set or removed. */
export function sandboxRecordChanged(
  action: Extract<AuditAction, `sandbox_record.${string}`>,
  { name, type, value }: { readonly name: string; readonly type?: string | undefined; readonly value?: string | undefined },
  accountId?: string,
): Change {
  return { action, accountId, subject: name, details: { ...(type !== undefined && { type }), ...(value !== undefined && { value }) } };
}

/** Something happened to a user, their sessions or their settings. */
export function userChanged(action: Extract<AuditAction, `user.${string}` | 'sessions.ended' | 'notifications.set'>, userId: string): Change {
  return { action, subject: userId };
}

/** A user's session has ended. */
export function sessionEnded(userId: string, sessionId: string): Change {
  return { action: 'session.ended', subject: sessionId, details: { userId } };
}

/** What happened when someone signed in, or tried to. */
export interface SignInEvent {
  readonly action: Extract<AuditAction, `sign_in.${string}`>;
  /** Undefined if no user has the entered name. The name is not recorded, because it may be a password typed into the wrong field. */
  readonly userId: string | undefined;
  /** The factor that was used last. @default none: a link was requested */
  readonly method?: 'password' | 'code' | 'passkey' | undefined;
  readonly agent: string;
  /** @default there were several addresses */
  readonly address: string | undefined;
  readonly count: number;
}

/** Someone signed in, or tried to. */
export function signInEvent({ action, userId, method, agent, address, count }: SignInEvent): Change {
  return {
    action,
    subject: userId ?? 'no user',
    actor: action === 'sign_in.succeeded' ? { kind: 'user', id: userId, address } : { kind: 'visitor', address },
    details: { ...(method !== undefined && { method }), agent, ...(count > 1 && { count }) },
  };
}

/** Formats a time as ISO 8601. */
function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
