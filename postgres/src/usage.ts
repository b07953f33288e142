// Usage of accounts. The requests of an account that arrive in one process while a transaction is running share the next transaction; other accounts
// have transactions of their own.

import { CLOCK_DIFFERENCE_MS, type Decision, historyOf, isInForce, quotasOf, type UsageStore } from 'petstore-platform';
import { type BanRow, toBan } from './accounts.ts';
import { admitTogether, type Call } from './admission.ts';
import { batchedByKey } from './batch.ts';
import { type AccountRow, both, countersOf, limitsOf, usedAt } from './counters.ts';
import type { Database, Statement } from './database.ts';
import { addRefusals, readHistory } from './history.ts';

/** Maximum number of requests in a transaction. */
const BATCH = 1_000;

const HAS_KEY: Statement = { name: 'key_has', text: 'SELECT FROM api_keys WHERE account_id = $1 AND digest = $2 AND expires_at > $3' };
/** The platform's `replaces`, in SQL. */
const BAN: Statement = {
  text: `UPDATE api_keys SET ban_since = $3, ban_until = $4, ban_level = $5
    WHERE account_id = $1 AND digest = $2 AND (ban_until IS NULL OR ban_until < $4 OR ban_since > $6)`,
};
const READ: Statement = {
  name: 'usage',
  text: `SELECT a.plan, a.per_minute, a.per_day, u.windows, k.id, k.ban_since, k.ban_until, k.ban_level
    FROM accounts a JOIN usage u ON u.account_id = a.id LEFT JOIN api_keys k ON k.account_id = a.id AND k.ban_until > $2 WHERE a.id = $1 ORDER BY k.id`,
};
/** Creates admission, with its history. Counts don't wait for the disk, so a crash of the database server may lose those of the last 0.6 s. */
export function createUsageStore(database: Database): UsageStore {
  const admit = batchedByKey<Call, Decision>(
    ({ request }) => request.accountId,
    (accountId, calls) => database.transaction({ durable: false }, (transaction) => admitTogether(transaction, accountId, calls)),
    { limit: BATCH },
  );
  return {
    admit: (request, now) => admit({ request, now }),
    hasKey: async ({ accountId, digest }, now) => (await database.query(HAS_KEY, [accountId, digest, now])).length === 1,
    ban: async ({ accountId, digest }, { since, until, level }) => {
      await database.query(BAN, [accountId, digest, since, until, level, since + CLOCK_DIFFERENCE_MS]);
    },
    countRefusals: (accountId, count, now) => addRefusals(database, accountId, count, now),
    usage: async (accountId, now) => {
      const rows = await database.query<AccountRow & BanRow & { readonly id: string | null }>(READ, [accountId, now]);
      const [row] = rows;
      if (row === undefined) return undefined;
      const counters = countersOf(row);
      const bans = rows.flatMap((each) => {
        const ban = toBan(each);
        return each.id !== null && isInForce(ban, now) ? [{ keyId: each.id, ban }] : [];
      });
      // Read after the counters, so that whatever admission has dropped from them is already in the history.
      const { admitted: copies, refused } = await readHistory(database, accountId, now);
      const admitted = both(copies, both(counters.waiting, counters));
      return { plan: row.plan, quotas: quotasOf(limitsOf(row), usedAt(counters, now), now), bans, history: historyOf({ admitted, refused }, now) };
    },
  };
}
