// Which notifications users do not want, in the control table: user#<id> / notifications.

import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import { getItem } from './calls.ts';
import { guarded } from './faults.ts';
import { type Item, json } from './items.ts';

/** Creates the store on the control table. */
export function createDynamoDbNotificationSettings(client: DynamoDBClient, table: string): NotificationSettings {
  const keyOf = (userId: string): Item => ({ pk: { S: `user#${userId}` }, sk: { S: 'notifications' } });
  return {
    mutedBy: async (userId) => {
      const item = await getItem(client, table, keyOf(userId));
      return item === undefined ? [] : json(item, 'muted');
    },
    mute: async (userId, kinds) => {
      const Item = { ...keyOf(userId), muted: { S: JSON.stringify(kinds) } };
      await guarded('PutItem', client.send(new PutItemCommand({ TableName: table, Item })));
    },
  };
}
