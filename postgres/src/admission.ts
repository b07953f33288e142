// Admission: applies the platform's own rule to an account's row while the row is locked.

import {
  type AdmissionRequest,
  type Counters,
  DAY_MS,
  type Decision,
  decide,
  increaseDay,
  increaseMinute,
  isCounted,
  MINUTE_MS,
  oldestShown,
  type WindowCounters,
  windowsAt,
} from 'petstore-platform';
import { type BanRow, toBan, toScopes } from './accounts.ts';
import { type AccountRow, both, countersOf, limitsOf, NOTHING, usedAt, windowsText } from './counters.ts';
import type { Statement, Transaction } from './database.ts';
import { copyToHistory } from './history.ts';

interface KeyRow extends BanRow {
  readonly digest: string;
  readonly scopes: string;
  readonly expires_at: bigint;
  readonly paused: boolean;
  readonly last_used_at: bigint | null;
}

/** A request, and when it arrived, in milliseconds since 1970. */
export interface Call {
  readonly request: AdmissionRequest;
  readonly now: number;
}

/** An account's state while a batch is decided. */
interface Loaded {
  readonly row: AccountRow;
  readonly keys: ReadonlyMap<string, KeyRow>;
  minutes: Counters;
  days: Counters;
  /** Counters that could not be copied to the history yet. */
  waiting: WindowCounters;
  /** What has to be copied because a new minute began: `waiting`, and the counters at that moment. @default no minute began */
  ended: WindowCounters | undefined;
  /** The minute in which each counted key was used, in milliseconds since 1970. */
  readonly usedAt: Map<string, number>;
}

/**
 * Locks the account's row until the commit; a transaction that waited for the lock sees the counters of the earlier commit. The keys and the plan are
 * read as of the start of the statement, so they include every change that was complete when the requests of the batch arrived.
 */
const LOCK: Statement = {
  name: 'usage_lock',
  text: `WITH locked AS MATERIALIZED (SELECT windows FROM usage WHERE account_id = $1 FOR NO KEY UPDATE)
    SELECT a.plan, a.per_minute, a.per_day, a.suspension IS NOT NULL AS suspended, locked.windows, k.digest, k.scopes, k.expires_at, k.paused_at IS NOT NULL AS paused, k.last_used_at, k.ban_since, k.ban_until, k.ban_level
    FROM locked CROSS JOIN accounts a LEFT JOIN api_keys k ON k.account_id = a.id AND k.digest = ANY($2::text[]) WHERE a.id = $1`,
};
const COUNT: Statement = { name: 'usage_count', text: 'UPDATE usage SET windows = $2 WHERE account_id = $1' };
const USE: Statement = { name: 'key_use', text: 'UPDATE api_keys SET last_used_at = $3 WHERE account_id = $1 AND digest = $2' };
/** The platform's `isForgotten`, in SQL. */
const DROP_BANS: Statement = {
  name: 'bans_drop',
  text: 'UPDATE api_keys SET ban_since = NULL, ban_until = NULL, ban_level = NULL WHERE account_id = $1 AND ban_until <= $2',
};
const SAVEPOINT: Statement = { text: 'SAVEPOINT history' };
const ROLLBACK_TO: Statement = { text: 'ROLLBACK TO SAVEPOINT history' };

/** Decides one account's requests in memory, one by one, and writes the account once. */
export async function admitTogether(transaction: Transaction, accountId: string, calls: readonly Call[]): Promise<readonly Decision[]> {
  const digests = [...new Set(calls.map(({ request }) => request.digest))];
  const account = loaded(await transaction.query<AccountRow & KeyRow>(LOCK, [accountId, digests]));
  const decisions = calls.map(({ request, now }) => decideLoaded(account, request.digest, now));
  if (account === undefined || account.usedAt.size === 0) return decisions;
  const latest = calls.at(-1)?.now ?? 0;
  if (account.ended !== undefined) account.waiting = await copyEnded(transaction, accountId, account.ended, latest);
  // Stored at most once a minute, so that a busy key does not cost a second write per batch.
  const used = [...account.usedAt].filter(([digest, at]) => Number(account.keys.get(digest)?.last_used_at) !== at);
  for (const [digest, at] of used) transaction.send(USE, [accountId, digest, at]);
  if (used.length > 0) transaction.send(DROP_BANS, [accountId, latest - DAY_MS]);
  transaction.send(COUNT, [accountId, windowsText(account)]);
  return decisions;
}

/** Copies counters; no request fails because of the history. @returns those that could not be copied, which stay in the account's row for a minute */
async function copyEnded(transaction: Transaction, accountId: string, ended: WindowCounters, now: number): Promise<WindowCounters> {
  transaction.send(SAVEPOINT);
  try {
    await copyToHistory(transaction, accountId, ended, now);
    return NOTHING;
  } catch {
    // If the connection is gone, this fails too, and nothing was counted.
    await transaction.query(ROLLBACK_TO);
    const oldest = oldestShown(now);
    const since = (counters: Counters, from: number) => new Map([...counters].filter(([window]) => window >= from));
    return { minutes: since(ended.minutes, oldest.minute), days: since(ended.days, oldest.day) };
  }
}

function decideLoaded(account: Loaded | undefined, digest: string, now: number): Decision {
  const key = account?.keys.get(digest);
  if (account === undefined || key === undefined) return { kind: 'unknown_key' };
  const decision = decide(
    {
      plan: account.row.plan,
      limits: limitsOf(account.row),
      suspended: account.row.suspended,
      key: { scopes: toScopes(key.scopes), expiresAt: Number(key.expires_at), paused: key.paused },
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
    account.usedAt.set(digest, minute * MINUTE_MS);
  }
  return decision;
}

/** Returns the account's counters except those of the current day, because the next increase drops old ones. */
function endedWith({ minutes, days, waiting, ended = waiting }: Loaded, day: number): WindowCounters {
  const otherDays = new Map([...days].filter(([window]) => window !== day));
  return both(ended, { minutes, days: otherDays });
}

/** Returns the account's state. @param rows one for each known key, or one without a key */
function loaded(rows: readonly (AccountRow & KeyRow)[]): Loaded | undefined {
  const [row] = rows;
  return row && { row, keys: new Map(rows.map((each) => [each.digest, each])), ...countersOf(row), ended: undefined, usedAt: new Map() };
}
