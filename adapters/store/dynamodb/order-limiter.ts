// The budget of certificate orders in the control table: orders#<key> / bucket.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { takeToken } from '../../../core/domains/order-budget.ts';
import type { OrderLimiter } from '../../../core/domains/ports.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { getItems, writeAll } from './calls.ts';
import { type Item, integer, text } from './items.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

/** Tries while others take from the same buckets. */
const TRIES = 20;
const PREFIX = 'orders#';

/** Creates the limiter. */
export function createDynamoDbOrderLimiter(client: DynamoDBClient, table: string): OrderLimiter {
  const keyOf = (key: string): Item => ({ pk: { S: `${PREFIX}${key}` }, sk: { S: 'bucket' } });
  return {
    take: async (buckets, now) => {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const stored = new Map(
          (
            await getItems(
              client,
              table,
              buckets.map(({ key }) => keyOf(key)),
            )
          ).map((item) => [text(item, 'pk'), integer(item, 'fullAt')]),
        );
        const results = buckets.map((bucket) => {
          const before = stored.get(`${PREFIX}${bucket.key}`);
          return { key: bucket.key, before, ...takeToken(bucket, before, now) };
        });
        const empty = results.flatMap((result) => (result.kind === 'empty' ? [result.until] : []));
        if (empty.length > 0) return Math.max(...empty);
        const refused = await writeAll(
          client,
          results.flatMap((result) =>
            result.kind === 'empty'
              ? []
              : [
                  {
                    Put: {
                      TableName: table,
                      Item: {
                        ...keyOf(result.key),
                        fullAt: { N: String(result.fullAt) },
                        [TTL_ATTRIBUTE]: { N: String(Math.ceil(result.fullAt / 1_000)) },
                      },
                      // What was read is still so: of concurrent writers, one succeeds.
                      ...(result.before === undefined
                        ? { ConditionExpression: 'attribute_not_exists(pk)' }
                        : { ConditionExpression: 'fullAt = :before', ExpressionAttributeValues: { ':before': { N: String(result.before) } } }),
                    },
                  },
                ],
          ),
        );
        if (refused === undefined) return undefined;
      }
      throw new StoreFault('unavailable', `the budget of orders was changed ${TRIES} times while an order was counted`);
    },
  };
}
