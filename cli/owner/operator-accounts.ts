// Accounts from their beginning to their end, as an operator changes them: on the stores of the data folder, or of a stage on AWS.

import type { Account } from '../../core/access/account.ts';
import { createAccount } from '../../core/access/accounts.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import { deleteAccount } from '../../core/access/delete-account.ts';
import { noAccount } from '../../core/access/keys.ts';
import { resumeAccount, type SuspensionPorts, suspendAccount } from '../../core/access/suspension.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { CommandStores, Platform } from '../../platforms/platform.ts';
import { isoTime, resultOf } from '../context.ts';
import type { AccountRow, AffectedDomain, OwnerPort } from './port.ts';

interface OperatorAccountOptions {
  readonly stores: () => Promise<CommandStores>;
  readonly platform: () => Promise<Platform>;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** The commands on accounts, as a part of an operator's port. */
export function operatorAccounts({
  stores,
  platform,
  randomBytes,
  clock,
}: OperatorAccountOptions): Pick<
  OwnerPort,
  'listAccounts' | 'createAccount' | 'suspendAccount' | 'resumeAccount' | 'requireSecondFactor' | 'deleteAccount'
> {
  /** A stage without sites has no edge, and needs none. */
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
