// Which notifications users do not want, in the control table: user#<id> / notifications. Their key is in user#<id> / unsubscribe.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { userChanged } from '../../../core/audit/changes.ts';
import { hasSameKinds } from '../../../core/notifications/notification.ts';
import type { NotificationSettings } from '../../../core/notifications/ports.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { getItem, isWritten, putItem } from './calls.ts';
import { attributes, controlKey, json, text } from './items.ts';

/** Creates the store on the control table. */
export function createDynamoDbNotificationSettings(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): NotificationSettings {
  const keyOf = (userId: string) => controlKey(`user#${userId}`, 'notifications');
  return {
    mutedBy: async (userId) => {
      const item = await getItem(client, table, keyOf(userId));
      return item === undefined ? [] : json(item, 'muted');
    },
    mute: async (userId, kinds, read) => {
      const Item = { ...keyOf(userId), ...attributes({ muted: JSON.stringify(kinds) }) };
      const item = read && (await getItem(client, table, keyOf(userId)));
      if (read !== undefined && !hasSameKinds(read, item === undefined ? [] : json(item, 'muted'))) return false;
      const unchanged =
        item === undefined
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'muted = :read', ExpressionAttributeValues: attributes({ ':read': text(item, 'muted') }) };
      const Put = { TableName: table, Item, ...(read !== undefined && unchanged) };
      return isWritten(client, [{ Put }, ...audit(userChanged('notifications.set', userId))]);
    },
    unsubscribeKey: async (userId, fresh) => {
      const key = controlKey(`user#${userId}`, 'unsubscribe');
      const item = await getItem(client, table, key);
      if (item !== undefined || fresh === undefined) return item && text(item, 'secret');
      const other = await putItem(client, table, { ...key, ...attributes({ secret: fresh }) }, 'attribute_not_exists(pk)');
      return other === undefined ? fresh : text(other, 'secret');
    },
  };
}
