// Invitations in the control table: invitations#<account> / <address>, so that an address has one at a time. An invitation's id contains its account's. The
// invitations of a day are counted in invitation-days#<account or user> / <day>.

import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { accountIdOfInvitation, type Invitation, sendersOf } from '../../../core/access/invitation.ts';
import type { InvitationStore } from '../../../core/access/ports.ts';
import { invitationChanged, memberAdded } from '../../../core/audit/changes.ts';
import { DAY_MS, windowsAt } from '../../../core/limits/windows.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { partition, writeAll } from './calls.ts';
import { type Item, integer, malformed, text } from './items.ts';
import { membershipPuts } from './members.ts';
import { notificationWrites } from './outbox.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

const PARTITION = 'invitations#';

/** Creates the store on the control table. */
export function createDynamoDbInvitationStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): InvitationStore {
  const listInvitations = async (accountId: string) =>
    (await partition(client, table, PARTITION + accountId)).map(toInvitation).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  const getInvitation = async (invitationId: string) => {
    const accountId = accountIdOfInvitation(invitationId);
    return accountId === undefined ? undefined : (await listInvitations(accountId)).find(({ id }) => id === invitationId);
  };
  /** The invitation of the address may be another one by now. */
  const isStill = (id: string) => ({ ConditionExpression: 'id = :id', ExpressionAttributeValues: { ':id': { S: id } } });
  const remove = async (invitation: Pick<Invitation, 'id' | 'accountId' | 'email' | 'role'>) => {
    const refused = await writeAll(client, [
      { Delete: { TableName: table, Key: keyOf(invitation), ...isStill(invitation.id) } },
      ...audit(invitationChanged('invitation.removed', invitation)),
    ]);
    return refused === undefined;
  };
  /** Counts an invitation of the day. The condition fails if there are too many. */
  const countOfDay = (sender: string, day: number, limit: number): TransactWriteItem => ({
    Update: {
      TableName: table,
      Key: { pk: { S: `invitation-days#${sender}` }, sk: { S: String(day) } },
      UpdateExpression: 'ADD sent :one SET #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(sent) OR sent < :limit',
      ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
      ExpressionAttributeValues: {
        ':one': { N: '1' },
        ':limit': { N: String(limit) },
        ':ttl': { N: String(Math.ceil(((day + 2) * DAY_MS) / 1_000)) },
      },
    },
  });

  return {
    addInvitation: async (invitation, limits, notification) => {
      const { accountId, email, createdAt } = invitation;
      const others = (await listInvitations(accountId)).filter((other) => other.email !== email && other.expiresAt > createdAt);
      if (others.length >= limits.open) return 'too_many_open';
      const canceled = await writeAll(client, [
        ...sendersOf(invitation).map((sender) => countOfDay(sender, windowsAt(createdAt).day, limits.perDay)),
        { Put: { TableName: table, Item: invitationItem(invitation) } },
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
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':digest': { SS: [digest] } },
      };
      return (await writeAll(client, [{ Update: update }, ...audit(invitationChanged('invitation.link_created', invitation))])) === undefined;
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
  return { pk: { S: PARTITION + accountId }, sk: { S: email } };
}

function invitationItem(invitation: Invitation): Item {
  const { id, role, invitedBy, createdAt, expiresAt, mailed, digests } = invitation;
  return {
    ...keyOf(invitation),
    id: { S: id },
    role: { S: role },
    invitedBy: { S: invitedBy },
    createdAt: { N: String(createdAt) },
    expiresAt: { N: String(expiresAt) },
    mailed: { BOOL: mailed },
    // DynamoDB has no empty sets.
    ...(digests.length > 0 && { digests: { SS: [...digests] } }),
    [TTL_ATTRIBUTE]: { N: String(Math.ceil(expiresAt / 1_000)) },
  };
}

function toInvitation(item: Item): Invitation {
  const role = text(item, 'role');
  if (role !== 'owner' && role !== 'member') throw malformed('role', role);
  return {
    id: text(item, 'id'),
    accountId: text(item, 'pk').slice(PARTITION.length),
    email: text(item, 'sk'),
    role,
    invitedBy: text(item, 'invitedBy'),
    createdAt: integer(item, 'createdAt'),
    expiresAt: integer(item, 'expiresAt'),
    mailed: item.mailed?.BOOL === true,
    digests: item.digests?.SS ?? [],
  };
}
