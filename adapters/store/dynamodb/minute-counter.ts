// Counts in the control table, for all of a stage's processes: one item per key and minute, which the table's TTL deletes.

import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { MinuteCounter } from '../../../core/limits/ports.ts';
import { endOfMinute, MINUTE_MS, windowsAt } from '../../../core/limits/windows.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { guarded, isConditionFailed } from './faults.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

/** How long a count is stored after its minute, in milliseconds: for processes whose clock is behind. */
const KEPT_MS = 10 * MINUTE_MS;

/** Creates a counter. @param client one that retries: a count whose answer was lost costs one event of the limit, a failed call a request */
export function createDynamoDbMinuteCounter(client: DynamoDBClient, table: string): MinuteCounter {
  return {
    count: async (key, limit, now) => {
      const { minute } = windowsAt(now);
      const command = new UpdateItemCommand({
        TableName: table,
        Key: { pk: { S: `count#${key}` }, sk: { S: String(minute) } },
        UpdateExpression: 'ADD counted :one SET #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(counted) OR counted < :limit',
        ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
        ExpressionAttributeValues: {
          ':one': { N: '1' },
          ':limit': { N: String(limit) },
          ':ttl': { N: String(Math.ceil((endOfMinute(minute) + KEPT_MS) / 1_000)) },
        },
        ReturnValues: 'UPDATED_NEW',
      });
      try {
        const { Attributes } = await guarded('UpdateItem', client.send(command));
        const counted = Number(Attributes?.counted?.N);
        if (!Number.isInteger(counted)) throw new StoreFault('corrupt', `DynamoDB UpdateItem: the count of ${key} has no number`);
        return counted;
      } catch (error) {
        if (isConditionFailed(error)) return undefined;
        throw error;
      }
    },
  };
}
