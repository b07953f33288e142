// Accounts that another adapter stores. Each change's notification and audit log entry are stored here afterwards; a crash in between loses both.

import type { AccountStore } from '../../core/access/ports.ts';
import * as changes from '../../core/audit/changes.ts';
import type { Change } from '../../core/audit/entry.ts';
import type { AuditLog } from '../../core/audit/ports.ts';
import type { Notification } from '../../core/notifications/notification.ts';
import type { NotificationOutbox } from '../../core/notifications/ports.ts';

export interface HereStored {
  readonly outbox: Pick<NotificationOutbox, 'add'>;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** Wraps a store of accounts that are kept elsewhere: the notification and the audit log entry of each change are stored in this installation. */
export function foreignAccounts(accounts: AccountStore, { outbox, audit }: HereStored): AccountStore {
  async function followed(done: Promise<boolean>, change: Change, notification?: Notification): Promise<boolean> {
    const isDone = await done;
    if (isDone) await audit.record(change);
    if (isDone && notification !== undefined) await outbox.add(notification);
    return isDone;
  }

  /** Changes a key. Its account is looked up first, because the key may be gone afterwards. */
  async function ofKey(keyId: string, work: () => Promise<boolean>, changeOf: (accountId: string) => Change): Promise<boolean> {
    const key = await accounts.getKey(keyId);
    return key === undefined ? work() : followed(work(), changeOf(key.accountId));
  }

  return {
    ...accounts,
    createAccount: (account) => followed(accounts.createAccount(account), changes.accountCreated(account)),
    setPlan: (id, plan, limits) => followed(accounts.setPlan(id, plan, limits), changes.planSet(id, plan, limits)),
    setPlanRequest: (id, request, notification) => followed(accounts.setPlanRequest(id, request), changes.planRequestSet(id, request), notification),
    setSuspension: (id, suspension, notification) =>
      followed(accounts.setSuspension(id, suspension), changes.suspensionSet(id, suspension), notification),
    rename: (id, name) => followed(accounts.rename(id, name), changes.accountRenamed(id, name)),
    setSecondFactor: (id, isRequired) => followed(accounts.setSecondFactor(id, isRequired), changes.secondFactorSet(id, isRequired)),
    deleteAccount: (id, now) => followed(accounts.deleteAccount(id, now), changes.accountDeleted(id)),
    addKey: async (key, maxKeys, now) => {
      const outcome = await accounts.addKey(key, maxKeys, now);
      if (outcome === 'added') await audit.record(changes.keyIssued(key));
      return outcome;
    },
    expireKey: (keyId, expiresAt, successor) =>
      ofKey(
        keyId,
        () => accounts.expireKey(keyId, expiresAt, successor),
        (accountId) => changes.keyExpirySet(accountId, keyId, expiresAt, successor),
      ),
    changeKey: (next, read) => followed(accounts.changeKey(next, read), changes.keySet(next, read)),
    liftBan: (keyId, now) =>
      ofKey(
        keyId,
        () => accounts.liftBan(keyId, now),
        (accountId) => changes.keyChanged('key.unbanned', accountId, keyId),
      ),
    revokeKey: (keyId, revocation) =>
      ofKey(
        keyId,
        () => accounts.revokeKey(keyId, revocation),
        (accountId) => changes.keyChanged('key.revoked', accountId, keyId),
      ),
  };
}
