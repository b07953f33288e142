// Accounts and their keys in SQLite.

import type { DatabaseSync, StatementResultingChanges } from 'node:sqlite';
import { type Account, type KeyRecord, MAX_REVOKED_LISTED, REVOKED_KEPT_MS, type RevokedKey } from '../../../core/access/account.ts';
import type { Scope } from '../../../core/access/plans.ts';
import type { AccountStore } from '../../../core/access/ports.ts';
import * as changes from '../../../core/audit/changes.ts';
import type { Change } from '../../../core/audit/entry.ts';
import { type Ban, CLOCK_DIFFERENCE_MS } from '../../../core/limits/ban.ts';
import type { Notification } from '../../../core/notifications/notification.ts';
import type { RecordChange } from './audit.ts';
import { asProperties, prepareSelect, type RowOf, withoutNull } from './database.ts';
import type { RecordNotification } from './outbox.ts';
import { changed, guarded, transaction } from './transaction.ts';

type AccountRow = Omit<RowOf<Account>, 'limits' | 'planRequest' | 'suspension' | 'requiresSecondFactor'> &
  Account['limits'] & { readonly planRequest: string | null; readonly suspension: string | null; readonly secondFactor: number };

/** The columns with a key's last ban, all null if it has never been banned. `ban_since` is also null for old bans. */
export interface BanRow {
  ban_since: number | null;
  ban_until: number | null;
  ban_level: number | null;
}

type KeyRow = Omit<RowOf<KeyRecord>, 'scopes' | 'ban'> & BanRow & { readonly scopes: string };
type RevokedRow = Omit<RowOf<RevokedKey>, 'scopes' | 'revoked'> & RevokedKey['revoked'] & { readonly scopes: string };

/** What a write returns from the changed row; undefined if no row was changed. */
type OfAccount = { account_id: string } | undefined;
/** Maximum number of records of revoked keys that one revocation deletes. */
const CLEAR_AT_ONCE = 100;

/** The SQL condition for accounts that are not deleted. */
const HERE = 'deleted_at IS NULL';

const BAN_COLUMNS = 'ban_since, ban_until, ban_level';
const FACT_COLUMNS = 'id, account_id, name, hint, scopes, created_by, created_at, expires_at, last_used_at';
const KEY_COLUMNS = `${FACT_COLUMNS}, digest, successor, paused_at, ${BAN_COLUMNS}`;
const ACCOUNT = asProperties('id, name, plan, per_minute, per_day, created_at, plan_request, suspension, second_factor');
const FACTS = asProperties(FACT_COLUMNS);
const KEY = `${FACTS}, digest, successor, paused_at AS pausedAt, ${BAN_COLUMNS}`;

