// Accounts that another adapter stores: what belongs to their changes, and is stored here, follows each change. It can't be in the same step, because
// it is another storage; a crash in between loses the email or the entry of the audit log.

import type { AccountStore } from '../../core/access/ports.ts';
import {
  accountCreated,
  accountDeleted,
  accountRenamed,
  keyChanged,
  keyExpirySet,
  keyIssued,
  keySet,
  planRequestSet,
  planSet,
  secondFactorSet,
  suspensionSet,
} from '../../core/audit/changes.ts';
import type { AuditLog } from '../../core/audit/ports.ts';
import type { NotificationOutbox } from '../../core/notifications/ports.ts';

export interface HereStored {
  readonly outbox: Pick<NotificationOutbox, 'add'>;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** Returns the store with what follows its changes. */
export function foreignAccounts(accounts: AccountStore, { outbox, audit }: HereStored): AccountStore {
  const accountOf = async (keyId: string) => (await accounts.getKey(keyId))?.accountId;
  return {
    listAccounts: () => accounts.listAccounts(),
    getAccount: (id) => accounts.getAccount(id),
    listKeys: (accountId) => accounts.listKeys(accountId),
    getKey: (keyId) => accounts.getKey(keyId),
    listRevokedKeys: (accountId, since) => accounts.listRevokedKeys(accountId, since),
    createAccount: async (account) => {
      const isDone = await accounts.createAccount(account);
      if (isDone) await audit.record(accountCreated(account));
      return isDone;
    },
    setPlan: async (id, plan, limits) => {
      const isDone = await accounts.setPlan(id, plan, limits);
      if (isDone) await audit.record(planSet(id, plan, limits));
      return isDone;
    },
    setPlanRequest: async (id, request, notification) => {
      const isDone = await accounts.setPlanRequest(id, request);
      if (isDone) await audit.record(planRequestSet(id, request));
      if (isDone && notification !== undefined) await outbox.add(notification);
      return isDone;
    },
    setSuspension: async (id, suspension, notification) => {
      const isDone = await accounts.setSuspension(id, suspension);
      if (isDone) await audit.record(suspensionSet(id, suspension));
      if (isDone && notification !== undefined) await outbox.add(notification);
      return isDone;
    },
    rename: async (id, name) => {
      const isDone = await accounts.rename(id, name);
      if (isDone) await audit.record(accountRenamed(id, name));
      return isDone;
    },
    setSecondFactor: async (id, isRequired) => {
      const isDone = await accounts.setSecondFactor(id, isRequired);
      if (isDone) await audit.record(secondFactorSet(id, isRequired));
      return isDone;
    },
    deleteAccount: async (id, now) => {
      const isDone = await accounts.deleteAccount(id, now);
      if (isDone) await audit.record(accountDeleted(id));
      return isDone;
    },
    addKey: async (key, maxKeys, now) => {
      const outcome = await accounts.addKey(key, maxKeys, now);
      if (outcome === 'added') await audit.record(keyIssued(key));
      return outcome;
    },
    expireKey: async (keyId, expiresAt, successor) => {
      const accountId = await accountOf(keyId);
      const isDone = await accounts.expireKey(keyId, expiresAt, successor);
      if (isDone && accountId !== undefined) await audit.record(keyExpirySet(accountId, keyId, expiresAt, successor));
      return isDone;
    },
    changeKey: async (next, read) => {
      const isDone = await accounts.changeKey(next, read);
      if (isDone) await audit.record(keySet(next, read));
      return isDone;
    },
    liftBan: async (keyId, now) => {
      const accountId = await accountOf(keyId);
      const isDone = await accounts.liftBan(keyId, now);
      if (isDone && accountId !== undefined) await audit.record(keyChanged('key.unbanned', accountId, keyId));
      return isDone;
    },
    revokeKey: async (keyId, revocation) => {
      const accountId = await accountOf(keyId);
      const isDone = await accounts.revokeKey(keyId, revocation);
      if (isDone && accountId !== undefined) await audit.record(keyChanged('key.revoked', accountId, keyId));
      return isDone;
    },
  };
}
