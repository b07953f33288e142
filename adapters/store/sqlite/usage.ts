// Admission in SQLite: runs the pure decision inside a transaction.

import type { DatabaseSync } from 'node:sqlite';
import type { PlanName } from '../../../core/access/plans.ts';
import type { Scope } from '../../../core/access/scopes.ts';
import { type AdmissionRequest, type Counters, increaseDay, increaseMinute } from '../../../core/limits/admit.ts';
import { CLOCK_DIFFERENCE_MS, isInForce } from '../../../core/limits/ban.ts';
import { type Decision, decide, quotasOf } from '../../../core/limits/decide.ts';
import { historyOf } from '../../../core/limits/history.ts';
import type { UsageStore } from '../../../core/limits/ports.ts';
import { DAY_MS, DAYS_KEPT, MINUTE_MS, windowsAt } from '../../../core/limits/windows.ts';
import { type BanRow, toBan } from './accounts.ts';
import { batched } from './batch.ts';
import { guarded, transaction, written } from './database.ts';
import { prepareSelect } from './select.ts';

interface AccountRow {
  plan: PlanName;
  per_minute: number;
  per_day: number;
  windows: string | null;
}

interface KeyRow extends BanRow {
  scopes: string;
  expires_at: number;
  last_used_at: number | null;
}

/** An account's state while a batch is decided. */
interface Loaded {
  readonly row: AccountRow;
  minutes: Counters;
  days: Counters;
  changed: boolean;
}

interface Call {
  readonly request: AdmissionRequest;
  readonly now: number;
}

export const ACCOUNT_SQL =
  'SELECT a.plan, a.per_minute, a.per_day, u.windows FROM accounts a LEFT JOIN usage u ON u.account_id = a.id WHERE a.id = ?';
export const KEY_SQL = 'SELECT scopes, expires_at, ban_since, ban_until, ban_level, last_used_at FROM api_keys WHERE digest = ? AND account_id = ?';
export const COUNT_SQL = 'INSERT OR REPLACE INTO usage (account_id, windows) VALUES (?, ?)';