/** Creates the account store. */
export function createSqliteAccountStore(database: DatabaseSync, notify: RecordNotification, record: RecordChange): AccountStore {
  const insertAccount = database.prepare(
    'INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const selectAccounts = prepareSelect(database, `SELECT ${ACCOUNT} FROM accounts WHERE ${HERE} ORDER BY created_at, id`, toAccount);
  const selectAccount = prepareSelect(database, `SELECT ${ACCOUNT} FROM accounts WHERE id = ? AND ${HERE}`, toAccount);
  const updatePlan = database.prepare(`UPDATE accounts SET plan = ?, per_minute = ?, per_day = ? WHERE id = ? AND ${HERE}`);
  const updateRequest = database.prepare(`UPDATE accounts SET plan_request = ? WHERE id = ? AND ${HERE}`);
  const updateSuspension = database.prepare(`UPDATE accounts SET suspension = ? WHERE id = ? AND ${HERE}`);
  const updateName = database.prepare(`UPDATE accounts SET name = ? WHERE id = ? AND ${HERE}`);
  const updateSecondFactor = database.prepare(`UPDATE accounts SET second_factor = ? WHERE id = ? AND ${HERE}`);
  // The account's row stays until the sweep has removed the rows that refer to it, such as those of deleted projects.
  const markDeleted = database.prepare(`UPDATE accounts SET deleted_at = ? WHERE id = ? AND ${HERE}`);
  const deleteMembers = database.prepare('DELETE FROM members WHERE account_id = ? RETURNING user_id');
  const deleteOfAccount = ['api_keys', 'revoked_keys', 'usage', 'usage_history'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE account_id = ?`),
  );
  const countKeys = prepareSelect<{ n: number }>(database, 'SELECT count(*) AS n FROM api_keys WHERE account_id = ? AND expires_at > ?');
  const insertKey = database.prepare(`INSERT INTO api_keys (${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, NULL, NULL, ?, ?, ?)`);
  const selectKeys = prepareSelect(database, `SELECT ${KEY} FROM api_keys WHERE account_id = ? ORDER BY created_at, id`, toKeyRecord);
  const selectKey = prepareSelect(database, `SELECT ${KEY} FROM api_keys WHERE id = ?`, toKeyRecord);
  const updateExpiry = database.prepare('UPDATE api_keys SET expires_at = ?, successor = coalesce(?, successor) WHERE id = ? RETURNING account_id');
  const updateKey = database.prepare(
    `UPDATE api_keys SET name = ?, scopes = ?, expires_at = ?, paused_at = ?
     WHERE id = ? AND name = ? AND scopes = ? AND expires_at = ? AND paused_at IS ? AND successor IS ?`,
  );
  const endBan = database.prepare(
    'UPDATE api_keys SET ban_until = ifnull(ban_since, 0) - ? WHERE id = ? AND ban_until > max(?, ifnull(ban_since, 0)) RETURNING account_id',
  );
  const deleteKey = database.prepare('DELETE FROM api_keys WHERE id = ? RETURNING account_id');
  const keepRevoked = database.prepare(
    `INSERT OR REPLACE INTO revoked_keys (${FACT_COLUMNS}, revoked_at, revoked_by) SELECT ${FACT_COLUMNS}, ?, ? FROM api_keys WHERE id = ?`,
  );
  const dropRevoked = database.prepare(
    `DELETE FROM revoked_keys WHERE id IN (SELECT id FROM revoked_keys WHERE revoked_at <= ? LIMIT ${CLEAR_AT_ONCE})`,
  );
  const selectRevoked = prepareSelect(
    database,
    `SELECT ${FACTS}, revoked_at AS at, revoked_by AS by FROM revoked_keys WHERE account_id = ? AND revoked_at > ?
     ORDER BY revoked_at DESC, id DESC LIMIT ${MAX_REVOKED_LISTED}`,
    toRevoked,
  );

  const change = (write: () => StatementResultingChanges, what: Change, notification?: Notification) =>
    changed(database, write, () => {
      record(what);
      notify(notification);
    });

  return {
    createAccount: async (account) => {
      const { id, name, plan, limits, createdAt } = account;
      return change(() => insertAccount.run(id, name, plan, limits.perMinute, limits.perDay, createdAt), changes.accountCreated(account));
    },
    listAccounts: async () => guarded(() => selectAccounts.all()),
    getAccount: async (id) => guarded(() => selectAccount.one(id)),
    setPlan: async (id, plan, limits) => change(() => updatePlan.run(plan, limits.perMinute, limits.perDay, id), changes.planSet(id, plan, limits)),
    setPlanRequest: async (id, request, notification) =>
      change(() => updateRequest.run(request === undefined ? null : JSON.stringify(request), id), changes.planRequestSet(id, request), notification),
    setSuspension: async (id, suspension, notification) =>
      change(
        () => updateSuspension.run(suspension === undefined ? null : JSON.stringify(suspension), id),
        changes.suspensionSet(id, suspension),
        notification,
      ),
    rename: async (id, name) => change(() => updateName.run(name, id), changes.accountRenamed(id, name)),
    setSecondFactor: async (id, isRequired) => change(() => updateSecondFactor.run(Number(isRequired), id), changes.secondFactorSet(id, isRequired)),
    deleteAccount: async (id, now) =>
      transaction(database, () => {
        if (markDeleted.run(now, id).changes !== 1) return false;
        for (const statement of deleteOfAccount) statement.run(id);
        record(changes.accountDeleted(id));
        for (const { user_id } of deleteMembers.all(id) as { user_id: string }[]) record(changes.memberRemoved(id, user_id));
        return true;
      }),
    addKey: async (key, maxKeys, now) =>
      transaction(database, () => {
        if (selectAccount.one(key.accountId) === undefined) return 'account_not_found';
        if ((countKeys.one(key.accountId, now)?.n ?? 0) >= maxKeys) return 'too_many_keys';
        const { id, accountId, name, hint = null, scopes, createdBy = null, createdAt, expiresAt, digest, ban } = key;
        insertKey.run(id, accountId, name, hint, scopes.join(','), createdBy, createdAt, expiresAt, digest, ...columnsOfBan(ban));
        record(changes.keyIssued(key));
        return 'added';
      }),
    listKeys: async (accountId) => guarded(() => selectKeys.all(accountId)),
    getKey: async (keyId) => guarded(() => selectKey.one(keyId)),
    expireKey: async (keyId, expiresAt, successor) =>
      transaction(database, () => {
        const changed = updateExpiry.get(expiresAt, successor ?? null, keyId) as OfAccount;
        if (changed !== undefined) record(changes.keyExpirySet(changed.account_id, keyId, expiresAt, successor));
        return changed !== undefined;
      }),
    changeKey: async (next, read) =>
      change(() => updateKey.run(...changingColumns(next), read.id, ...changingColumns(read), read.successor ?? null), changes.keySet(next, read)),
    liftBan: async (keyId, now) =>
      transaction(database, () => {
        const changed = endBan.get(CLOCK_DIFFERENCE_MS, keyId, now) as OfAccount;
        if (changed !== undefined) record(changes.keyChanged('key.unbanned', changed.account_id, keyId));
        return changed !== undefined;
      }),
    revokeKey: async (keyId, { at, by }) =>
      transaction(database, () => {
        keepRevoked.run(at, by, keyId);
        dropRevoked.run(at - REVOKED_KEPT_MS);
        const removed = deleteKey.get(keyId) as OfAccount;
        if (removed !== undefined) record(changes.keyChanged('key.revoked', removed.account_id, keyId));
        return removed !== undefined;
      }),
    listRevokedKeys: async (accountId, since) => guarded(() => selectRevoked.all(accountId, since)),
  };
}

function toAccount({ perMinute, perDay, planRequest, suspension, secondFactor, ...row }: AccountRow): Account {
  return {
    ...row,
    limits: { perMinute, perDay },
    ...(planRequest !== null && { planRequest: JSON.parse(planRequest) }),
    ...(suspension !== null && { suspension: JSON.parse(suspension) }),
    ...(secondFactor === 1 && { requiresSecondFactor: true }),
  };
}

/** Returns the key's last ban. */
export function toBan({ ban_since, ban_until, ban_level }: BanRow): Ban | undefined {
  return ban_until === null || ban_level === null ? undefined : { since: ban_since ?? 0, until: ban_until, level: ban_level };
}

/** Returns a ban's values, in the order of BAN_COLUMNS. */
function columnsOfBan(ban: Ban | undefined): [number | null, number | null, number | null] {
  return ban === undefined ? [null, null, null] : [ban.since, ban.until, ban.level];
}

/** Returns the values that `changeKey` changes, in the order of its columns. */
function changingColumns({ name, scopes, expiresAt, pausedAt }: KeyRecord): [string, string, number, number | null] {
  return [name, scopes.join(','), expiresAt, pausedAt ?? null];
}

function toKeyRecord({ scopes, ban_since, ban_until, ban_level, ...row }: KeyRow): KeyRecord {
  const ban = toBan({ ban_since, ban_until, ban_level });
  return { ...withoutNull<Omit<KeyRecord, 'scopes' | 'ban'>>(row), scopes: scopes.split(',') as Scope[], ...(ban && { ban }) };
}

function toRevoked({ scopes, at, by, ...row }: RevokedRow): RevokedKey {
  return { ...withoutNull<Omit<RevokedKey, 'scopes' | 'revoked'>>(row), scopes: scopes.split(',') as Scope[], revoked: { at, by } };
}
