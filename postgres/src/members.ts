// Members of accounts.

import type { MemberStore } from 'petstore-platform';
import { isLastOwner, memberAdded, memberRemoved, memberRoleSet, type Role } from 'petstore-platform/stores';
import { type Connection, type Database, durably, lock, type Statement, type Transaction } from './database.ts';
import type { Log } from './log.ts';

const OF_USER: Statement = { text: 'SELECT account_id, role FROM members WHERE user_id = $1' };
const OF_ACCOUNT: Statement = { text: 'SELECT user_id, role FROM members WHERE account_id = $1' };
/** Adds a member, and returns the row unless the user is a member already. */
export const ADD_MEMBER: Statement = {
  text: 'INSERT INTO members (user_id, account_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING user_id',
};
const SET_ROLE: Statement = { text: 'UPDATE members SET role = $3 WHERE user_id = $1 AND account_id = $2 RETURNING user_id' };
const REMOVE: Statement = { text: 'DELETE FROM members WHERE user_id = $1 AND account_id = $2 RETURNING user_id' };

/** Creates the member store. */
export function createMemberStore(database: Database, log: Log): MemberStore {
  const membersOf = async (connection: Connection, accountId: string) =>
    (await connection.query<{ user_id: string; role: Role }>(OF_ACCOUNT, [accountId])).map(({ user_id, role }) => ({ userId: user_id, role }));
  /** Whether the user is the last owner, which stays true until the commit, even if others change the members at the same time. */
  const isLast = async (transaction: Transaction, accountId: string, userId: string) => {
    await lock(transaction, [`members ${accountId}`]);
    return isLastOwner(await membersOf(transaction, accountId), userId);
  };
  return {
    membershipsOf: async (userId) =>
      (await database.query<{ account_id: string; role: Role }>(OF_USER, [userId])).map(({ account_id, role }) => ({ accountId: account_id, role })),
    membersOf: (accountId) => membersOf(database, accountId),
    addMember: (accountId, userId, role, notification) =>
      durably(database, async (transaction) => {
        if ((await transaction.query(ADD_MEMBER, [userId, accountId, role])).length === 0) return;
        log.record(transaction, memberAdded(accountId, { userId, role }));
        log.notify(transaction, notification);
      }),
    setRole: (accountId, userId, role) =>
      durably(database, async (transaction) => {
        if (role !== 'owner' && (await isLast(transaction, accountId, userId))) return 'last_owner';
        if ((await transaction.query(SET_ROLE, [userId, accountId, role])).length === 0) return 'not_a_member';
        log.record(transaction, memberRoleSet(accountId, { userId, role }));
        return 'set';
      }),
    removeMember: (accountId, userId, { keepOwner }, notification) =>
      durably(database, async (transaction) => {
        if (keepOwner && (await isLast(transaction, accountId, userId))) return 'last_owner';
        if ((await transaction.query(REMOVE, [userId, accountId])).length === 0) return 'not_a_member';
        log.record(transaction, memberRemoved(accountId, userId));
        log.notify(transaction, notification);
        return 'removed';
      }),
  };
}
