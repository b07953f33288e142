// Members of accounts in the control table: a partition a user.

import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { MemberStore } from '../../../core/ports.ts';
import { partition } from './calls.ts';
import { guarded } from './faults.ts';
import { text } from './items.ts';

export function createDynamoDbMemberStore(client: DynamoDBClient, table: string): MemberStore {
  return {
    accountsOf: async (userId) => (await partition(client, table, `members#${userId}`)).map((item) => text(item, 'sk')),
    addMember: async (accountId, userId) => {
      const Item = { pk: { S: `members#${userId}` }, sk: { S: accountId } };
      await guarded('PutItem', client.send(new PutItemCommand({ TableName: table, Item })));
    },
  };
}
