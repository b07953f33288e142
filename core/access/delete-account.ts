// The end of an account, with what goes with it.

import type { ProjectStore } from '../projects/ports.ts';
import { type ActionResult, refused } from '../refusal.ts';
import type { SandboxRecords } from '../sandbox/ports.ts';
import { noAccount } from './keys.ts';
import type { AccountStore, InvitationStore, MemberStore } from './ports.ts';

export interface DeletionPorts {
  readonly accounts: Pick<AccountStore, 'getAccount' | 'deleteAccount'>;
  readonly members: Pick<MemberStore, 'membersOf' | 'removeMember'>;
  readonly invitations: Pick<InvitationStore, 'listInvitations' | 'removeInvitation'>;
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  /** Undefined without a sandbox. */
  readonly sandbox: Pick<SandboxRecords, 'list' | 'unset'> | undefined;
}

/** Projects that a refusal names. */
const PROJECTS_NAMED = 10;

/**
 * Deletes an account that has no projects: its keys are refused at once; its usage, members, invitations and sandbox records go with it. Its entries in
 * the audit log stay. An attempt that was interrupted can be repeated: members lose the account last.
 *
 * @param now milliseconds since 1970
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
  for (const { name, type, value, ...record } of sandbox?.list() ?? []) if (record.accountId === accountId) await sandbox?.unset(name, type, value);
  const isDeleted = await accounts.deleteAccount(accountId, now);
  const remaining = await members.membersOf(accountId);
  for (const { userId } of remaining) await members.removeMember(accountId, userId, { keepOwner: false });
  return isDeleted || remaining.length > 0 ? { ok: true } : noAccount(accountId);
}
