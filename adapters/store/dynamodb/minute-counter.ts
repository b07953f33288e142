// Counts in the control table, for all of a stage's processes: one item per key and minute, which the table's TTL deletes.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { MinuteCounter } from '../../../core/limits/ports.ts';
import { endOfMinute, MINUTE_MS, windowsAt } from '../../../core/limits/windows.ts';
import { updateItem } from './calls.ts';
import { attributes, controlKey, integer, secondsOf } from './items.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

/** How long a count is stored after its minute, in milliseconds: for processes whose clock is behind. */
const KEPT_MS = 10 * MINUTE_MS;

/** Creates a counter. @param client one that retries: a count whose answer was lost costs one event of the limit, a failed call a request */
export function createDynamoDbMinuteCounter(client: DynamoDBClient, table: string): MinuteCounter {
  return {
    count: async (key, limit, now) => {
      const { minute } = windowsAt(now);
      const updated = await updateItem(client, {
        TableName: table,
        Key: controlKey(`count#${key}`, String(minute)),
        UpdateExpression: 'ADD counted :one SET #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(counted) OR counted < :limit',
        ExpressionAttributeNames: { '#ttl': TTL_ATTRIBUTE },
        ExpressionAttributeValues: attributes({ ':one': 1, ':limit': limit, ':ttl': secondsOf(endOfMinute(minute) + KEPT_MS) }),
        ReturnValues: 'UPDATED_NEW',
      });
      return updated && integer(updated, 'counted');
    },
  };
}
