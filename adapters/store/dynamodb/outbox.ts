// The outbox in the control table: notifications#<account> / <id>. What is not finished is in the index of what waits, in a partition of its own.

import {
  type DynamoDBClient,
  PutItemCommand,
  type TransactWriteItem,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Notification } from '../../../core/notifications/notification.ts';
import type { NotificationOutbox, OutboxEntry } from '../../../core/notifications/ports.ts';
import { KEPT_MS, LONGEST_PAUSE_MS } from '../../../core/notifications/schedule.ts';
import { partition, query } from './calls.ts';
import { guarded, isConditionFailed, refusedBy } from './faults.ts';
import { type Item, integer, json } from './items.ts';
import { OUTBOX_PARTITION, TTL_ATTRIBUTE, WAKE_INDEX } from './tables.ts';

/** Returns the write that adds a notification in a transaction with its cause; the cause's condition ensures that it is added once. */
export function notificationWrites(table: string, notification: Notification | undefined): TransactWriteItem[] {
  return notification === undefined ? [] : [{ Put: { TableName: table, Item: notificationItem(notification) } }];
}

/** Creates the outbox on the control table. */
export function createDynamoDbOutbox(client: DynamoDBClient, table: string): NotificationOutbox {
  const update = (entry: OutboxEntry, input: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>) =>
    guarded(
      'UpdateItem',
      client.send(new UpdateItemCommand({ TableName: table, Key: keyOf(entry.notification), ReturnValues: 'ALL_NEW', ...input })),
    );

  /** @returns the entry after the change; undefined if the claim was lost */
  const change = async (entry: OutboxEntry, expression: string, values: Item, condition = ''): Promise<OutboxEntry | undefined> => {
    try {
      const { Attributes = {} } = await update(entry, {
        UpdateExpression: expression,
        ConditionExpression: `attempts = :attempts${condition}`,
        ExpressionAttributeValues: { ...values, ':attempts': { N: String(entry.attempts) } },
      });
      return toEntry(Attributes);
    } catch (error) {
      if (isConditionFailed(error)) return undefined;
      throw error;
    }
  };

  return {
    add: async (notification) => {
      const command = new PutItemCommand({
        TableName: table,
        Item: notificationItem(notification),
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      return (await refusedBy('PutItem', client.send(command))) === undefined;
    },

    due: async (now, limit) => {
      const from = (condition: string, bound: number, most: number) =>
        query(client, {
          TableName: table,
          IndexName: WAKE_INDEX,
          KeyConditionExpression: `waits = :waits AND wakeAt ${condition} :bound`,
          ExpressionAttributeValues: { ':waits': { S: OUTBOX_PARTITION }, ':bound': { N: String(bound) } },
          Limit: most,
        });
      const items = await from('<=', now, limit);
      // Set by a wrong clock.
      const putOff = items.length < limit ? await from('>', now + LONGEST_PAUSE_MS, limit - items.length) : [];
      return [...items, ...putOff].map(toEntry);
    },

    claim: (entry, now, until) =>
      change(
        entry,
        'SET wakeAt = :until, attempts = attempts + :one',
        { ':until': { N: String(until) }, ':one': { N: '1' }, ':now': { N: String(now) }, ':later': { N: String(now + LONGEST_PAUSE_MS) } },
        ' AND (wakeAt <= :now OR wakeAt > :later)',
      ),

    ofAccount: async (accountId) => (await partition(client, table, partitionOf(accountId))).map(toEntry),

    markSent: async (entry, now) => (await change(entry, 'SET sentAt = if_not_exists(sentAt, :now)', { ':now': { N: String(now) } })) !== undefined,

    markDone: async (entry, userId) => {
      try {
        const { Attributes = {} } = await update(entry, {
          UpdateExpression: 'ADD done :user',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':user': { SS: [userId] } },
        });
        return toEntry(Attributes).attempts === entry.attempts;
      } catch (error) {
        // Expired.
        if (isConditionFailed(error)) return false;
        throw error;
      }
    },

    postpone: async (entry, until) =>
      void (await change(entry, 'SET wakeAt = :until', { ':until': { N: String(until) } }, ' AND attribute_exists(wakeAt)')),

    finish: async (entry) => void (await change(entry, 'REMOVE waits, wakeAt', {})),
  };
}

function partitionOf(accountId: string): string {
  return `notifications#${accountId}`;
}

function keyOf({ id, accountId }: Notification): Item {
  return { pk: { S: partitionOf(accountId) }, sk: { S: id } };
}

function notificationItem(notification: Notification): Item {
  return {
    ...keyOf(notification),
    body: { S: JSON.stringify(notification) },
    attempts: { N: '0' },
    waits: { S: OUTBOX_PARTITION },
    wakeAt: { N: String(notification.at) },
    [TTL_ATTRIBUTE]: { N: String(Math.ceil((notification.at + KEPT_MS) / 1_000)) },
  };
}

function toEntry(item: Item): OutboxEntry {
  return {
    notification: json(item, 'body'),
    attempts: integer(item, 'attempts'),
    done: item.done?.SS ?? [],
    sentAt: item.sentAt && integer(item, 'sentAt'),
    finished: item.wakeAt === undefined,
  };
}
