// Members in the control table: one partition per user listing accounts, and one per account listing users.

import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { accountIdOfInvitation, type Invitation, sendersOf } from '../../../core/access/invitation.ts';
import { ROLES, type Role } from '../../../core/access/plans.ts';
import type { InvitationStore, Member, MemberStore } from '../../../core/access/ports.ts';
import { invitationChanged, memberAdded, memberRemoved, memberRoleSet } from '../../../core/audit/changes.ts';
import { DAY_MS, windowsAt } from '../../../core/limits/windows.ts';
import { byAge } from '../../../core/page.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { ABSENT, deletionOf, isWritten, PRESENT, partition, putOf, writeAll } from './calls.ts';
import { after, attributes, choice, controlKey, FLAG, INTEGER, type Item, kindOf, named, secondsOf, TEXT, TEXTS, text, timeToLive } from './items.ts';
import { notificationWrites } from './notifications.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

/** Maximum attempts at a change while other writers change the account's members. */
const TRIES = 5;

const byUser = (accountId: string, userId: string) => controlKey(`members#${userId}`, accountId);
const byAccount = (accountId: string, userId: string) => controlKey(`account-members#${accountId}`, userId);

/** Returns both items of a membership. */
export function membershipItems({ accountId, userId, role }: Member & { readonly accountId: string }): Item[] {
  return [byUser(accountId, userId), byAccount(accountId, userId)].map((key) => ({ ...key, ...attributes({ role }) }));
}

function membershipPuts(table: string, membership: Member & { readonly accountId: string }, condition: string): TransactWriteItem[] {
  return membershipItems(membership).map((item) => putOf(table, item, condition));
}

/** Creates the member store on the control table. */
export function createDynamoDbMemberStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): MemberStore {
  const put = (accountId: string, userId: string, role: Role, condition: string) => membershipPuts(table, { accountId, userId, role }, condition);
  // Rewrites the item unchanged, because a ConditionCheck would require one more permission for the function.
  const staysOwner = (accountId: string, userId: string): TransactWriteItem => ({
    Put: {
      TableName: table,
      Item: { ...byAccount(accountId, userId), ...attributes({ role: 'owner' }) },
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(#role) OR #role = :owner)',
      ExpressionAttributeNames: { '#role': 'role' },
      ExpressionAttributeValues: attributes({ ':owner': 'owner' }),
    },
  });
  const membersOf = async (accountId: string) =>
    (await partition(client, table, `account-members#${accountId}`)).map((item) => ({ userId: text(item, 'sk'), role: roleOf(item) }));

  /** Changes a member, unless the account must have an owner and would lose its last one. */
  async function change<Done>(
    accountId: string,
    userId: string,
    keepOwner: boolean,
    { items, done }: { readonly items: () => TransactWriteItem[]; readonly done: Done },
  ): Promise<Done | 'not_a_member' | 'last_owner'> {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const members = await membersOf(accountId);
      const member = members.find((each) => each.userId === userId);
      if (member === undefined) return 'not_a_member';
      const survivor = members.find((each) => each.userId !== userId && each.role === 'owner');
      const isGuarded = keepOwner && member.role === 'owner';
      if (isGuarded && survivor === undefined) return 'last_owner';
      // If two owners remove each other, one transaction fails and is tried again after a new read.
      const guard = isGuarded && survivor !== undefined ? [staysOwner(accountId, survivor.userId)] : [];
      if ((await writeAll(client, [...items(), ...guard])) === undefined) return done;
    }
    throw new StoreFault('unavailable', `DynamoDB: the members of ${accountId} changed during each of ${TRIES} attempts`);
  }

  return {
    membershipsOf: async (userId) =>
      (await partition(client, table, `members#${userId}`)).map((item) => ({ accountId: text(item, 'sk'), role: roleOf(item) })),
    membersOf,
    addMember: async (accountId, userId, role, notification) => {
      // If a condition fails, the user is a member already.
      await writeAll(client, [
        ...put(accountId, userId, role, ABSENT),
        ...notificationWrites(table, notification),
        ...audit(memberAdded(accountId, { userId, role })),
      ]);
    },
    setRole: (accountId, userId, role) =>
      change(accountId, userId, role !== 'owner', {
        items: () => [...put(accountId, userId, role, PRESENT), ...audit(memberRoleSet(accountId, { userId, role }))],
        done: 'set',
      }),
    removeMember: (accountId, userId, { keepOwner }, notification) =>
      change(accountId, userId, keepOwner, {
        items: () => [
          deletionOf(table, byUser(accountId, userId), PRESENT),
          deletionOf(table, byAccount(accountId, userId), PRESENT),
          ...notificationWrites(table, notification),
          ...audit(memberRemoved(accountId, userId)),
        ],
        done: 'removed',
      }),
  };
}

