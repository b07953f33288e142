// All accounts' usage in SQLite, for notifications.

import type { DatabaseSync } from 'node:sqlite';
import { windowsAt } from '../../../core/limits/windows.ts';
import type { UsageSurvey } from '../../../core/notifications/ports.ts';
import { type BanRow, toBan } from './accounts.ts';
import { prepareSelect } from './database.ts';
import { guarded } from './transaction.ts';

interface Row {
  id: string;
  per_day: number;
  windows: string;
}

/** Accounts in a page: parsed at once, which blocks the process for about a millisecond. */
const PAGE = 200;

/** Creates the survey. */
export function createSqliteUsageSurvey(database: DatabaseSync): UsageSurvey {
  const select = prepareSelect<Row>(
    database,
    'SELECT a.id, a.per_day, u.windows FROM accounts a JOIN usage u ON u.account_id = a.id WHERE a.id > ? ORDER BY a.id LIMIT ?',
  );
  const selectBans = prepareSelect<{ id: string } & BanRow>(
    database,
    'SELECT id, ban_since, ban_until, ban_level FROM api_keys WHERE account_id = ? AND ban_until IS NOT NULL ORDER BY id',
  );
  return {
    usagePage: async (now, after = '') =>
      guarded(() => {
        const { day } = windowsAt(now);
        const rows = select.all(after, PAGE);
        return {
          items: rows.map(({ id, per_day: limit, windows }) => {
            const { days }: { readonly days: [number, number][] } = JSON.parse(windows);
            const bans = selectBans.all(id).flatMap((row) => {
              const ban = toBan(row);
              return ban === undefined ? [] : [{ keyId: row.id, ban }];
            });
            return { accountId: id, day: { used: new Map(days).get(day) ?? 0, limit }, bans };
          }),
          next: rows.length < PAGE ? undefined : rows.at(-1)?.id,
        };
      }),
  };
}
