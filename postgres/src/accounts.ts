// Accounts and their keys.

import {
  type Account,
  type AccountStore,
  type Ban,
  CLOCK_DIFFERENCE_MS,
  type KeyRecord,
  MAX_REVOKED_LISTED,
  type Notification,
  type PlanName,
  REVOKED_KEPT_MS,
  type RevokedKey,
  type Scope,
} from 'petstore-platform';
import {
  accountCreated,
  accountDeleted,
  accountRenamed,
  type Change,
  keyChanged,
  keyExpirySet,
  keyIssued,
  keySet,
  memberRemoved,
  planRequestSet,
  planSet,
  secondFactorSet,
  suspensionSet,
} from 'petstore-platform/stores';
import { type Database, durably, type Statement, type Transaction, type Value } from './database.ts';
import type { Log } from './log.ts';

interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly per_minute: bigint;
  readonly per_day: bigint;
  readonly created_at: bigint;
  readonly plan_request: string | null;
  readonly suspension: string | null;
  readonly second_factor: boolean;
}

/** The columns with a key's last ban, all null if it has never been banned. */
export interface BanRow {
  readonly ban_since: bigint | null;
  readonly ban_until: bigint | null;
  readonly ban_level: bigint | null;
}

interface FactsRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly hint: string | null;
  readonly scopes: string;
  readonly created_by: string | null;
  readonly created_at: bigint;
  readonly expires_at: bigint;
  readonly last_used_at: bigint | null;
}

interface KeyRow extends FactsRow, BanRow {
  readonly digest: string;
  readonly successor: string | null;
  readonly paused_at: bigint | null;
}

interface RevokedRow extends FactsRow {
  readonly revoked_at: bigint;
  readonly revoked_by: string;
}

/** Maximum number of records of revoked keys that one revocation deletes. */
const CLEARED = 100;

const ACCOUNT = 'id, name, plan, per_minute, per_day, created_at, plan_request, suspension, second_factor';
const FACTS = 'id, account_id, name, hint, scopes, created_by, created_at, expires_at, last_used_at';
const KEY = `${FACTS}, digest, successor, paused_at, ban_since, ban_until, ban_level`;

/** Creates an account, and the row that admission locks. */
const CREATE: Statement = {
  text: `WITH added AS (INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id)
    INSERT INTO usage (account_id) SELECT id FROM added RETURNING account_id`,
};
const LIST: Statement = { text: `SELECT ${ACCOUNT} FROM accounts ORDER BY created_at, id` };
const GET: Statement = { name: 'account', text: `SELECT ${ACCOUNT} FROM accounts WHERE id = $1` };
const SET_PLAN: Statement = { text: 'UPDATE accounts SET plan = $2, per_minute = $3, per_day = $4 WHERE id = $1 RETURNING id' };
const SET_REQUEST: Statement = { text: 'UPDATE accounts SET plan_request = $2 WHERE id = $1 RETURNING id' };
const SET_SUSPENSION: Statement = { text: 'UPDATE accounts SET suspension = $2 WHERE id = $1 RETURNING id' };
const RENAME: Statement = { text: 'UPDATE accounts SET name = $2 WHERE id = $1 RETURNING id' };
const SET_SECOND_FACTOR: Statement = { text: 'UPDATE accounts SET second_factor = $2 = 1 WHERE id = $1 RETURNING id' };
const DELETE: Statement = {
  text: `WITH gone AS (DELETE FROM accounts WHERE id = $1 RETURNING id),
    keys AS (DELETE FROM api_keys WHERE account_id = $1),
    revoked AS (DELETE FROM revoked_keys WHERE account_id = $1),
    counters AS (DELETE FROM usage WHERE account_id = $1),
    history AS (DELETE FROM usage_history WHERE account_id = $1)
    SELECT id FROM gone`,
};
const ADD_KEY: Statement = {
  text: `WITH account AS (SELECT id FROM accounts WHERE id = $2),
    kept AS (SELECT count(*) AS keys FROM api_keys WHERE account_id = $2 AND expires_at > $17),
    added AS (INSERT INTO api_keys (${KEY})
      SELECT $1, $2, $3, $4, $5, $6, $7::bigint, $8::bigint, $9::bigint, $10, $11, $12::bigint, $13::bigint, $14::bigint, $15::bigint FROM account, kept
      WHERE kept.keys < $16::bigint RETURNING id)
    SELECT EXISTS (SELECT FROM account) AS found, EXISTS (SELECT FROM added) AS added`,
};
const LIST_KEYS: Statement = { text: `SELECT ${KEY} FROM api_keys WHERE account_id = $1 ORDER BY created_at, id` };
const GET_KEY: Statement = { text: `SELECT ${KEY} FROM api_keys WHERE id = $1` };
const EXPIRE: Statement = { text: 'UPDATE api_keys SET expires_at = $2, successor = coalesce($3, successor) WHERE id = $1 RETURNING account_id' };
const CHANGE_KEY: Statement = {
  text: `UPDATE api_keys SET name = $2, scopes = $3, expires_at = $4, paused_at = $5 WHERE id = $1 AND name = $6 AND scopes = $7
    AND expires_at = $8 AND paused_at IS NOT DISTINCT FROM $9::bigint AND successor IS NOT DISTINCT FROM $10::text RETURNING id`,
};
/** The platform's `isLiftable` and `lifted`, in SQL. */
const LIFT: Statement = {
  text: `UPDATE api_keys SET ban_until = ban_since - ${CLOCK_DIFFERENCE_MS} WHERE id = $1 AND ban_until > greatest($2::bigint, ban_since) RETURNING account_id`,
};
const REVOKE: Statement = {
  text: `WITH gone AS (DELETE FROM api_keys WHERE id = $1 RETURNING ${FACTS}),
    kept AS (INSERT INTO revoked_keys (${FACTS}, revoked_at, revoked_by) SELECT ${FACTS}, $2::bigint, $3 FROM gone ON CONFLICT DO NOTHING),
    dropped AS (DELETE FROM revoked_keys WHERE id IN
      (SELECT id FROM revoked_keys WHERE revoked_at <= $4 ORDER BY revoked_at LIMIT ${CLEARED} FOR UPDATE SKIP LOCKED))
    SELECT account_id FROM gone`,
};
const LIST_REVOKED: Statement = {
  text: `SELECT ${FACTS}, revoked_at, revoked_by FROM revoked_keys WHERE account_id = $1 AND revoked_at > $2
    ORDER BY revoked_at DESC, id DESC LIMIT ${MAX_REVOKED_LISTED}`,
};

