// Members in the control table: one partition per user listing accounts, and one per account listing users.

import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Role } from '../../../core/access/permissions.ts';
import type { Member, MemberStore } from '../../../core/access/ports.ts';
import { memberAdded, memberRemoved, memberRoleSet } from '../../../core/audit/changes.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { partition, writeAll } from './calls.ts';
import { attributes, controlKey, type Item, text } from './items.ts';
import { notificationWrites } from './outbox.ts';

/** Maximum attempts at a change while the account's members change. */
const TRIES = 5;

const byUser = (accountId: string, userId: string) => controlKey(`members#${userId}`, accountId);
const byAccount = (accountId: string, userId: string) => controlKey(`account-members#${accountId}`, userId);

/** Returns the writes that put both items of a membership. */
export function membershipPuts(
  table: string,
  { accountId, userId, role }: Member & { readonly accountId: string },
  condition: string,
): TransactWriteItem[] {
  return [byUser(accountId, userId), byAccount(accountId, userId)].map((key) => ({
    Put: { TableName: table, Item: { ...key, ...attributes({ role }) }, ConditionExpression: condition },
  }));
}

/** Creates the member store on the control table. */
export function createDynamoDbMemberStore(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): MemberStore {
  const put = (accountId: string, userId: string, role: Role, condition: string) => membershipPuts(table, { accountId, userId, role }, condition);
  const remove = (key: Item): TransactWriteItem => ({
    Delete: { TableName: table, Key: key, ConditionExpression: 'attribute_exists(pk)' },
  });
  // Rewrites the item unchanged; a ConditionCheck would require one more permission for the function.
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

  /** Makes a change to a member, as long as the account keeps an owner if it must. */
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
      // If two owners remove each other, one transaction fails and reads again.
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
      // A condition that fails: the user is a member already.
      await writeAll(client, [
        ...put(accountId, userId, role, 'attribute_not_exists(pk)'),
        ...notificationWrites(table, notification),
        ...audit(memberAdded(accountId, { userId, role })),
      ]);
    },
    setRole: (accountId, userId, role) =>
      change(accountId, userId, role !== 'owner', {
        items: () => [...put(accountId, userId, role, 'attribute_exists(pk)'), ...audit(memberRoleSet(accountId, { userId, role }))],
        done: 'set',
      }),
    removeMember: (accountId, userId, { keepOwner }, notification) =>
      change(accountId, userId, keepOwner, {
        items: () => [
          remove(byUser(accountId, userId)),
          remove(byAccount(accountId, userId)),
          ...notificationWrites(table, notification),
          ...audit(memberRemoved(accountId, userId)),
        ],
        done: 'removed',
      }),
  };
}

/** Members of earlier releases have no role: everyone could do everything. */
function roleOf({ role }: Item): Role {
  return role?.S === 'member' ? 'member' : 'owner';
}
