// Admission in SQLite: runs the pure decision inside a transaction.

import type { DatabaseSync } from 'node:sqlite';
import type { PlanName, Scope } from '../../../core/access/plans.ts';
import { type AdmissionRequest, type Counters, increaseDay, increaseMinute } from '../../../core/limits/admit.ts';
import { CLOCK_DIFFERENCE_MS, isInForce } from '../../../core/limits/ban.ts';
import { type Decision, decide, isCounted, quotasOf } from '../../../core/limits/decide.ts';
import { historyOf, merged, type WindowCounters } from '../../../core/limits/history.ts';
import type { UsageStore } from '../../../core/limits/ports.ts';
import { DAY_MS, MINUTE_MS, windowsAt } from '../../../core/limits/windows.ts';
import { type BanRow, toBan } from './accounts.ts';
import { prepareSelect } from './database.ts';
import { batched, guarded, isNotStored, transaction, written } from './transaction.ts';
import { createSqliteUsageHistory } from './usage-history.ts';

interface AccountRow {
  plan: PlanName;
  per_minute: number;
  per_day: number;
  suspended: 0 | 1;
  windows: string | null;
}

interface KeyRow extends BanRow {
  scopes: string;
  expires_at: number;
  paused: 0 | 1;
  last_used_at: number | null;
}

/** An account's state while a batch is being decided. */
interface Loaded {
  readonly row: AccountRow;
  minutes: Counters;
  days: Counters;
  changed: boolean;
  /** The counters at the start of a new minute, for the history; undefined if no new minute began. */
  ended: WindowCounters | undefined;
}

interface Call {
  readonly request: AdmissionRequest;
  readonly now: number;
}

/** The decisions on a batch, and what is to be stored. */
interface Batch {
  readonly decisions: readonly Decision[];
  readonly accounts: ReadonlyMap<string, Loaded | undefined>;
  /** The minute in which each key was used, in milliseconds since 1970, by digest. */
  readonly used: ReadonlyMap<string, { readonly accountId: string; readonly at: number; readonly now: number }>;
  readonly counted: readonly Call[];
}

export const ACCOUNT_SQL =
  'SELECT a.plan, a.per_minute, a.per_day, a.suspension IS NOT NULL AS suspended, u.windows FROM accounts a LEFT JOIN usage u ON u.account_id = a.id WHERE a.id = ? AND a.deleted_at IS NULL';