const REMOVE_MEMBERS: Statement = { text: 'DELETE FROM members WHERE account_id = $1 RETURNING user_id' };

/**
 * Creates the account store.
 *
 * @param log adds changes' entries and notifications. @default none are added, because the audit log and the outbox are in another store
 */
export function createAccountStore(database: Database, log?: Log): AccountStore {
  /** Runs a statement. If it has changed something, the change's entry and notification are added in the same transaction. */
  const changes = async (
    statement: Statement,
    values: readonly Value[],
    done: (row: { readonly account_id: string }, transaction: Transaction, log: Log) => Change | Promise<Change>,
    notification?: Notification,
  ) => {
    if (log === undefined) return (await database.query(statement, values)).length === 1;
    return durably(database, async (transaction) => {
      const [row] = await transaction.query<{ account_id: string }>(statement, values);
      if (row === undefined) return false;
      log.record(transaction, await done(row, transaction, log));
      log.notify(transaction, notification);
      return true;
    });
  };
  const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value));
  return {
    createAccount: (account) => {
      const { id, name, plan, limits, createdAt } = account;
      return changes(CREATE, [id, name, plan, limits.perMinute, limits.perDay, createdAt], () => accountCreated(account));
    },
    listAccounts: async () => (await database.query<AccountRow>(LIST)).map(toAccount),
    getAccount: async (id) => (await database.query<AccountRow>(GET, [id])).map(toAccount)[0],
    setPlan: (id, plan, limits) => changes(SET_PLAN, [id, plan, limits.perMinute, limits.perDay], () => planSet(id, plan, limits)),
    setPlanRequest: (id, request, notification) => changes(SET_REQUEST, [id, json(request)], () => planRequestSet(id, request), notification),
    setSuspension: (id, suspension, notification) =>
      changes(SET_SUSPENSION, [id, json(suspension)], () => suspensionSet(id, suspension), notification),
    rename: (id, name) => changes(RENAME, [id, name], () => accountRenamed(id, name)),
    setSecondFactor: (id, isRequired) => changes(SET_SECOND_FACTOR, [id, Number(isRequired)], () => secondFactorSet(id, isRequired)),
    deleteAccount: (id) =>
      changes(DELETE, [id], async (_, transaction, { record }) => {
        const members = await transaction.query<{ user_id: string }>(REMOVE_MEMBERS, [id]);
        for (const { user_id } of members) record(transaction, memberRemoved(id, user_id));
        return accountDeleted(id);
      }),
    addKey: async (key, maxKeys, now) => {
      const values = [...columnsOf(key), maxKeys, now];
      type Outcome = { readonly found: boolean; readonly added: boolean };
      const outcomeOf = ([row]: readonly Outcome[]) => (row?.found !== true ? 'account_not_found' : row.added ? 'added' : 'too_many_keys');
      if (log === undefined) return outcomeOf(await database.query<Outcome>(ADD_KEY, values));
      return durably(database, async (transaction) => {
        const outcome = outcomeOf(await transaction.query<Outcome>(ADD_KEY, values));
        if (outcome === 'added') log.record(transaction, keyIssued(key));
        return outcome;
      });
    },
    listKeys: async (accountId) => (await database.query<KeyRow>(LIST_KEYS, [accountId])).map(toKeyRecord),
    getKey: async (keyId) => (await database.query<KeyRow>(GET_KEY, [keyId])).map(toKeyRecord)[0],
    expireKey: (keyId, expiresAt, successor) =>
      changes(EXPIRE, [keyId, expiresAt, successor ?? null], ({ account_id }) => keyExpirySet(account_id, keyId, expiresAt, successor)),
    changeKey: (next, read) => changes(CHANGE_KEY, [read.id, ...changing(next), ...changing(read), read.successor ?? null], () => keySet(next, read)),
    liftBan: (keyId, now) => changes(LIFT, [keyId, now], ({ account_id }) => keyChanged('key.unbanned', account_id, keyId)),
    revokeKey: (keyId, { at, by }) =>
      changes(REVOKE, [keyId, at, by, at - REVOKED_KEPT_MS], ({ account_id }) => keyChanged('key.revoked', account_id, keyId)),
    listRevokedKeys: async (accountId, since) =>
      (await database.query<RevokedRow>(LIST_REVOKED, [accountId, since])).map((row) => ({
        ...toFacts(row),
        revoked: { at: Number(row.revoked_at), by: row.revoked_by },
      })),
  };
}

