// The usage history in SQLite: blocks of windows, each with its counts in one row. Admission copies ended windows in the transaction that begins an
// account's next minute, so that the account's other requests write nothing more, and nothing is lost or counted twice.

import type { DatabaseSync } from 'node:sqlite';
import type { Counters } from '../../../core/limits/admit.ts';
import { hoursOf, merged, oldestShown, type RefusalCounters, type WindowCounters } from '../../../core/limits/history.ts';
import { windowsAt } from '../../../core/limits/windows.ts';
import type { UsageSurvey } from '../../../core/notifications/ports.ts';
import { type BanRow, toBan } from './accounts.ts';
import { prepareSelect } from './database.ts';
import { guarded } from './transaction.ts';

/** How many windows a row has: an hour of minutes, 30 days. */
const BLOCK = { minutes: 60, days: 30, refused_minutes: 60, refused_days: 30 } as const;
export type Kind = keyof typeof BLOCK;

/** Returns the number of the block that contains a window. */
export function blockOf(kind: Kind, window: number): number {
  return Math.floor(window / BLOCK[kind]);
}

/** Maximum number of rows deleted with a write, so that the first write of an hour does not wait for the rows of all accounts. */
const DELETED_AT_ONCE = 100;

/** All methods except `read` must be called within a transaction. */
export interface UsageHistory {
  /** Copies counters, without ever lowering stored ones, and deletes those that are no longer shown. @param now milliseconds since 1970 */
  record(accountId: string, counters: WindowCounters, now: number): void;
  /** Adds refusals to the windows that contain `now`. */
  addRefusals(accountId: string, count: number, now: number): void;
  /** Returns the windows that are shown at a moment, in milliseconds since 1970. */
  read(accountId: string, now: number): { readonly admitted: WindowCounters; readonly refused: RefusalCounters };
}

/** Creates the history. */
export function createSqliteUsageHistory(database: DatabaseSync): UsageHistory {
  const select = prepareSelect<{ counts: string }>(
    database,
    'SELECT counts FROM usage_history WHERE account_id = ? AND kind = ? AND block BETWEEN ? AND ?',
  );
  const write = database.prepare('INSERT OR REPLACE INTO usage_history (account_id, kind, block, counts) VALUES (?, ?, ?, ?)');
  const drop = database.prepare(
    `DELETE FROM usage_history WHERE (account_id, kind, block) IN (SELECT account_id, kind, block FROM usage_history WHERE kind = ? AND block < ? LIMIT ${DELETED_AT_ONCE})`,
  );

  function read(accountId: string, kind: Kind, from: number, to: number): Counters {
    const rows = select.all(accountId, kind, blockOf(kind, from), blockOf(kind, to));
    return new Map(rows.flatMap(({ counts }) => JSON.parse(counts) as [number, number][]));
  }

  /** Updates the blocks that contain these windows; writes only those whose counts change. */
  function change(accountId: string, kind: Kind, counters: Counters, combine: (stored: Counters, of: Counters) => Counters): void {
    const blocks = Map.groupBy(counters, ([window]) => blockOf(kind, window));
    for (const [block, entries] of blocks) {
      const stored = read(accountId, kind, block * BLOCK[kind], block * BLOCK[kind]);
      const changed = JSON.stringify([...combine(stored, new Map(entries))]);
      if (changed !== JSON.stringify([...stored])) write.run(accountId, kind, block, changed);
    }
  }

  function dropOld(now: number): void {
    const oldest = oldestShown(now);
    for (const [kind, window] of [
      ['minutes', oldest.minute],
      ['refused_minutes', oldest.minute],
      ['days', oldest.day],
      ['refused_days', oldest.day],
    ] as const)
      drop.run(kind, blockOf(kind, window));
  }

  return {
    record: (accountId, { minutes, days }, now) => {
      change(accountId, 'minutes', minutes, merged);
      change(accountId, 'days', days, merged);
      dropOld(now);
    },
    addRefusals: (accountId, count, now) => {
      const { minute, day } = windowsAt(now);
      const sum = (stored: Counters, added: Counters) =>
        new Map([...stored, ...[...added].map(([window, n]) => [window, n + (stored.get(window) ?? 0)] as const)]);
      change(accountId, 'refused_minutes', new Map([[minute, count]]), sum);
      change(accountId, 'refused_days', new Map([[day, count]]), sum);
      dropOld(now);
    },
    read: (accountId, now) => {
      const { minute, day } = windowsAt(now);
      const oldest = oldestShown(now);
      const minutesOf = (kind: Kind) => read(accountId, kind, oldest.minute, minute);
      const daysOf = (kind: Kind) => read(accountId, kind, oldest.day, day);
      const refusedMinutes = minutesOf('refused_minutes');
      return {
        admitted: { minutes: minutesOf('minutes'), days: daysOf('days') },
        refused: { minutes: refusedMinutes, hours: hoursOf(refusedMinutes), days: daysOf('refused_days') },
      };
    },
  };
}

interface Row {
  id: string;
  per_day: number;
  windows: string;
}

/** Number of accounts per page. A page is parsed in one go, which blocks the process for about a millisecond. */
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
