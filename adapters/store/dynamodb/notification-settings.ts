// Which notifications users do not want, in the control table: user#<id> / notifications.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { userChanged } from '../../../core/audit/changes.ts';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { getItem, writeAll } from './calls.ts';
import { type Item, json } from './items.ts';

/** Creates the store on the control table. */
export function createDynamoDbNotificationSettings(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): NotificationSettings {
  const keyOf = (userId: string): Item => ({ pk: { S: `user#${userId}` }, sk: { S: 'notifications' } });
  return {
    mutedBy: async (userId) => {
      const item = await getItem(client, table, keyOf(userId));
      return item === undefined ? [] : json(item, 'muted');
    },
    mute: async (userId, kinds) => {
      const Item = { ...keyOf(userId), muted: { S: JSON.stringify(kinds) } };
      await writeAll(client, [{ Put: { TableName: table, Item } }, ...audit(userChanged('notifications.set', userId))]);
    },
  };
}
