// The usual choice: fastify 5 with schemas, and rate-limiter-flexible with its SQLite store, one limiter per window. The store expects
// better-sqlite3; node:sqlite stands in for it, as it has the same methods except `transaction`.

import type { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';
import { RateLimiterRes, RateLimiterSQLite } from 'rate-limiter-flexible';
import { KEY_SQL } from '../../adapters/store/sqlite/usage.ts';
import { keyOf } from '../stock-key.ts';
import { openBenchDatabase, prepareList } from './shared.ts';

const database = openBenchDatabase();
const list = prepareList(database);
const keys = database.prepare(KEY_SQL);
const limits = database.prepare('SELECT per_minute, per_day FROM accounts WHERE id = ?');

const limiter = (tableName: string, points: number, duration: number) =>
  new RateLimiterSQLite({ storeClient: asBetterSqlite(database), storeType: 'better-sqlite3', tableName, points, duration });
const minuteLimiter = limiter('limits_minute', 1e9, 60);
const dayLimiter = limiter('limits_day', 1e9, 86_400);

const app = Fastify();
app.get(
  '/v1/pets',
  {
    schema: {
      querystring: { type: 'object', additionalProperties: false, properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } } },
      response: {
        200: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'integer' }, name: { type: 'string' }, categoryId: { type: 'integer' }, status: { type: 'string' } },
          },
        },
      },
    },
  },
  async (request, reply) => {
    const key = keyOf(request.headers.authorization);
    const found = key && (keys.get(key.digest, key.accountId) as { expires_at: number } | undefined);
    if (key === undefined || found === undefined || found.expires_at <= Date.now()) return reply.status(401 as 200).send([]);
    const account = limits.get(key.accountId) as { per_minute: number; per_day: number };
    try {
      const [minute, day] = await Promise.all([minuteLimiter.consume(key.accountId), dayLimiter.consume(key.accountId)]);
      const left = [account.per_minute - minute.consumedPoints, account.per_day - day.consumedPoints] as const;
      const [limit, remaining, shown] = left[1] < left[0] ? [account.per_day, left[1], day] : [account.per_minute, left[0], minute];
      reply
        .header('x-ratelimit-limit', limit)
        .header('x-ratelimit-remaining', remaining)
        .header('x-ratelimit-reset', Math.ceil((Date.now() + shown.msBeforeNext) / 1000));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return reply.status(429 as 200).send([]);
    }
    const { limit } = request.query as { limit: number };
    return list(0, limit + 1)
      .slice(0, limit)
      .map(([id, name, categoryId, status]) => ({ id, name, categoryId, status }));
  },
);
await app.listen({ port: Number(process.argv[3]), host: '127.0.0.1' });
console.log('ready');

function asBetterSqlite(client: DatabaseSync) {
  return {
    prepare: (sql: string) => client.prepare(sql),
    transaction:
      <T>(work: () => T) =>
      () => {
        client.exec('BEGIN IMMEDIATE');
        try {
          const result = work();
          client.exec('COMMIT');
          return result;
        } catch (error) {
          client.exec('ROLLBACK');
          throw error;
        }
      },
  };
}
