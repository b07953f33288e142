// Members of accounts in the control table: a partition for each user with accounts, and one for each account with users.

import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { MemberStore } from '../../../core/access/ports.ts';
import { StoreFault } from '../../../core/store-fault.ts';
import { partition, writeAll } from './calls.ts';
import { type Item, text } from './items.ts';

/** Tries of a removal whose account gets other members meanwhile. */
const TRIES = 5;

export function createDynamoDbMemberStore(client: DynamoDBClient, table: string): MemberStore {
  const byUser = (accountId: string, userId: string): Item => ({ pk: { S: `members#${userId}` }, sk: { S: accountId } });
  const byAccount = (accountId: string, userId: string): Item => ({ pk: { S: `account-members#${accountId}` }, sk: { S: userId } });
  const put = (item: Item): TransactWriteItem => ({ Put: { TableName: table, Item: item } });
  const remove = (key: Item): TransactWriteItem => ({ Delete: { TableName: table, Key: key } });
  // Written as it is: with a ConditionCheck the function would need one more permission.
  const stays = (item: Item): TransactWriteItem => ({ Put: { TableName: table, Item: item, ConditionExpression: 'attribute_exists(pk)' } });
  const sortKeys = async (pk: string) => (await partition(client, table, pk)).map((item) => text(item, 'sk'));
  const accountsOf = (userId: string) => sortKeys(`members#${userId}`);
  const membersOf = (accountId: string) => sortKeys(`account-members#${accountId}`);
  return {
    accountsOf,
    membersOf,
    addMember: async (accountId, userId) => {
      await writeAll(client, [put(byUser(accountId, userId)), put(byAccount(accountId, userId))]);
    },
    removeMember: async (accountId, userId, { keepLast }) => {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        if (!(await accountsOf(userId)).includes(accountId)) return 'not_a_member';
        const survivor = (await membersOf(accountId)).find((member) => member !== userId);
        if (keepLast && survivor === undefined) return 'last_member';
        const removal = [remove(byUser(accountId, userId)), remove(byAccount(accountId, userId))];
        // Of two who remove each other one is refused, and reads again.
        const guard = keepLast && survivor !== undefined ? [stays(byAccount(accountId, survivor))] : [];
        if ((await writeAll(client, [...removal, ...guard])) === undefined) return 'removed';
      }
      throw new StoreFault('unavailable', `DynamoDB: members of ${accountId} change too often, ${TRIES} tries`);
    },
  };
}
