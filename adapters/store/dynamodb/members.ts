// Members in the control table: one partition per user listing accounts, and one per account listing users.

import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { MemberStore } from '../../../core/access/ports.ts';
import { StoreFault } from '../../../core/store-fault.ts';
import { partition, writeAll } from './calls.ts';
import { type Item, text } from './items.ts';

/** Maximum attempts at a removal while the account's members change. */
const TRIES = 5;

/** Creates the member store on the control table. */
export function createDynamoDbMemberStore(client: DynamoDBClient, table: string): MemberStore {
  const byUser = (accountId: string, userId: string): Item => ({ pk: { S: `members#${userId}` }, sk: { S: accountId } });
  const byAccount = (accountId: string, userId: string): Item => ({ pk: { S: `account-members#${accountId}` }, sk: { S: userId } });
  const put = (item: Item): TransactWriteItem => ({ Put: { TableName: table, Item: item } });
  const remove = (key: Item): TransactWriteItem => ({ Delete: { TableName: table, Key: key } });
  // Rewrites the item unchanged; a ConditionCheck would require one more permission for the function.
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
        // If two members remove each other, one transaction fails and reads again.
        const guard = keepLast && survivor !== undefined ? [stays(byAccount(accountId, survivor))] : [];
        if ((await writeAll(client, [...removal, ...guard])) === undefined) return 'removed';
      }
      throw new StoreFault('unavailable', `DynamoDB: the members of ${accountId} changed during each of ${TRIES} attempts`);
    },
  };
}
