// Users, and the links with which they choose a new password. Changing a password or removing a user ends the user's sessions.

import type { User, UserStore } from 'petstore-platform';
import { checkPassword, hashPassword, memberRemoved, PASSWORD_COST, type PasswordCost, userChanged } from 'petstore-platform/stores';
import { type Database, durably, type Statement, type Transaction } from './database.ts';
import type { Log } from './log.ts';

interface Row extends User {
  readonly password: string;
}

/** Maximum number of a user's valid links for a new password; anyone can request them, and each is sent by email. */
const MOST_RESETS = 3;

const ADD: Statement = { text: 'INSERT INTO users (id, email, password) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id' };
const GET: Statement = { name: 'user', text: 'SELECT id, email FROM users WHERE id = $1' };
const BY_EMAIL: Statement = { text: 'SELECT id, email, password FROM users WHERE email = $1' };
const LIST: Statement = { text: 'SELECT id, email FROM users ORDER BY email' };
const SET_PASSWORD: Statement = { text: 'UPDATE users SET password = $2 WHERE id = $1 RETURNING id' };
const GENERATION: Statement = { name: 'user_generation', text: 'SELECT session_generation::text AS generation FROM users WHERE id = $1' };
const NEXT_GENERATION: Statement = { text: 'UPDATE users SET session_generation = session_generation + 1 WHERE id = $1 RETURNING id' };
const END_SESSIONS: Statement = { text: 'DELETE FROM oidc WHERE user_id = $1' };
const LOCK_USER: Statement = { text: 'SELECT FROM users WHERE id = $1 FOR UPDATE' };
const ADD_RESET: Statement = {
  text: `INSERT INTO password_resets (digest, user_id, expires_at)
    SELECT $2, $1, $4::bigint WHERE (SELECT count(*) FROM password_resets WHERE user_id = $1 AND expires_at > $3::bigint) < ${MOST_RESETS} RETURNING digest`,
};
const USE_RESET: Statement = { text: 'DELETE FROM password_resets WHERE digest = $1 AND expires_at > $2 RETURNING user_id' };
const USER_OF_RESET: Statement = {
  text: 'SELECT u.id, u.email FROM password_resets r JOIN users u ON u.id = r.user_id WHERE r.digest = $1 AND r.expires_at > $2',
};
const REMOVE_RESETS: Statement = { text: 'DELETE FROM password_resets WHERE user_id = $1' };
const REMOVE: Statement = { text: 'DELETE FROM users WHERE id = $1 RETURNING id' };
const REMOVE_MEMBERSHIPS: Statement = { text: 'DELETE FROM members WHERE user_id = $1 RETURNING account_id' };
const REMOVE_FROM: readonly Statement[] = ['notification_settings', 'oidc', 'password_resets', 'passkeys', 'totp', 'recovery_codes'].map((table) => ({
  text: `DELETE FROM ${table} WHERE user_id = $1`,
}));

/** Creates the user store. @param cost of hashing passwords, the same for all hosts; tests may choose a low one. @default OWASP's recommendation */
export function createUserStore(database: Database, log: Log, cost: PasswordCost = PASSWORD_COST): UserStore {
  const endSessions = async (transaction: Transaction, id: string) => {
    transaction.send(END_SESSIONS, [id]);
    return (await transaction.query(NEXT_GENERATION, [id])).length === 1;
  };
  const setPassword = async (transaction: Transaction, id: string, password: string) => {
    if ((await transaction.query(SET_PASSWORD, [id, password])).length === 1) log.record(transaction, userChanged('user.password_set', id));
    transaction.send(REMOVE_RESETS, [id]);
    await endSessions(transaction, id);
  };
  const rowOf = async (email: string) => (await database.query<Row>(BY_EMAIL, [email.toLowerCase()]))[0];
  const withoutPassword = (row: Row | undefined) => row && { id: row.id, email: row.email };
  return {
    add: async ({ id, email }, password) => {
      const stored = await hashPassword(password, cost);
      return durably(database, async (transaction) => {
        if ((await transaction.query(ADD, [id, email.toLowerCase(), stored])).length === 0) return false;
        log.record(transaction, userChanged('user.added', id));
        return true;
      });
    },
    get: async (id) => (await database.query<User>(GET, [id]))[0],
    byEmail: async (email) => withoutPassword(await rowOf(email)),
    list: () => database.query<User>(LIST),
    check: async (email, password, shares = []) => {
      const row = rowOf(email);
      const stored = row.then((found) => found?.password);
      const right = await checkPassword(password, stored, shares, cost);
      if (right === 'busy') return 'busy';
      return right ? withoutPassword(await row) : undefined;
    },
    setPassword: async (id, password) => {
      const stored = await hashPassword(password, cost);
      await durably(database, (transaction) => setPassword(transaction, id, stored));
    },
    addReset: (id, digest, now, expiresAt) =>
      durably(database, async (transaction) => {
        await transaction.query(LOCK_USER, [id]);
        return (await transaction.query(ADD_RESET, [id, digest, now, expiresAt])).length === 1;
      }),
    resetPassword: async (digest, password, now) => {
      const stored = await hashPassword(password, cost);
      return durably(database, async (transaction) => {
        const [used] = await transaction.query<{ user_id: string }>(USE_RESET, [digest, now]);
        if (used !== undefined) await setPassword(transaction, used.user_id, stored);
        return used !== undefined;
      });
    },
    userOfReset: async (digest, now) => (await database.query<User>(USER_OF_RESET, [digest, now]))[0],
    endSessions: (id) =>
      durably(database, async (transaction) => {
        if (await endSessions(transaction, id)) log.record(transaction, userChanged('sessions.ended', id));
      }),
    sessionGeneration: async (id) => (await database.query<{ generation: string }>(GENERATION, [id]))[0]?.generation,
    remove: (id) =>
      durably(database, async (transaction) => {
        if ((await transaction.query(REMOVE, [id])).length === 1) log.record(transaction, userChanged('user.removed', id));
        for (const { account_id } of await transaction.query<{ account_id: string }>(REMOVE_MEMBERSHIPS, [id]))
          log.record(transaction, memberRemoved(account_id, id));
        for (const statement of REMOVE_FROM) transaction.send(statement, [id]);
      }),
  };
}