/** Members from earlier releases have no role, because every member had all rights. */
function roleOf({ role }: Item): Role {
  return role?.S === 'member' ? 'member' : 'owner';
}

// Invitations in the control table: invitations#<account> / <address>, so that an address has only one at a time. An invitation's id contains the
// account's id. The invitations of a day are counted in invitation-days#<account or user> / <day>.

const PARTITION = 'invitations#';

type Removable = Pick<Invitation, 'id' | 'accountId' | 'email' | 'role'>;

/** Creates the store on the control table. */
export function createDynamoDbInvitationStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): InvitationStore {
  const listInvitations = async (accountId: string) => (await partition(client, table, PARTITION + accountId)).map(INVITATION.read).sort(byAge);
  const getInvitation = async (invitationId: string) => {
    const accountId = accountIdOfInvitation(invitationId);
    return accountId === undefined ? undefined : (await listInvitations(accountId)).find(({ id }) => id === invitationId);
  };
  /** The address may have another invitation by now. */
  const ifStill = 'id = :id';
  const deletion = (invitation: Removable) => deletionOf(table, keyOf(invitation), ifStill, { ':id': invitation.id });
  const remove = (invitation: Removable) => isWritten(client, [deletion(invitation), ...audit(invitationChanged('invitation.removed', invitation))]);
  /** Counts an invitation for the day. The condition fails if there are too many. */
  const countOfDay = (sender: string, day: number, limit: number): TransactWriteItem => ({
    Update: {
      TableName: table,
      Key: invitationDayKey(sender, day),
      UpdateExpression: 'ADD sent :one SET #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(sent) OR sent < :limit',
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
      ExpressionAttributeValues: attributes({ ':one': 1, ':limit': limit, ':ttl': secondsOf(invitationDayEnd(day)) }),
    },
  });

  return {
    addInvitation: async (invitation, limits, notification) => {
      const { accountId, email, createdAt } = invitation;
      const others = (await listInvitations(accountId)).filter((other) => other.email !== email && other.expiresAt > createdAt);
      if (others.length >= limits.open) return 'too_many_open';
      const canceled = await writeAll(client, [
        ...sendersOf(invitation).map((sender) => countOfDay(sender, windowsAt(createdAt).day, limits.perDay)),
        putOf(table, INVITATION.write(invitation)),
        ...notificationWrites(table, notification),
        ...audit(invitationChanged('invitation.created', invitation)),
      ]);
      return canceled === undefined ? 'added' : 'too_many_today';
    },

    listInvitations,
    getInvitation,

    addDigest: async (invitationId, digest) => {
      const invitation = await getInvitation(invitationId);
      if (invitation === undefined) return false;
      const update = {
        TableName: table,
        Key: keyOf(invitation),
        UpdateExpression: 'ADD digests :digest',
        ConditionExpression: ifStill,
        ExpressionAttributeValues: attributes({ ':id': invitationId, ':digest': [digest] }),
      };
      return isWritten(client, [{ Update: update }, ...audit(invitationChanged('invitation.link_created', invitation))]);
    },

    removeInvitation: async (invitationId) => {
      const invitation = await getInvitation(invitationId);
      return invitation !== undefined && remove(invitation);
    },

    acceptInvitation: async (invitation, userId, notification) => {
      const { id, accountId, role } = invitation;
      const canceled = await writeAll(client, [
        deletion(invitation),
        ...membershipPuts(table, { accountId, userId, role }, ABSENT),
        ...notificationWrites(table, notification),
        ...audit(memberAdded(accountId, { userId, role }, id)),
      ]);
      if (canceled === undefined) return 'accepted';
      return canceled[0]?.code !== 'ConditionalCheckFailed' && (await remove(invitation)) ? 'already_member' : 'gone';
    },
  };
}

const invitationDayKey = (sender: string, day: number) => controlKey(`invitation-days#${sender}`, String(day));
const invitationDayEnd = (day: number) => (day + 2) * DAY_MS;

/** Returns the item that counts the invitations of an account or user on a day. @param day number of days since 1970 */
export function invitationDayItem(sender: string, day: number, sent: number): Item {
  return { ...invitationDayKey(sender, day), ...attributes({ sent }), ...timeToLive(invitationDayEnd(day)) };
}

function keyOf({ accountId, email }: Pick<Invitation, 'accountId' | 'email'>): Item {
  return controlKey(PARTITION + accountId, email);
}

export const INVITATION = kindOf<Invitation>(
  {
    id: TEXT,
    accountId: named('pk', after(PARTITION)),
    email: named('sk', TEXT),
    role: choice(ROLES),
    invitedBy: TEXT,
    createdAt: INTEGER,
    expiresAt: INTEGER,
    mailed: FLAG,
    digests: TEXTS,
  },
  ({ expiresAt }) => timeToLive(expiresAt),
);
