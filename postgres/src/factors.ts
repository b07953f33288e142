// Users' passkeys, authenticator apps and recovery codes.

import { type AuditAction, type FactorStore, MOST_PASSKEYS, type Passkey, userChanged } from 'petstore-platform/stores';
import { type Database, durably, lock, type Statement, type Transaction, type Value } from './database.ts';
import type { Log } from './log.ts';

interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly public_key: Uint8Array;
  readonly counter: bigint;
  readonly transports: readonly string[];
  readonly created_at: bigint;
  readonly used_at: bigint | null;
}

const PASSKEYS: Statement = { text: 'SELECT * FROM passkeys WHERE user_id = $1 ORDER BY created_at, id' };
const PASSKEY: Statement = { text: 'SELECT * FROM passkeys WHERE id = $1' };
const ADD_PASSKEY: Statement = {
  text: `INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, created_at)
    SELECT $1, $2, $3, $4::bytea, $5::bigint, $6::text[], $7::bigint WHERE (SELECT count(*) FROM passkeys WHERE user_id = $2) < ${MOST_PASSKEYS}
    ON CONFLICT DO NOTHING RETURNING id`,
};
/** Authenticators without a signature counter send 0 (Web Authentication Level 3, section 7.2, step 22). */
const USE_PASSKEY: Statement = {
  text: `UPDATE passkeys SET counter = $2::bigint, used_at = $3 WHERE id = $1 AND (counter < $2::bigint OR (counter = 0 AND $2::bigint = 0)) RETURNING id`,
};
const REMOVE_PASSKEY: Statement = { text: 'DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING id' };
const REST: Statement = {
  text: `SELECT (SELECT secret FROM totp WHERE user_id = $1) AS secret, (SELECT count(*) FROM recovery_codes WHERE user_id = $1) AS codes`,
};
const SET_TOTP: Statement = {
  text: 'INSERT INTO totp (user_id, secret, step) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, step = excluded.step',
};
const USE_TOTP: Statement = { text: 'UPDATE totp SET step = $2::bigint WHERE user_id = $1 AND step < $2::bigint RETURNING user_id' };
const REMOVE_TOTP: Statement = { text: 'DELETE FROM totp WHERE user_id = $1 RETURNING user_id' };
const REMOVE_CODES: Statement = { text: 'DELETE FROM recovery_codes WHERE user_id = $1 RETURNING user_id' };
const ADD_CODES: Statement = { text: 'INSERT INTO recovery_codes (user_id, digest) SELECT $1, unnest($2::text[])' };
const USE_CODE: Statement = { text: 'DELETE FROM recovery_codes WHERE user_id = $1 AND digest = $2 RETURNING user_id' };
const REMOVE_CODES_WITHOUT_FACTOR: Statement = {
  text: `DELETE FROM recovery_codes WHERE user_id = $1 AND NOT EXISTS (SELECT FROM passkeys WHERE user_id = $1)
    AND NOT EXISTS (SELECT FROM totp WHERE user_id = $1)`,
};
const REMOVE_PASSKEYS: Statement = { text: 'DELETE FROM passkeys WHERE user_id = $1 RETURNING user_id' };

type FactorAction = Extract<AuditAction, `user.${string}`>;

/** Creates the store. */
export function createFactorStore(database: Database, log: Log): FactorStore {
  /** Changes a user's factors, one change at a time. @param work returns whether it has changed anything */
  const change = (userId: string, action: FactorAction, work: (transaction: Transaction) => Promise<boolean>) =>
    durably(database, async (transaction) => {
      await lock(transaction, [`factors ${userId}`]);
      if (!(await work(transaction))) return false;
      log.record(transaction, userChanged(action, userId));
      return true;
    });
  const changed = async (transaction: Transaction, statement: Statement, values: readonly Value[]) =>
    (await transaction.query(statement, values)).length > 0;
  return {
    factorsOf: async (userId) => {
      const passkeys = await database.query<PasskeyRow>(PASSKEYS, [userId]);
      const [rest] = await database.query<{ secret: Uint8Array | null; codes: bigint }>(REST, [userId]);
      return {
        passkeys: passkeys.map(toPasskey),
        totp: rest?.secret ? new Uint8Array(rest.secret) : undefined,
        recoveryCodes: Number(rest?.codes ?? 0),
      };
    },
    passkey: async (id) => (await database.query<PasskeyRow>(PASSKEY, [id])).map(toPasskey)[0],
    addPasskey: ({ id, userId, name, publicKey, counter, transports, createdAt }) =>
      change(userId, 'user.passkey_added', (transaction) =>
        changed(transaction, ADD_PASSKEY, [id, userId, name, publicKey, counter, transports, createdAt]),
      ),
    usePasskey: async (id, counter, now) => (await database.query(USE_PASSKEY, [id, counter, now])).length === 1,
    removePasskey: (userId, id) =>
      change(userId, 'user.passkey_removed', async (transaction) => {
        const isRemoved = await changed(transaction, REMOVE_PASSKEY, [userId, id]);
        transaction.send(REMOVE_CODES_WITHOUT_FACTOR, [userId]);
        return isRemoved;
      }),
    setTotp: async (userId, secret, step) =>
      void (await change(userId, 'user.totp_set', async (transaction) => {
        transaction.send(SET_TOTP, [userId, secret, step]);
        return true;
      })),
    useTotp: async (userId, step) => (await database.query(USE_TOTP, [userId, step])).length === 1,
    removeTotp: async (userId) =>
      void (await change(userId, 'user.totp_removed', async (transaction) => {
        const isRemoved = await changed(transaction, REMOVE_TOTP, [userId]);
        transaction.send(REMOVE_CODES_WITHOUT_FACTOR, [userId]);
        return isRemoved;
      })),
    setRecoveryCodes: async (userId, digests) =>
      void (await change(userId, 'user.recovery_codes_set', async (transaction) => {
        transaction.send(REMOVE_CODES, [userId]);
        transaction.send(ADD_CODES, [userId, digests]);
        return true;
      })),
    useRecoveryCode: (userId, digest) => change(userId, 'user.recovery_code_used', (transaction) => changed(transaction, USE_CODE, [userId, digest])),
    removeAll: (userId) =>
      change(userId, 'user.factors_removed', async (transaction) => {
        const removed = [];
        for (const statement of [REMOVE_PASSKEYS, REMOVE_TOTP, REMOVE_CODES]) removed.push(await changed(transaction, statement, [userId]));
        return removed.includes(true);
      }),
  };
}

function toPasskey({ id, user_id, name, public_key, counter, transports, created_at, used_at }: PasskeyRow): Passkey {
  return {
    id,
    userId: user_id,
    name,
    publicKey: new Uint8Array(public_key),
    counter: Number(counter),
    transports,
    createdAt: Number(created_at),
    usedAt: used_at === null ? undefined : Number(used_at),
  };
}