/** Returns the key's last ban. */
export function toBan({ ban_since: since, ban_until: until, ban_level: level }: BanRow): Ban | undefined {
  return since === null || until === null || level === null ? undefined : { since: Number(since), until: Number(until), level: Number(level) };
}

/** Returns a key's scopes from its column. */
export function toScopes(scopes: string): readonly Scope[] {
  return scopes.split(',') as Scope[];
}

/** Returns the values of a new key, in the order of KEY. A new key has not been used, has no successor and is not paused. */
function columnsOf({ id, accountId, name, hint, scopes, createdBy, createdAt, expiresAt, digest, ban }: KeyRecord): readonly Value[] {
  const bans = ban === undefined ? [null, null, null] : [ban.since, ban.until, ban.level];
  return [id, accountId, name, hint ?? null, scopes.join(','), createdBy ?? null, createdAt, expiresAt, null, digest, null, null, ...bans];
}

/** Returns the values that `changeKey` sets, in the order of its columns. */
function changing({ name, scopes, expiresAt, pausedAt }: KeyRecord): readonly Value[] {
  return [name, scopes.join(','), expiresAt, pausedAt ?? null];
}

function toAccount(row: AccountRow): Account {
  const limits = { perMinute: Number(row.per_minute), perDay: Number(row.per_day) };
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    limits,
    createdAt: Number(row.created_at),
    ...(row.plan_request !== null && { planRequest: JSON.parse(row.plan_request) }),
    ...(row.suspension !== null && { suspension: JSON.parse(row.suspension) }),
    ...(row.second_factor && { requiresSecondFactor: true }),
  };
}

function toFacts(row: FactsRow): Omit<RevokedKey, 'revoked'> {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    ...(row.hint !== null && { hint: row.hint }),
    scopes: toScopes(row.scopes),
    ...(row.created_by !== null && { createdBy: row.created_by }),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    ...(row.last_used_at !== null && { lastUsedAt: Number(row.last_used_at) }),
  };
}

function toKeyRecord(row: KeyRow): KeyRecord {
  const ban = toBan(row);
  return {
    ...toFacts(row),
    digest: row.digest,
    ...(row.successor !== null && { successor: row.successor }),
    ...(row.paused_at !== null && { pausedAt: Number(row.paused_at) }),
    ...(ban !== undefined && { ban }),
  };
}
