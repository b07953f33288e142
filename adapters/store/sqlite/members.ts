// Members of accounts in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { MemberStore } from '../../../core/ports.ts';
import { guarded, written } from './database.ts';
import { prepareSelect } from './select.ts';

export function createSqliteMemberStore(database: DatabaseSync): MemberStore {
  const select = prepareSelect<{ account_id: string }>(database, 'SELECT account_id FROM members WHERE user_id = ?');
  const insert = database.prepare('INSERT INTO members (user_id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    accountsOf: async (userId) => guarded(() => select.all(userId).map(({ account_id }) => account_id)),
    addMember: async (accountId, userId) => written(() => void insert.run(userId, accountId)),
  };
}
