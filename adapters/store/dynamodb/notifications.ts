// The outbox in the control table: notifications#<account> / <id>. Unfinished notifications are also in a partition of the index by due time.

import type { DynamoDBClient, TransactWriteItem, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { userChanged } from '../../../core/audit/changes.ts';
import { hasSameKinds, type Notification } from '../../../core/notifications/notification.ts';
import type { NotificationOutbox, NotificationSettings, OutboxEntry } from '../../../core/notifications/ports.ts';
import { KEPT_MS, LONGEST_PAUSE_MS } from '../../../core/notifications/schedule.ts';
import { type AuditWrites, UNAUDITED } from './audit.ts';
import { ABSENT, getItem, isWritten, partition, putItem, putOf, query, updateItem } from './calls.ts';
import { attributes, controlKey, type Item, integer, json, type Stored, TEXTS, text, timeToLive } from './items.ts';
import { OUTBOX_PARTITION, WAKE_INDEX } from './tables.ts';

/** Returns the write that adds a notification to its cause's transaction; the condition of the cause's write ensures that it is added only once. */
export function notificationWrites(table: string, notification: Notification | undefined): TransactWriteItem[] {
  return notification === undefined ? [] : [putOf(table, notificationItem(notification))];
}

/** Creates the outbox on the control table. */
export function createDynamoDbOutbox(client: DynamoDBClient, table: string): NotificationOutbox {
  const update = async (entry: OutboxEntry, input: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>): Promise<OutboxEntry | undefined> => {
    const item = await updateItem(client, { TableName: table, Key: keyOf(entry.notification), ReturnValues: 'ALL_NEW', ...input });
    return item && toEntry(item);
  };

  /** @returns the entry after the change; undefined if the claim was lost */
  const change = (entry: OutboxEntry, expression: string, values: Readonly<Record<string, Stored>>, condition = '') =>
    update(entry, {
      UpdateExpression: expression,
      ConditionExpression: `attempts = :attempts${condition}`,
      ExpressionAttributeValues: attributes({ ...values, ':attempts': entry.attempts }),
    });

  return {
    add: async (notification) => (await putItem(client, table, notificationItem(notification), ABSENT)) === undefined,

    due: async (now, limit) => {
      const from = (condition: string, bound: number, most: number) =>
        query(client, {
          TableName: table,
          IndexName: WAKE_INDEX,
          KeyConditionExpression: `waits = :waits AND wakeAt ${condition} :bound`,
          ExpressionAttributeValues: attributes({ ':waits': OUTBOX_PARTITION, ':bound': bound }),
          Limit: most,
        });
      const items = await from('<=', now, limit);
      // Also finds entries that a wrong clock has postponed.
      const putOff = items.length < limit ? await from('>', now + LONGEST_PAUSE_MS, limit - items.length) : [];
      return [...items, ...putOff].map(toEntry);
    },

    claim: (entry, now, until) =>
      change(
        entry,
        'SET wakeAt = :until, attempts = attempts + :one',
        { ':until': until, ':one': 1, ':now': now, ':later': now + LONGEST_PAUSE_MS },
        ' AND (wakeAt <= :now OR wakeAt > :later)',
      ),

    ofAccount: async (accountId) => (await partition(client, table, partitionOf(accountId))).map(toEntry),

    markSent: async (entry, now) => (await change(entry, 'SET sentAt = if_not_exists(sentAt, :now)', { ':now': now })) !== undefined,

    markDone: async (entry, userId) => {
      const updated = await update(entry, {
        UpdateExpression: 'ADD done :user',
        // Fails if the notification has expired.
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: attributes({ ':user': [userId] }),
      });
      return updated?.attempts === entry.attempts;
    },

    postpone: async (entry, until) => void (await change(entry, 'SET wakeAt = :until', { ':until': until }, ' AND attribute_exists(wakeAt)')),

    finish: async (entry) => void (await change(entry, 'REMOVE waits, wakeAt', {})),
  };
}

function partitionOf(accountId: string): string {
  return `notifications#${accountId}`;
}

function keyOf({ id, accountId }: Notification): Item {
  return controlKey(partitionOf(accountId), id);
}

function notificationItem(notification: Notification): Item {
  return entryItem({ notification, attempts: 0, done: [], sentAt: undefined, dueAt: notification.at });
}

/** Returns the item of a notification. @param entry `dueAt`: the time of the next attempt, in milliseconds since 1970; undefined once finished */
export function entryItem(entry: Omit<OutboxEntry, 'finished'> & { readonly dueAt: number | undefined }): Item {
  const { notification, attempts, done, sentAt, dueAt } = entry;
  return {
    ...keyOf(notification),
    ...attributes({ body: JSON.stringify(notification), attempts, done, sentAt }),
    ...(dueAt !== undefined && attributes({ waits: OUTBOX_PARTITION, wakeAt: dueAt })),
    ...timeToLive(notification.at + KEPT_MS),
  };
}

function toEntry(item: Item): OutboxEntry {
  return {
    notification: json(item, 'body'),
    attempts: integer(item, 'attempts'),
    done: TEXTS.read(item, 'done'),
    sentAt: item.sentAt && integer(item, 'sentAt'),
    finished: item.wakeAt === undefined,
  };
}

// The notifications that users have turned off, in the control table: user#<id> / notifications. The user's unsubscribe key: user#<id> / unsubscribe.

/** Creates the store on the control table. */
export function createDynamoDbNotificationSettings(client: DynamoDBClient, table: string, audit: AuditWrites = UNAUDITED): NotificationSettings {
  const keyOf = (userId: string) => controlKey(`user#${userId}`, 'notifications');
  return {
    mutedBy: async (userId) => {
      const item = await getItem(client, table, keyOf(userId));
      return item === undefined ? [] : json(item, 'muted');
    },
    mute: async (userId, kinds, read) => {
      const item = read && (await getItem(client, table, keyOf(userId)));
      if (read !== undefined && !hasSameKinds(read, item === undefined ? [] : json(item, 'muted'))) return false;
      const next = { ...keyOf(userId), ...attributes({ muted: JSON.stringify(kinds) }) };
      const condition = read === undefined ? undefined : item === undefined ? ABSENT : 'muted = :read';
      const put = putOf(table, next, condition, item && { ':read': text(item, 'muted') });
      return isWritten(client, [put, ...audit(userChanged('notifications.set', userId))]);
    },
    unsubscribeKey: async (userId, fresh) => {
      const key = controlKey(`user#${userId}`, 'unsubscribe');
      const item = await getItem(client, table, key);
      if (item !== undefined || fresh === undefined) return item && text(item, 'secret');
      const other = await putItem(client, table, { ...key, ...attributes({ secret: fresh }) }, ABSENT);
      return other === undefined ? fresh : text(other, 'secret');
    },
  };
}