export const KEY_SQL =
  'SELECT scopes, expires_at, paused_at IS NOT NULL AS paused, ban_since, ban_until, ban_level, last_used_at FROM api_keys WHERE digest = ? AND account_id = ?';
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
  const history = createSqliteUsageHistory(database);
  const selectBans = prepareSelect<{ id: string } & BanRow>(
    database,
    'SELECT id, ban_since, ban_until, ban_level FROM api_keys WHERE account_id = ? AND ban_until > ? ORDER BY id',
  );

  /** The requests counted for each account while nothing could be stored. They are stored with the account's next count. */
  const unstored = new Map<string, WindowCounters>();

  const load = (accountId: string): Loaded | undefined => {
    const row = selectAccount.one(accountId);
    if (row === undefined) return undefined;
    const windows: { minutes: [number, number][]; days: [number, number][] } =
      row.windows === null ? { minutes: [], days: [] } : JSON.parse(row.windows);
    const loaded: Loaded = { row, minutes: new Map(windows.minutes), days: new Map(windows.days), changed: false, ended: undefined };
    const { minutes = [], days = [] } = unstored.get(accountId) ?? {};
    for (const [minute, count] of minutes) loaded.minutes = increaseMinute(loaded.minutes, minute, count);
    for (const [day, count] of days) loaded.days = increaseDay(loaded.days, day, count);
    return loaded;
  };

  /** Decides the whole batch in memory, request by request. Stores nothing. */
  function decideTogether(calls: readonly Call[]): Batch {
    const accounts = new Map<string, Loaded | undefined>();
    const keys = new Map<string, KeyRow | undefined>();
    const used = new Map<string, { readonly accountId: string; readonly at: number; readonly now: number }>();
    const counted: Call[] = [];
    const decisions = calls.map((call) => {
      const { accountId, digest } = call.request;
      if (!accounts.has(accountId)) accounts.set(accountId, load(accountId));
      if (!keys.has(digest)) keys.set(digest, selectKey.one(digest, accountId));
      const key = keys.get(digest);
      const decision = decideLoaded(accounts.get(accountId), key, call.now);
      if (!isCounted(decision)) return decision;
      counted.push(call);
      const at = windowsAt(call.now).minute * MINUTE_MS;
      // Stored at most once a minute, so that a busy key does not cost a second write per request.
      if (key !== undefined && key.last_used_at !== at) {
        key.last_used_at = at;
        used.set(digest, { accountId, at, now: call.now });
      }
      return decision;
    });
    return { decisions, accounts, used, counted };
  }

  /** Writes each account once. */
  function store({ accounts, used }: Batch, latest: number): void {
    for (const [digest, { accountId, at, now }] of used) {
      writeUse.run(at, digest);
      dropBans.run(accountId, now - DAY_MS);
    }
    for (const [accountId, account] of accounts) {
      if (account?.changed) writeUsage.run(accountId, JSON.stringify({ minutes: [...account.minutes], days: [...account.days] }));
      if (account?.ended === undefined) continue;
      try {
        history.record(accountId, account.ended, latest);
      } catch (error) {
        // A fault of the history fails no request: the next minute copies the counters. If the transaction was rolled back, nothing was counted.
        if (!database.isTransaction) throw error;
      }
    }
  }

  async function admitTogether(calls: readonly Call[]): Promise<readonly Decision[]> {
    try {
      const batch = await transaction(database, () => {
        const decided = decideTogether(calls);
        store(decided, calls.at(-1)?.now ?? 0);
        return decided;
      });
      for (const [accountId, account] of batch.accounts) if (account?.changed) unstored.delete(accountId);
      return batch.decisions;
    } catch (error) {
      if (!isNotStored(error)) throw error;
      // Decisions need only reads; the requests are counted in memory until they can be stored.
      const { decisions, counted } = guarded(() => decideTogether(calls));
      for (const { request, now } of counted) unstored.set(request.accountId, increased(unstored.get(request.accountId), now));
      return decisions;
    }
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
        if (selectAccount.one(accountId) !== undefined) history.addRefusals(accountId, count, now);
      }),
    usage: async (accountId, now) =>
      guarded(() => {
        const account = load(accountId);
        if (account === undefined) return undefined;
        const bans = selectBans.all(accountId, now).flatMap((row) => {
          const ban = toBan(row);
          return isInForce(ban, now) ? [{ keyId: row.id, ban }] : [];
        });
        const quotas = quotasOf(limitsOf(account.row), usedAt(account, now), now);
        const { admitted: copies, refused } = history.read(accountId, now);
        const admitted = { minutes: merged(copies.minutes, account.minutes), days: merged(copies.days, account.days) };
        return { plan: account.row.plan, quotas, bans, history: historyOf({ admitted, refused }, now) };
      }),
  };
}

function decideLoaded(account: Loaded | undefined, key: KeyRow | undefined, now: number): Decision {
  if (account === undefined || key === undefined) return { kind: 'unknown_key' };
  const decision = decide(
    {
      plan: account.row.plan,
      limits: limitsOf(account.row),
      suspended: account.row.suspended === 1,
      key: { scopes: key.scopes.split(',') as Scope[], expiresAt: key.expires_at, paused: key.paused === 1 },
      ban: toBan(key),
      used: usedAt(account, now),
    },
    now,
  );
  if (isCounted(decision)) {
    const { minute, day } = windowsAt(now);
    if (!account.minutes.has(minute)) account.ended = endedWith(account, day);
    account.minutes = increaseMinute(account.minutes, minute, 1);
    account.days = increaseDay(account.days, day, 1);
    account.changed = true;
  }
  return decision;
}

function increased(counters: WindowCounters | undefined, now: number): WindowCounters {
  const { minute, day } = windowsAt(now);
  const { minutes = new Map(), days = new Map() } = counters ?? {};
  return { minutes: increaseMinute(minutes, minute, 1), days: increaseDay(days, day, 1) };
}

/** Returns the account's counters, except the current day's, to be copied to the history before the next increase drops old ones. */
function endedWith({ minutes, days, ended }: Loaded, day: number): WindowCounters {
  const otherDays = new Map([...days].filter(([window]) => window !== day));
  return ended === undefined ? { minutes, days: otherDays } : { minutes: merged(ended.minutes, minutes), days: merged(ended.days, otherDays) };
}

function limitsOf(row: AccountRow): { perMinute: number; perDay: number } {
  return { perMinute: row.per_minute, perDay: row.per_day };
}

function usedAt(account: Loaded, now: number): { minute: number; day: number } {
  const { minute, day } = windowsAt(now);
  return { minute: account.minutes.get(minute) ?? 0, day: account.days.get(day) ?? 0 };
}
