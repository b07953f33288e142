// Account members in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { type Invitation, sendersOf } from '../../../core/access/invitation.ts';
import { isLastOwner, type Role } from '../../../core/access/plans.ts';
import type { InvitationStore, MemberStore } from '../../../core/access/ports.ts';
import { invitationChanged, memberAdded, memberRemoved, memberRoleSet } from '../../../core/audit/changes.ts';
import { windowsAt } from '../../../core/limits/windows.ts';
import type { RecordChange } from './audit.ts';
import { asProperties, prepareSelect } from './database.ts';
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

type Row = Omit<Invitation, 'mailed' | 'digests'> & { readonly mailed: number; readonly digests: string };

const INVITATION = asProperties('account_id, email, id, role, invited_by, created_at, expires_at, mailed, digests');

/** Creates the store. */
export function createSqliteInvitationStore(database: DatabaseSync, notify: RecordNotification, record: RecordChange): InvitationStore {
  const removeExpired = database.prepare('DELETE FROM invitations WHERE account_id = ? AND expires_at <= ?');
  const countOthers = prepareSelect<{ others: number }>(database, 'SELECT count(*) AS others FROM invitations WHERE account_id = ? AND email <> ?');
  // The column account_id also has users' ids, which have another prefix.
  const sentOn = prepareSelect<{ sent: number }>(database, 'SELECT sent FROM invitation_days WHERE account_id = ? AND day = ?');
  const count = database.prepare(
    `INSERT INTO invitation_days (account_id, day, sent) VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE
     SET sent = CASE WHEN day = ?2 THEN sent + 1 ELSE 1 END, day = ?2`,
  );
  const upsert = database.prepare('INSERT OR REPLACE INTO invitations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const selectAll = prepareSelect(database, `SELECT ${INVITATION} FROM invitations WHERE account_id = ? ORDER BY created_at, id`, toInvitation);
  const selectOne = prepareSelect(database, `SELECT ${INVITATION} FROM invitations WHERE id = ?`, toInvitation);
  const updateDigests = prepareSelect(
    database,
    `UPDATE invitations SET digests = json_insert(digests, '$[#]', ?) WHERE id = ? RETURNING ${INVITATION}`,
    toInvitation,
  );
  const remove = prepareSelect(database, `DELETE FROM invitations WHERE id = ? RETURNING ${INVITATION}`, toInvitation);
  const addMember = database.prepare('INSERT INTO members (user_id, account_id, role) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  return {
    addInvitation: (invitation, limits, notification) =>
      transaction(database, () => {
        const { accountId, email, id, role, invitedBy, createdAt, expiresAt, mailed, digests } = invitation;
        removeExpired.run(accountId, createdAt);
        if ((countOthers.one(accountId, email)?.others ?? 0) >= limits.open) return 'too_many_open';
        const [senders, { day }] = [sendersOf({ accountId, invitedBy }), windowsAt(createdAt)];
        if (senders.some((sender) => (sentOn.one(sender, day)?.sent ?? 0) >= limits.perDay)) return 'too_many_today';
        for (const sender of senders) count.run(sender, day);
        upsert.run(accountId, email, id, role, invitedBy, createdAt, expiresAt, Number(mailed), JSON.stringify(digests));
        record(invitationChanged('invitation.created', invitation));
        notify(notification);
        return 'added';
      }),
    listInvitations: async (accountId) => guarded(() => selectAll.all(accountId)),
    getInvitation: async (invitationId) => guarded(() => selectOne.one(invitationId)),
    addDigest: (invitationId, digest) =>
      transaction(database, () => {
        const changed = updateDigests.one(digest, invitationId);
        if (changed !== undefined) record(invitationChanged('invitation.link_created', changed));
        return changed !== undefined;
      }),
    removeInvitation: (invitationId) =>
      transaction(database, () => {
        const removed = remove.one(invitationId);
        if (removed !== undefined) record(invitationChanged('invitation.removed', removed));
        return removed !== undefined;
      }),
    acceptInvitation: ({ id, accountId, role }, userId, notification) =>
      transaction(database, () => {
        const removed = remove.one(id);
        if (removed === undefined) return 'gone';
        if (addMember.run(userId, accountId, role).changes === 0) {
          record(invitationChanged('invitation.removed', removed));
          return 'already_member';
        }
        record(memberAdded(accountId, { userId, role }, id));
        notify(notification);
        return 'accepted';
      }),
  };
}

function toInvitation({ mailed, digests, ...row }: Row): Invitation {
  return { ...row, mailed: mailed === 1, digests: JSON.parse(digests) };
}
