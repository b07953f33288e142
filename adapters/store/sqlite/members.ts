// Account members in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { MemberStore } from '../../../core/access/ports.ts';
import { guarded, transaction, written } from './database.ts';
import { prepareSelect } from './select.ts';

/** Creates the member store. */
export function createSqliteMemberStore(database: DatabaseSync): MemberStore {
  const select = prepareSelect<{ account_id: string }>(database, 'SELECT account_id FROM members WHERE user_id = ?');
  const insert = database.prepare('INSERT INTO members (user_id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const selectMembers = prepareSelect<{ user_id: string }>(database, 'SELECT user_id FROM members WHERE account_id = ?');
  const remove = database.prepare('DELETE FROM members WHERE user_id = ? AND account_id = ?');
  const membersOf = (accountId: string) => selectMembers.all(accountId).map(({ user_id }) => user_id);
  return {
    accountsOf: async (userId) => guarded(() => select.all(userId).map(({ account_id }) => account_id)),
    membersOf: async (accountId) => guarded(() => membersOf(accountId)),
    addMember: async (accountId, userId) => written(() => void insert.run(userId, accountId)),
    removeMember: async (accountId, userId, { keepLast }) =>
      transaction(database, () => {
        const members = membersOf(accountId);
        if (!members.includes(userId)) return 'not_a_member';
        if (keepLast && members.length === 1) return 'last_member';
        remove.run(userId, accountId);
        return 'removed';
      }),
  };
}
