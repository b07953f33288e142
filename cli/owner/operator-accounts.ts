// Operations on accounts, from creation to deletion, for operators: on the stores of the data folder, or of a stage on AWS.

import { type Account, OPERATOR } from '../../core/access/account.ts';
import { deleteAccount, resumeAccount, type SuspensionPorts, suspendAccount } from '../../core/access/account-ends.ts';
import { createAccount, renameAccount } from '../../core/access/accounts.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import type { Invitation } from '../../core/access/invitation.ts';
import { invite, openInvitations, withdrawInvitation } from '../../core/access/invitations.ts';
import { noAccount } from '../../core/access/keys.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { CommandStores, Platform } from '../../platforms/platform.ts';
import { invitationView } from '../../service/control/views.ts';
import { isoTime, refusalError, resultOf } from '../context.ts';
import { invitationIn } from './named-domain.ts';
import type { AccountRow, AffectedDomain, OwnerPort } from './port.ts';

interface OperatorAccountOptions {
  readonly stores: () => Promise<CommandStores>;
  readonly platform: () => Promise<Platform>;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates the methods for accounts, a part of an operator's port. */
export function operatorAccounts({
  stores,
  platform,
  randomBytes,
  clock,
}: OperatorAccountOptions): Pick<
  OwnerPort,
  'listAccounts' | 'createAccount' | 'renameAccount' | 'suspendAccount' | 'resumeAccount' | 'requireSecondFactor' | 'deleteAccount'
> {
  /** A stage that serves no sites has no edge, and needs none. */
  const suspensionPorts = async (accountId: string): Promise<SuspensionPorts> => {
    const { accounts, projects } = await stores();
    const hasProjects = (await projects.listProjects(accountId)).length > 0;
    return { accounts, serving: hasProjects ? await platform() : undefined };
  };

  return {
    listAccounts: async () => (await (await stores()).accounts.listAccounts()).map(accountRow),
    createAccount: async (name, plan) => {
      const fields = { name, ...plan, owner: undefined };
      return accountRow(resultOf(await createAccount(await stores(), fields, randomBytes, clock())).account);
    },
    suspendAccount: async (accountId, reason) => {
      const { suspension, domains } = resultOf(await suspendAccount(await suspensionPorts(accountId), accountId, reason, clock()));
      return { since: isoTime(suspension.since), domains: domains.map(affected) };
    },
    resumeAccount: async (accountId) => {
      const { domains } = resultOf(await resumeAccount(await suspensionPorts(accountId), accountId, clock()));
      return { domains: domains.map(affected) };
    },
    renameAccount: async (accountId, name) => void resultOf(await renameAccount(await stores(), accountId, name)),
    requireSecondFactor: async (accountId, required) => {
      if (!(await (await stores()).accounts.setSecondFactor(accountId, required))) resultOf(noAccount(accountId));
    },
    deleteAccount: async (accountId) => {
      const { accounts, members, invitations, projects, sandbox } = await stores();
      resultOf(await deleteAccount({ accounts, members, invitations, projects, sandbox }, accountId, clock()));
    },
  };
}

function accountRow({ id, name, plan, limits, createdAt, suspension, requiresSecondFactor }: Account): AccountRow {
  return {
    accountId: id,
    name,
    plan,
    limits,
    createdAt: isoTime(createdAt),
    suspension: suspension === undefined ? null : { since: isoTime(suspension.since), reason: suspension.reason },
    secondFactorRequired: requiresSecondFactor === true,
  };
}

function affected({ id, host }: Domain): AffectedDomain {
  return { domainId: id, host };
}

export interface OperatorInvitationsOptions {
  readonly withStores: <T>(work: (stores: CommandStores) => Promise<T>) => Promise<T>;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates the port's methods for invitations. */
export function operatorInvitations({
  withStores,
  randomBytes,
  clock,
}: OperatorInvitationsOptions): Pick<OwnerPort, 'invite' | 'listInvitations' | 'withdrawInvitation'> {
  const rowIn = ({ users }: CommandStores, invitation: Invitation) =>
    invitationView(invitation, { emailOf: async (id) => (await users?.get(id))?.email });
  const listInvitations: OwnerPort['listInvitations'] = (accountId) =>
    withStores(async (stores) => {
      await expectAccount(stores, accountId);
      return Promise.all((await openInvitations(stores, accountId, clock())).map((each) => rowIn(stores, each)));
    });
  return {
    listInvitations,
    // The command line does not know whether the installation sends emails, so the operator passes on the link.
    invite: (accountId, email, role) =>
      withStores(async (stores) => {
        const request = { accountId, email, role, invitedBy: OPERATOR, mailed: false, now: clock() };
        const { invitation, link = null } = resultOf(await invite(stores, randomBytes, request));
        return { ...(await rowIn(stores, invitation)), link };
      }),
    withdrawInvitation: async (accountId, invitation) => {
      const invitationId = invitationIn(await listInvitations(accountId), invitation);
      resultOf(await withStores(({ invitations }) => withdrawInvitation(invitations, accountId, invitationId)));
      return invitationId;
    },
  };
}

/** @throws CliError if there is no such account */
export async function expectAccount({ accounts }: Pick<CommandStores, 'accounts'>, accountId: string): Promise<void> {
  if ((await accounts.getAccount(accountId)) === undefined) throw refusalError(noAccount(accountId));
}
