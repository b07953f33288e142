// The budget of certificate orders in the control table: orders#<key> / bucket.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { takeToken } from '../../../core/domains/order-budget.ts';
import type { OrderLimiter } from '../../../core/domains/ports.ts';
import { StoreFault } from '../../../core/refusal.ts';
import { ABSENT, getItems, putOf, writeAll } from './calls.ts';
import { attributes, controlKey, integer, text, timeToLive } from './items.ts';

/** Maximum attempts while other processes take from the same buckets. */
const TRIES = 20;
const PREFIX = 'orders#';

/** Creates the limiter. */
export function createDynamoDbOrderLimiter(client: DynamoDBClient, table: string): OrderLimiter {
  const keyOf = (key: string) => controlKey(`${PREFIX}${key}`, 'bucket');
  return {
    take: async (buckets, now) => {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const keys = buckets.map(({ key }) => keyOf(key));
        const stored = new Map((await getItems(client, table, keys)).map((item) => [text(item, 'pk'), integer(item, 'fullAt')]));
        const results = buckets.map((bucket) => {
          const before = stored.get(`${PREFIX}${bucket.key}`);
          return { key: bucket.key, before, ...takeToken(bucket, before, now) };
        });
        const empty = results.flatMap((result) => (result.kind === 'empty' ? [result.until] : []));
        if (empty.length > 0) return Math.max(...empty);
        const refused = await writeAll(
          client,
          results.flatMap((result) => {
            if (result.kind === 'empty') return [];
            const item = { ...keyOf(result.key), ...attributes({ fullAt: result.fullAt }), ...timeToLive(result.fullAt) };
            // Written only if the bucket has not changed since it was read, so only one of several concurrent writers succeeds.
            return result.before === undefined ? putOf(table, item, ABSENT) : putOf(table, item, 'fullAt = :before', { ':before': result.before });
          }),
        );
        if (refused === undefined) return undefined;
      }
      throw new StoreFault('unavailable', `the order budget was changed ${TRIES} times while an order was counted`);
    },
  };
}
