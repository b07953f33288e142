// Invitations in the control table: invitations#<account> / <address>, so that an address has one at a time. An invitation's id contains its account's. The
// invitations of a day are counted in invitation-days#<account or user> / <day>.

import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { accountIdOfInvitation, type Invitation, sendersOf } from '../../../core/access/invitation.ts';
import { ROLES } from '../../../core/access/permissions.ts';
import type { InvitationStore } from '../../../core/access/ports.ts';
import { invitationChanged, memberAdded } from '../../../core/audit/changes.ts';
import { DAY_MS, windowsAt } from '../../../core/limits/windows.ts';
import { byAge } from '../../../core/list-page.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { isWritten, partition, writeAll } from './calls.ts';
import { after, attributes, choice, controlKey, FLAG, INTEGER, type Item, kindOf, named, secondsOf, TEXT, TEXTS, timeToLive } from './items.ts';
import { membershipPuts } from './members.ts';
import { notificationWrites } from './outbox.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

const PARTITION = 'invitations#';

/** Creates the store on the control table. */
export function createDynamoDbInvitationStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): InvitationStore {
  const listInvitations = async (accountId: string) => (await partition(client, table, PARTITION + accountId)).map(INVITATION.read).sort(byAge);
  const getInvitation = async (invitationId: string) => {
    const accountId = accountIdOfInvitation(invitationId);
    return accountId === undefined ? undefined : (await listInvitations(accountId)).find(({ id }) => id === invitationId);
  };
  /** The invitation of the address may be another one by now. */
  const isStill = (id: string) => ({ ConditionExpression: 'id = :id', ExpressionAttributeValues: attributes({ ':id': id }) });
  const remove = async (invitation: Pick<Invitation, 'id' | 'accountId' | 'email' | 'role'>) => {
    return isWritten(client, [
      { Delete: { TableName: table, Key: keyOf(invitation), ...isStill(invitation.id) } },
      ...audit(invitationChanged('invitation.removed', invitation)),
    ]);
  };
  /** Counts an invitation of the day. The condition fails if there are too many. */
  const countOfDay = (sender: string, day: number, limit: number): TransactWriteItem => ({
    Update: {
      TableName: table,
      Key: controlKey(`invitation-days#${sender}`, String(day)),
      UpdateExpression: 'ADD sent :one SET #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(sent) OR sent < :limit',
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
      ExpressionAttributeValues: attributes({ ':one': 1, ':limit': limit, ':ttl': secondsOf((day + 2) * DAY_MS) }),
    },
  });

  return {
    addInvitation: async (invitation, limits, notification) => {
      const { accountId, email, createdAt } = invitation;
      const others = (await listInvitations(accountId)).filter((other) => other.email !== email && other.expiresAt > createdAt);
      if (others.length >= limits.open) return 'too_many_open';
      const canceled = await writeAll(client, [
        ...sendersOf(invitation).map((sender) => countOfDay(sender, windowsAt(createdAt).day, limits.perDay)),
        { Put: { TableName: table, Item: INVITATION.write(invitation) } },
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
      const { ConditionExpression, ExpressionAttributeValues } = isStill(invitationId);
      const update = {
        TableName: table,
        Key: keyOf(invitation),
        UpdateExpression: 'ADD digests :digest',
        ConditionExpression,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ...attributes({ ':digest': [digest] }) },
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
        { Delete: { TableName: table, Key: keyOf(invitation), ...isStill(id) } },
        ...membershipPuts(table, { accountId, userId, role }, 'attribute_not_exists(pk)'),
        ...notificationWrites(table, notification),
        ...audit(memberAdded(accountId, { userId, role }, id)),
      ]);
      if (canceled === undefined) return 'accepted';
      return canceled[0]?.code !== 'ConditionalCheckFailed' && (await remove(invitation)) ? 'already_member' : 'gone';
    },
  };
}

function keyOf({ accountId, email }: Pick<Invitation, 'accountId' | 'email'>): Item {
  return controlKey(PARTITION + accountId, email);
}

const INVITATION = kindOf<Invitation>(
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
