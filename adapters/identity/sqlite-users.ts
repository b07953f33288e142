// Users of the embedded service, in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { memberRemoved, userChanged } from '../../core/audit/changes.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import type { User } from '../../core/identity/user.ts';
import type { AddressBook } from '../../core/notifications/ports.ts';
import type { Immediate } from '../../core/ports.ts';
import { type RecordChange, recordChanges } from '../store/sqlite/audit.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded, transaction } from '../store/sqlite/transaction.ts';
import { checkPassword, hashPassword, PASSWORD_COST, type PasswordCost } from './passwords.ts';

/** Maximum number of a user's valid links for setting a password: anyone can request links, and each is sent by email. */
const MOST_RESETS = 3;

interface Row extends User {
  readonly password: string;
}

/** Creates the user store. @param cost the same for all stores on a database; low only in tests. @default OWASP's recommendation */
export function createSqliteUserStore(
  database: DatabaseSync,
  record: RecordChange = recordChanges(database),
  cost: PasswordCost = PASSWORD_COST,
): Immediate<UserStore> {
  const insert = database.prepare('INSERT INTO users (id, email, password) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const select = prepareSelect<User>(database, 'SELECT id, email FROM users WHERE id = ?');
  const selectByEmail = prepareSelect<Row>(database, 'SELECT id, email, password FROM users WHERE email = ?');
  const selectAll = prepareSelect<User>(database, 'SELECT id, email FROM users ORDER BY email');
  const update = database.prepare('UPDATE users SET password = ? WHERE id = ?');
  const selectGeneration = prepareSelect<{ session_generation: number }>(database, 'SELECT session_generation FROM users WHERE id = ?');
  const nextGeneration = database.prepare('UPDATE users SET session_generation = session_generation + 1 WHERE id = ?');
  const removeUser = database.prepare('DELETE FROM users WHERE id = ?');
  const removeMemberships = database.prepare('DELETE FROM members WHERE user_id = ? RETURNING account_id');
  const removeSettings = database.prepare('DELETE FROM notification_settings WHERE user_id = ?');
  const removeSessions = database.prepare('DELETE FROM oidc WHERE user_id = ?');
  const removeFactors = ['passkeys', 'totp', 'recovery_codes'].map((table) => database.prepare(`DELETE FROM ${table} WHERE user_id = ?`));
  const insertReset = database.prepare(
    `INSERT INTO password_resets (digest, user_id, expires_at)
     SELECT ?2, ?1, ?4 WHERE (SELECT count(*) FROM password_resets WHERE user_id = ?1 AND expires_at > ?3) < ${MOST_RESETS}`,
  );
  const removeResets = database.prepare('DELETE FROM password_resets WHERE user_id = ?');
  const selectReset = prepareSelect<User>(
    database,
    'SELECT id, email FROM users WHERE id = (SELECT user_id FROM password_resets WHERE digest = ? AND expires_at > ?)',
  );
  const endSessions = (id: string) => {
    removeSessions.run(id);
    return nextGeneration.run(id).changes === 1;
  };
  /** Must be called within a transaction. */
  const store = (id: string, password: string) => {
    if (update.run(password, id).changes === 1) record(userChanged('user.password_set', id));
    removeResets.run(id);
    endSessions(id);
  };
  return {
    add: async ({ id, email }, password) => {
      const stored = await hashPassword(password, cost);
      return transaction(database, () => {
        if (insert.run(id, email.toLowerCase(), stored).changes !== 1) return false;
        record(userChanged('user.added', id));
        return true;
      });
    },
    get: (id) => guarded(() => select.one(id)),
    byEmail: (email) => guarded(() => withoutPassword(selectByEmail.one(email.toLowerCase()))),
    list: () => guarded(() => selectAll.all()),
    check: async (email, password, shares = []) => {
      const row = guarded(() => selectByEmail.one(email.toLowerCase()));
      const right = await checkPassword(password, row?.password, shares, cost);
      if (right === 'busy') return 'busy';
      return right ? withoutPassword(row) : undefined;
    },
    setPassword: async (id, password) => {
      const stored = await hashPassword(password, cost);
      await transaction(database, () => store(id, stored));
    },
    resetPassword: async (digest, password, now) => {
      const stored = await hashPassword(password, cost);
      return transaction(database, () => {
        const user = selectReset.one(digest, now);
        if (user !== undefined) store(user.id, stored);
        return user !== undefined;
      });
    },
    addReset: (id, digest, now, expiresAt) => transaction(database, () => insertReset.run(id, digest, now, expiresAt).changes === 1),
    userOfReset: (digest, now) => guarded(() => selectReset.one(digest, now)),
    endSessions: (id) =>
      transaction(database, () => {
        if (endSessions(id)) record(userChanged('sessions.ended', id));
      }),
    sessionGeneration: (id) => guarded(() => selectGeneration.one(id)?.session_generation.toString()),
    remove: (id) =>
      transaction(database, () => {
        if (removeUser.run(id).changes === 1) record(userChanged('user.removed', id));
        for (const { account_id } of removeMemberships.all(id) as { account_id: string }[]) record(memberRemoved(account_id, id));
        removeSettings.run(id);
        for (const statement of [removeSessions, removeResets, ...removeFactors]) statement.run(id);
      }),
  };
}

function withoutPassword(row: Row | undefined): User | undefined {
  return row && { id: row.id, email: row.email };
}

// Addresses of the embedded service's users: entered by the operator (`petstore users create`) or confirmed with an invitation's link, so verified.

/** Creates the address book. */
export function createUserAddresses(users: Pick<UserStore, 'get'>): AddressBook {
  return { addressOf: async (userId) => (await users.get(userId))?.email };
}
