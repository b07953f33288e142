// How far the sweeps have come, which host runs which sweep, and the budget for certificate orders.

import { DAY_MS, type SweepStore } from 'petstore-platform';
import { isTaken, type OrderLimiter, type SweepProgress, takeToken } from 'petstore-platform/stores';
import { type Database, durably, lock, type Statement } from './database.ts';

interface Row {
  readonly run: string;
  readonly until: bigint;
  readonly progress: string;
}

/** How long a report is remembered, in milliseconds. */
const REPORTED_MS = 7 * DAY_MS;

const READ: Statement = { text: 'SELECT run, until, progress FROM sweeps WHERE name = $1' };
const TAKE: Statement = {
  text: `INSERT INTO sweeps (name, run, until, progress) VALUES ($1, $2, $3, '{}')
    ON CONFLICT (name) DO UPDATE SET run = excluded.run, until = excluded.until`,
};
const SAVE: Statement = { text: 'UPDATE sweeps SET until = $3, progress = $4 WHERE name = $1 AND run = $2 RETURNING name' };
const REPORT: Statement = {
  text: `INSERT INTO reports AS known (thing, at) VALUES ($1, $2::bigint)
    ON CONFLICT (thing) DO UPDATE SET at = CASE WHEN known.at <= $2::bigint - ${REPORTED_MS} THEN $2::bigint ELSE known.at END RETURNING at`,
};

/** Creates the sweep store. */
export function createSweepStore(database: Database): SweepStore {
  return {
    read: async (name) => JSON.parse((await database.query<Row>(READ, [name]))[0]?.progress ?? '{}') as SweepProgress,
    take: (name, run, now, until) =>
      durably(database, async (transaction) => {
        await lock(transaction, [`sweep ${name}`]);
        const [found] = await transaction.query<Row>(READ, [name]);
        if (found !== undefined && isTaken(Number(found.until), now, until)) return undefined;
        transaction.send(TAKE, [name, run, until]);
        return JSON.parse(found?.progress ?? '{}') as SweepProgress;
      }),
    save: async (name, run, progress, until) => (await database.query(SAVE, [name, run, until, JSON.stringify(progress)])).length === 1,
    firstReported: async (thing, now) => Number((await database.query<{ at: bigint }>(REPORT, [thing, now]))[0]?.at ?? now),
  };
}

const BUCKETS: Statement = { text: 'SELECT key, full_at FROM order_buckets WHERE key = ANY($1::text[])' };
const FILL: Statement = {
  text: 'INSERT INTO order_buckets (key, full_at) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET full_at = excluded.full_at',
};

/** Creates the budget for certificate orders. */
export function createOrderLimiter(database: Database): OrderLimiter {
  return {
    take: (buckets, now) =>
      durably(database, async (transaction) => {
        const keys = buckets.map(({ key }) => key);
        await lock(
          transaction,
          keys.map((key) => `bucket ${key}`),
        );
        const rows = await transaction.query<{ key: string; full_at: bigint }>(BUCKETS, [keys]);
        const fullAt = new Map(rows.map((row) => [row.key, Number(row.full_at)]));
        const results = buckets.map((bucket) => ({ ...bucket, ...takeToken(bucket, fullAt.get(bucket.key), now) }));
        const empty = results.flatMap((result) => (result.kind === 'empty' ? [result.until] : []));
        if (empty.length > 0) return Math.max(...empty);
        for (const result of results) if (result.kind === 'taken') transaction.send(FILL, [result.key, result.fullAt]);
        return undefined;
      }),
  };
}
