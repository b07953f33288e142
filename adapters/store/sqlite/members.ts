// Account members in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { isLastOwner, type Role } from '../../../core/access/permissions.ts';
import type { MemberStore } from '../../../core/access/ports.ts';
import { memberAdded, memberRemoved, memberRoleSet } from '../../../core/audit/changes.ts';
import type { RecordChange } from './audit.ts';
import { prepareSelect } from './database.ts';
import type { RecordNotification } from './outbox.ts';
import { guarded, transaction } from './transaction.ts';

/** Creates the member store. */
export function createSqliteMemberStore(database: DatabaseSync, notify: RecordNotification, record: RecordChange): MemberStore {
  const select = prepareSelect<{ account_id: string; role: Role }>(database, 'SELECT account_id, role FROM members WHERE user_id = ?');
  const insert = database.prepare('INSERT INTO members (user_id, account_id, role) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const selectMembers = prepareSelect<{ user_id: string; role: Role }>(database, 'SELECT user_id, role FROM members WHERE account_id = ?');
  const update = database.prepare('UPDATE members SET role = ? WHERE user_id = ? AND account_id = ?');
  const remove = database.prepare('DELETE FROM members WHERE user_id = ? AND account_id = ?');
  const membersOf = (accountId: string) => selectMembers.all(accountId).map(({ user_id, role }) => ({ userId: user_id, role }));
  return {
    membershipsOf: async (userId) => guarded(() => select.all(userId).map(({ account_id, role }) => ({ accountId: account_id, role }))),
    membersOf: async (accountId) => guarded(() => membersOf(accountId)),
    addMember: async (accountId, userId, role, notification) =>
      transaction(database, () => {
        if (insert.run(userId, accountId, role).changes !== 1) return;
        record(memberAdded(accountId, { userId, role }));
        notify(notification);
      }),
    setRole: async (accountId, userId, role) =>
      transaction(database, () => {
        if (role !== 'owner' && isLastOwner(membersOf(accountId), userId)) return 'last_owner';
        if (update.run(role, userId, accountId).changes !== 1) return 'not_a_member';
        record(memberRoleSet(accountId, { userId, role }));
        return 'set';
      }),
    removeMember: async (accountId, userId, { keepOwner }, notification) =>
      transaction(database, () => {
        if (keepOwner && isLastOwner(membersOf(accountId), userId)) return 'last_owner';
        if (remove.run(userId, accountId).changes !== 1) return 'not_a_member';
        record(memberRemoved(accountId, userId));
        notify(notification);
        return 'removed';
      }),
  };
}
