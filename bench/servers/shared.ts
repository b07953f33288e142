// Code that the peers share: the same statements on the same kind of file, and the same answer.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { LIST_SQL } from '../../adapters/store/sqlite/pets.ts';
import { ACCOUNT_SQL, COUNT_SQL, KEY_SQL } from '../../adapters/store/sqlite/usage.ts';
import { keyOf } from '../stock-key.ts';

export type Row = [id: bigint, name: string, categoryId: bigint, status: string];

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Opens the data folder given on the command line. */
export function openBenchDatabase(): DatabaseSync {
  return openDatabase(String(process.argv[2]), 'crash');
}

/** Prepares the statement that lists animals with an id above `after`. */
export function prepareList(database: DatabaseSync): (after: number, limit: number) => Row[] {
  const list = database.prepare(LIST_SQL);
  list.setReadBigInts(true);
  list.setReturnArrays(true);
  return (after, limit) => list.all(after, limit) as unknown as Row[];
}

/** Returns rows as a JSON array of animals. */
export function rowsJson(rows: readonly Row[]): string {
  return `[${rows.map(([id, name, categoryId, status]) => `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`).join(',')}]`;
}

/**
 * Handles a request as briefly as possible: counts both windows, then lists. The caller opens the transaction, so that one server can commit each
 * request separately, and another can commit several together.
 */
export function createDirectAnswer(database: DatabaseSync): { admit(authorization: string | undefined): Answer; list(admitted: Answer): Answer } {
  const list = prepareList(database);
  const account: StatementSync = database.prepare(ACCOUNT_SQL);
  const keys = database.prepare(KEY_SQL);
  const count = database.prepare(COUNT_SQL);

  return {
    admit: (authorization) => {
      const key = keyOf(authorization);
      if (key === undefined) return UNAUTHORIZED;
      const now = Date.now();
      const minute = Math.floor(now / 60_000);
      const day = Math.floor(now / 86_400_000);
      const owner = account.get(key.accountId) as { per_minute: number; per_day: number; windows: string | null } | undefined;
      const found = keys.get(key.digest, key.accountId) as { expires_at: number } | undefined;
      if (owner === undefined || found === undefined || found.expires_at <= now) return UNAUTHORIZED;
      const windows: { minutes: [number, number][]; days: [number, number][] } =
        owner.windows === null ? { minutes: [], days: [] } : JSON.parse(owner.windows);
      const usedMinute = windows.minutes.find(([window]) => window === minute)?.[1] ?? 0;
      const usedDay = windows.days.find(([window]) => window === day)?.[1] ?? 0;
      if (usedMinute >= owner.per_minute || usedDay >= owner.per_day) return { status: 429, headers: {}, body: '{}' };
      count.run(key.accountId, JSON.stringify({ minutes: [[minute, usedMinute + 1]], days: [[day, usedDay + 1]] }));
      const leftMinute = owner.per_minute - usedMinute - 1;
      const leftDay = owner.per_day - usedDay - 1;
      const shown = leftDay < leftMinute ? [owner.per_day, leftDay, (day + 1) * 86_400] : [owner.per_minute, leftMinute, (minute + 1) * 60];
      const headers = {
        'content-type': 'application/json',
        'x-ratelimit-limit': String(shown[0]),
        'x-ratelimit-remaining': String(shown[1]),
        'x-ratelimit-reset': String(shown[2]),
      };
      return { status: 200, headers, body: '' };
    },
    list: (admitted) => (admitted.status === 200 ? { ...admitted, body: rowsJson(list(0, 21).slice(0, 20)) } : admitted),
  };
}

const UNAUTHORIZED: Answer = { status: 401, headers: {}, body: '{}' };

/** Like createDirectAnswer, with a transaction for each request. */
export function createCommittedAnswer(database: DatabaseSync): (authorization: string | undefined) => Answer {
  const { admit, list } = createDirectAnswer(database);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  return (authorization) => {
    begin.run();
    const admitted = admit(authorization);
    commit.run();
    return list(admitted);
  };
}
