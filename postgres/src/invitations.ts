// Invitations to accounts.

import { type InvitationStore, windowsAt } from 'petstore-platform';
import { type Invitation, invitationChanged, memberAdded, type Role, sendersOf } from 'petstore-platform/stores';
import { type Database, durably, lock, type Statement } from './database.ts';
import type { Log } from './log.ts';
import { ADD_MEMBER } from './members.ts';

interface Row {
  readonly account_id: string;
  readonly email: string;
  readonly id: string;
  readonly role: Role;
  readonly invited_by: string;
  readonly created_at: bigint;
  readonly expires_at: bigint;
  readonly mailed: boolean;
  readonly digests: readonly string[];
}

const REMOVE_EXPIRED: Statement = { text: 'DELETE FROM invitations WHERE account_id = $1 AND expires_at <= $2' };
const COUNT_OTHERS: Statement = { text: 'SELECT count(*) AS others FROM invitations WHERE account_id = $1 AND email <> $2' };
const SENT: Statement = { text: 'SELECT max(sent) AS sent FROM invitation_days WHERE sender = ANY($1::text[]) AND day = $2' };
const COUNT: Statement = {
  text: `INSERT INTO invitation_days AS known (sender, day, sent) VALUES ($1, $2::bigint, 1)
    ON CONFLICT (sender) DO UPDATE SET sent = CASE WHEN known.day = $2::bigint THEN known.sent + 1 ELSE 1 END, day = $2::bigint`,
};
const UPSERT: Statement = {
  text: `INSERT INTO invitations (account_id, email, id, role, invited_by, created_at, expires_at, mailed, digests) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (account_id, email) DO UPDATE SET id = excluded.id, role = excluded.role, invited_by = excluded.invited_by,
      created_at = excluded.created_at, expires_at = excluded.expires_at, mailed = excluded.mailed, digests = excluded.digests`,
};
const LIST: Statement = { text: 'SELECT * FROM invitations WHERE account_id = $1 ORDER BY created_at, id' };
const GET: Statement = { text: 'SELECT * FROM invitations WHERE id = $1' };
const ADD_DIGEST: Statement = { text: 'UPDATE invitations SET digests = array_append(digests, $2::text) WHERE id = $1 RETURNING *' };
const REMOVE: Statement = { text: 'DELETE FROM invitations WHERE id = $1 RETURNING *' };

/** Creates the store. */
export function createInvitationStore(database: Database, log: Log): InvitationStore {
  return {
    addInvitation: (invitation, limits, notification) =>
      durably(database, async (transaction) => {
        const { accountId, email, id, role, invitedBy, createdAt, expiresAt, mailed, digests } = invitation;
        const [senders, { day }] = [sendersOf({ accountId, invitedBy }), windowsAt(createdAt)];
        // Locked, so that the number sent in a day is exact.
        await lock(transaction, [`invitations ${accountId}`, ...senders.map((sender) => `sender ${sender}`)]);
        transaction.send(REMOVE_EXPIRED, [accountId, createdAt]);
        const [count] = await transaction.query<{ others: bigint }>(COUNT_OTHERS, [accountId, email]);
        if (Number(count?.others) >= limits.open) return 'too_many_open';
        const [sent] = await transaction.query<{ sent: bigint | null }>(SENT, [senders, day]);
        if (Number(sent?.sent ?? 0) >= limits.perDay) return 'too_many_today';
        for (const sender of senders) transaction.send(COUNT, [sender, day]);
        transaction.send(UPSERT, [accountId, email, id, role, invitedBy, createdAt, expiresAt, mailed, digests]);
        log.record(transaction, invitationChanged('invitation.created', invitation));
        log.notify(transaction, notification);
        return 'added';
      }),
    listInvitations: async (accountId) => (await database.query<Row>(LIST, [accountId])).map(toInvitation),
    getInvitation: async (invitationId) => (await database.query<Row>(GET, [invitationId])).map(toInvitation)[0],
    addDigest: (invitationId, digest) =>
      durably(database, async (transaction) => {
        const [changed] = await transaction.query<Row>(ADD_DIGEST, [invitationId, digest]);
        if (changed !== undefined) log.record(transaction, invitationChanged('invitation.link_created', toInvitation(changed)));
        return changed !== undefined;
      }),
    removeInvitation: (invitationId) =>
      durably(database, async (transaction) => {
        const [removed] = await transaction.query<Row>(REMOVE, [invitationId]);
        if (removed !== undefined) log.record(transaction, invitationChanged('invitation.removed', toInvitation(removed)));
        return removed !== undefined;
      }),
    acceptInvitation: ({ id, accountId, role }, userId, notification) =>
      durably(database, async (transaction) => {
        const [removed] = await transaction.query<Row>(REMOVE, [id]);
        if (removed === undefined) return 'gone';
        if ((await transaction.query(ADD_MEMBER, [userId, accountId, role])).length === 0) {
          log.record(transaction, invitationChanged('invitation.removed', toInvitation(removed)));
          return 'already_member';
        }
        log.record(transaction, memberAdded(accountId, { userId, role }, id));
        log.notify(transaction, notification);
        return 'accepted';
      }),
  };
}

function toInvitation(row: Row): Invitation {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    mailed: row.mailed,
    digests: row.digests,
  };
}
