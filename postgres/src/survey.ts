// All accounts' usage, for notifications.

import { type UsageSurvey, windowsAt } from 'petstore-platform';
import { type BanRow, toBan } from './accounts.ts';
import { countersOf } from './counters.ts';
import type { Database, Statement } from './database.ts';

interface Row {
  readonly id: string;
  readonly per_day: bigint;
  readonly windows: string;
}

/** Accounts per page. */
const PAGE = 200;

const ACCOUNTS: Statement = {
  text: `SELECT a.id, a.per_day, u.windows FROM usage u JOIN accounts a ON a.id = u.account_id
    WHERE u.account_id > $1 AND u.windows IS NOT NULL ORDER BY u.account_id LIMIT ${PAGE}`,
};
const BANS: Statement = {
  text: `SELECT account_id, id, ban_since, ban_until, ban_level FROM api_keys WHERE account_id = ANY($1::text[]) AND ban_until IS NOT NULL ORDER BY id`,
};

/** Creates the survey. */
export function createUsageSurvey(database: Database): UsageSurvey {
  return {
    usagePage: async (now, after = '') => {
      const { day } = windowsAt(now);
      const accounts = await database.query<Row>(ACCOUNTS, [after]);
      const banned = await database.query<BanRow & { account_id: string; id: string }>(BANS, [accounts.map(({ id }) => id)]);
      const bans = Map.groupBy(banned, (row) => row.account_id);
      return {
        items: accounts.map((account) => ({
          accountId: account.id,
          day: { used: countersOf(account).days.get(day) ?? 0, limit: Number(account.per_day) },
          bans: (bans.get(account.id) ?? []).flatMap((row) => {
            const ban = toBan(row);
            return ban === undefined ? [] : [{ keyId: row.id, ban }];
          }),
        })),
        next: accounts.length < PAGE ? undefined : accounts.at(-1)?.id,
      };
    },
  };
}