/** Creates admission. Concurrent requests share a commit. */
export function createSqliteUsageStore(database: DatabaseSync): UsageStore {
  const selectAccount = prepareSelect<AccountRow>(database, ACCOUNT_SQL);
  const selectKey = prepareSelect<KeyRow>(database, KEY_SQL);
  const writeUsage = database.prepare(COUNT_SQL);
  const writeBan = database.prepare(
    'UPDATE api_keys SET ban_since = ?, ban_until = ?, ban_level = ? WHERE digest = ? AND account_id = ? AND (ban_until IS NULL OR ban_until < ? OR ban_since > ?)',
  );
  /** `isForgotten` from core/limits/ban.ts as a condition. */
  const dropBans = database.prepare(
    'UPDATE api_keys SET ban_since = NULL, ban_until = NULL, ban_level = NULL WHERE account_id = ? AND ban_until <= ?',
  );
  const writeUse = database.prepare('UPDATE api_keys SET last_used_at = ? WHERE digest = ?');
  const addRefusals = database.prepare(
    'INSERT INTO refusals (account_id, day, count) SELECT id, ?, ? FROM accounts WHERE id = ? ON CONFLICT DO UPDATE SET count = count + excluded.count',
  );
  const dropRefusals = database.prepare('DELETE FROM refusals WHERE account_id = ? AND day <= ?');
  const selectRefusals = prepareSelect<{ day: number; count: number }>(database, 'SELECT day, count FROM refusals WHERE account_id = ?');
  const selectBans = prepareSelect<{ id: string } & BanRow>(
    database,
    'SELECT id, ban_since, ban_until, ban_level FROM api_keys WHERE account_id = ? AND ban_until > ? ORDER BY id',
  );

  const load = (accountId: string): Loaded | undefined => {
    const row = selectAccount.one(accountId);
    if (row === undefined) return undefined;
    const windows: { minutes: [number, number][]; days: [number, number][] } =
      row.windows === null ? { minutes: [], days: [] } : JSON.parse(row.windows);
    return { row, minutes: new Map(windows.minutes), days: new Map(windows.days), changed: false };
  };

  /** Decides the whole batch in memory, request by request, and writes each account once. */
  function admitTogether(calls: readonly Call[]): Promise<readonly Decision[]> {
    return transaction(database, () => {
      const accounts = new Map<string, Loaded | undefined>();
      const keys = new Map<string, KeyRow | undefined>();
      const decisions = calls.map(({ request: { accountId, digest }, now }) => {
        if (!accounts.has(accountId)) accounts.set(accountId, load(accountId));
        if (!keys.has(digest)) keys.set(digest, selectKey.one(digest, accountId));
        const key = keys.get(digest);
        const decision = decideLoaded(accounts.get(accountId), key, now);
        const usedAt = windowsAt(now).minute * MINUTE_MS;
        // At most once a minute, so that a busy key does not cost a second write per request.
        if (decision.kind === 'admitted' && key !== undefined && key.last_used_at !== usedAt) {
          key.last_used_at = usedAt;
          writeUse.run(usedAt, digest);
          dropBans.run(accountId, now - DAY_MS);
        }
        return decision;
      });
      for (const [accountId, account] of accounts) {
        if (account?.changed) writeUsage.run(accountId, JSON.stringify({ minutes: [...account.minutes], days: [...account.days] }));
      }
      return decisions;
    });
  }
  const admitOne = batched(admitTogether);

  return {
    admit: (request, now) => admitOne({ request, now }),
    hasKey: async ({ accountId, digest }, now) => guarded(() => (selectKey.one(digest, accountId)?.expires_at ?? 0) > now),
    ban: async ({ accountId, digest }, { since, until, level }) =>
      written(() => {
        writeBan.run(since, until, level, digest, accountId, until, since + CLOCK_DIFFERENCE_MS);
      }),
    countRefusals: async (accountId, count, now) =>
      transaction(database, () => {
        const { day } = windowsAt(now);
        addRefusals.run(day, count, accountId);
        dropRefusals.run(accountId, day - DAYS_KEPT);
      }),
    usage: async (accountId, now) =>
      guarded(() => {
        const account = load(accountId);
        if (account === undefined) return undefined;
        const bans = selectBans.all(accountId, now).flatMap((row) => {
          const ban = toBan(row);
          return isInForce(ban, now) ? [{ keyId: row.id, ban }] : [];
        });
        const refused = new Map(selectRefusals.all(accountId).map(({ day, count }) => [day, count]));
        const quotas = quotasOf(limitsOf(account.row), usedAt(account, now), now);
        return { plan: account.row.plan, quotas, bans, history: historyOf({ ...account, refused }, now) };
      }),
  };
}

function decideLoaded(account: Loaded | undefined, key: KeyRow | undefined, now: number): Decision {
  if (account === undefined || key === undefined) return { kind: 'unknown_key' };
  const decision = decide(
    {
      plan: account.row.plan,
      limits: limitsOf(account.row),
      key: { scopes: key.scopes.split(',') as Scope[], expiresAt: key.expires_at },
      ban: toBan(key),
      used: usedAt(account, now),
    },
    now,
  );
  if (decision.kind === 'admitted') {
    const { minute, day } = windowsAt(now);
    account.minutes = increaseMinute(account.minutes, minute, 1);
    account.days = increaseDay(account.days, day, 1);
    account.changed = true;
  }
  return decision;
}

function limitsOf(row: AccountRow): { perMinute: number; perDay: number } {
  return { perMinute: row.per_minute, perDay: row.per_day };
}

function usedAt(account: Loaded, now: number): { minute: number; day: number } {
  const { minute, day } = windowsAt(now);
  return { minute: account.minutes.get(minute) ?? 0, day: account.days.get(day) ?? 0 };
}
