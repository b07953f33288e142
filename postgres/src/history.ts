// The usage history: a row for each window in which an account was used. Admission copies ended windows in the transaction that begins the account's
// next minute, so that other requests write nothing more, and nothing is lost or counted twice.

import { type Counters, hoursOf, oldestShown, type RefusalCounters, type WindowCounters, windowsAt } from 'petstore-platform';
import type { Connection, Statement, Transaction } from './database.ts';

interface Row {
  readonly kind: string;
  readonly window_number: bigint;
  readonly requests: bigint;
}

/** A copy never lowers a stored counter. */
const COPY: Statement = {
  name: 'history_copy',
  text: `INSERT INTO usage_history AS known (account_id, kind, window_number, requests)
    SELECT $1, kind, window_number, requests FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS given (kind, window_number, requests)
    ON CONFLICT (account_id, kind, window_number) DO UPDATE SET requests = excluded.requests WHERE known.requests < excluded.requests`,
};
/** Adds to both windows, always in the same order, or to neither if the account is unknown. */
const ADD: Statement = {
  name: 'history_add',
  text: `INSERT INTO usage_history AS known (account_id, kind, window_number, requests)
    SELECT id, kind, window_number, $4::bigint FROM accounts,
      (VALUES ('refused_day', $3::bigint), ('refused_minute', $2::bigint)) AS given (kind, window_number)
    WHERE id = $1 ON CONFLICT (account_id, kind, window_number) DO UPDATE SET requests = known.requests + excluded.requests`,
};
/** Deletes only the account's own rows, so that accounts don't wait for each other. */
const DROP: Statement = {
  name: 'history_drop',
  text: `DELETE FROM usage_history WHERE account_id = $1
    AND (kind IN ('minute', 'refused_minute') AND window_number < $2 OR kind IN ('day', 'refused_day') AND window_number < $3)`,
};
const READ: Statement = {
  name: 'history',
  text: `SELECT kind, window_number, requests FROM usage_history WHERE account_id = $1
    AND (kind IN ('minute', 'refused_minute') AND window_number >= $2 OR kind IN ('day', 'refused_day') AND window_number >= $3)`,
};

/** Copies counters, and deletes what is no longer shown. @param now milliseconds since 1970 */
export async function copyToHistory(transaction: Transaction, accountId: string, { minutes, days }: WindowCounters, now: number): Promise<void> {
  const rows = [...[...minutes].map((entry) => ['minute', ...entry] as const), ...[...days].map((entry) => ['day', ...entry] as const)];
  const oldest = oldestShown(now);
  await Promise.all([
    transaction.query(COPY, [accountId, rows.map(([kind]) => kind), rows.map(([, window]) => window), rows.map(([, , requests]) => requests)]),
    transaction.query(DROP, [accountId, oldest.minute, oldest.day]),
  ]);
}

/** Adds refusals to the windows that contain `now`; does nothing if there is no such account. */
export async function addRefusals(connection: Connection, accountId: string, count: number, now: number): Promise<void> {
  const { minute, day } = windowsAt(now);
  await connection.query(ADD, [accountId, minute, day, count]);
}

/** Returns the windows that are shown at a moment, in milliseconds since 1970. */
export async function readHistory(
  connection: Connection,
  accountId: string,
  now: number,
): Promise<{ readonly admitted: WindowCounters; readonly refused: RefusalCounters }> {
  const oldest = oldestShown(now);
  const rows = await connection.query<Row>(READ, [accountId, oldest.minute, oldest.day]);
  const countersOf = (kind: string): Counters =>
    new Map(rows.filter((row) => row.kind === kind).map((row) => [Number(row.window_number), Number(row.requests)]));
  const refusedMinutes = countersOf('refused_minute');
  return {
    admitted: { minutes: countersOf('minute'), days: countersOf('day') },
    refused: { minutes: refusedMinutes, hours: hoursOf(refusedMinutes), days: countersOf('refused_day') },
  };
}
