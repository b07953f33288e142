// The budget of certificate orders in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { takeToken } from '../../../core/domains/order-budget.ts';
import type { OrderLimiter } from '../../../core/domains/ports.ts';
import { prepareSelect } from './database.ts';
import { transaction } from './transaction.ts';

/** Creates the limiter. */
export function createSqliteOrderLimiter(database: DatabaseSync): OrderLimiter {
  const select = prepareSelect<{ full_at: number }>(database, 'SELECT full_at FROM order_buckets WHERE key = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO order_buckets (key, full_at) VALUES (?, ?)');
  return {
    take: (buckets, now) =>
      transaction(database, () => {
        const results = buckets.map((bucket) => ({ ...bucket, ...takeToken(bucket, select.one(bucket.key)?.full_at, now) }));
        const empty = results.flatMap((result) => (result.kind === 'empty' ? [result.until] : []));
        if (empty.length > 0) return Math.max(...empty);
        for (const result of results) if (result.kind === 'taken') upsert.run(result.key, result.fullAt);
        return undefined;
      }),
  };
}
