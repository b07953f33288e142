// Operators suspend, resume and delete accounts. Each `now` is in milliseconds since 1970.

import type { Domain } from '../domains/domain.ts';
import { type ServingPorts, startServing, stopServing } from '../domains/suspension.ts';
import { accountSuspended } from '../notifications/notification.ts';
import type { ProjectStore } from '../projects/ports.ts';
import { type ActionResult, refused } from '../refusal.ts';
import type { SandboxRecords } from '../sandbox/ports.ts';
import { isName } from '../text.ts';
import type { Suspension } from './account.ts';
import { noAccount } from './keys.ts';
import { MAX_NOTE_LENGTH } from './plan-requests.ts';
import type { AccountStore, InvitationStore, MemberStore } from './ports.ts';

export interface SuspensionPorts {
  readonly accounts: Pick<AccountStore, 'getAccount' | 'setSuspension'>;
  /** Undefined if the installation serves no sites. */
  readonly serving: ServingPorts | undefined;
}

/**
 * Suspends an account: its keys are refused, its sites no longer served. A repeated call replaces the reason and completes an interrupted one.
 *
 * @param reason shown to the owners; up to 500 characters, not blank
 */
export async function suspendAccount(
  { accounts, serving }: SuspensionPorts,
  accountId: string,
  reason: string,
  now: number,
): Promise<ActionResult<{ readonly suspension: Suspension; readonly domains: readonly Domain[] }>> {
  if (!isName(reason, MAX_NOTE_LENGTH))
    return refused(
      'invalid_request',
      `reason: got ${JSON.stringify(reason)}; allowed: 1 to ${MAX_NOTE_LENGTH} characters on one line, for the owners to read`,
    );
  const account = await accounts.getAccount(accountId);
  if (account === undefined) return noAccount(accountId);
  const suspension = { since: account.suspension?.since ?? now, reason };
  if (!(await accounts.setSuspension(accountId, suspension, accountSuspended(accountId, suspension)))) return noAccount(accountId);
  return { ok: true, suspension, domains: serving === undefined ? [] : await stopServing(serving, accountId, now) };
}

/** Ends an account's suspension: its keys are admitted again (after up to LEASE_MS if a process holds a lease), and its sites are served again. */
export async function resumeAccount(
  { accounts, serving }: SuspensionPorts,
  accountId: string,
  now: number,
): Promise<ActionResult<{ readonly domains: readonly Domain[] }>> {
  const account = await accounts.getAccount(accountId);
  if (account === undefined) return noAccount(accountId);
  if (account.suspension !== undefined && !(await accounts.setSuspension(accountId, undefined))) return noAccount(accountId);
  return { ok: true, domains: serving === undefined ? [] : await startServing(serving, accountId, now) };
}

export interface DeletionPorts {
  readonly accounts: Pick<AccountStore, 'getAccount' | 'deleteAccount'>;
  readonly members: Pick<MemberStore, 'membersOf' | 'removeMember'>;
  readonly invitations: Pick<InvitationStore, 'listInvitations' | 'removeInvitation'>;
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  /** Undefined without a sandbox. */
  readonly sandbox: Pick<SandboxRecords, 'list' | 'unset'> | undefined;
}

const PROJECTS_NAMED = 10;

/**
 * Deletes an account that has no projects: its keys are refused at once, and its usage, members, invitations and sandbox records are deleted with it.
 * Its entries in the audit log stay. An interrupted attempt can be repeated, because the members are removed last.
 */
export async function deleteAccount(
  { accounts, members, invitations, projects, sandbox }: DeletionPorts,
  accountId: string,
  now: number,
): Promise<ActionResult<object>> {
  const left = await projects.listProjects(accountId);
  if (left.length > 0) {
    const named = left.slice(0, PROJECTS_NAMED).map(({ id, name }) => `${id} (${name})`);
    const more = left.length > PROJECTS_NAMED ? ` and ${left.length - PROJECTS_NAMED} more` : '';
    return refused(
      'conflict',
      left.length === 1
        ? `account ${accountId} has a project, ${named[0]}: delete it first`
        : `account ${accountId} has ${left.length} projects, ${named.join(', ')}${more}: delete them first`,
      ' (petstore accounts delete --with-projects does both)',
    );
  }
  for (const { id } of await invitations.listInvitations(accountId)) await invitations.removeInvitation(id);
  for (const { name, type, value, ...record } of (await sandbox?.list()) ?? [])
    if (record.accountId === accountId) await sandbox?.unset(name, type, value);
  const isDeleted = await accounts.deleteAccount(accountId, now);
  const remaining = await members.membersOf(accountId);
  for (const { userId } of remaining) await members.removeMember(accountId, userId, { keepOwner: false });
  return isDeleted || remaining.length > 0 ? { ok: true } : noAccount(accountId);
}
