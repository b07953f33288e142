// 435 days on one machine: nothing grows that has an end. `npm run bench -- year` does the same with 1,000 requests and 10 deployments a day.

import { expect, test } from 'vitest';
import { testFolder } from '../../support/folders.ts';
import { type Measured, simulateDays } from '../../support/simulated-days.ts';

/** Everything with an end has reached it by then, but the audit log: the longest is 90 days. */
const SETTLED_DAYS = 120;
/** The audit log has reached its 400 days. */
const FULL_DAYS = 405;
const DAYS = 435;

test('after 435 days there are no more rows and bytes than before', async () => {
  const days = await simulateDays(testFolder(), { requests: 20, lines: 20, deployments: 2 });
  const measured = new Map<number, Measured>();
  let unswept: Measured | undefined;
  for (let day = 1; day <= DAYS; day += 1) {
    await days.live();
    if (day === DAYS) unswept = days.measure();
    await days.sweep();
    if ([SETTLED_DAYS, FULL_DAYS, DAYS].includes(day)) measured.set(day, days.measure());
  }
  await days.close();
  const [settled, full, last] = [SETTLED_DAYS, FULL_DAYS, DAYS].map((day) => measured.get(day));
  if (settled === undefined || full === undefined || unswept === undefined || last === undefined) throw new Error('not measured');
  console.table(
    Object.fromEntries(Object.entries(last.rows).map(([table, count]) => [table, { 120: settled.rows[table], 405: full.rows[table], 435: count }])),
  );
  for (const { rows, ...bytes } of [settled, full, last]) console.log(bytes);
  const before: Readonly<Record<string, number>> = { ...settled.rows, audit: full.rows.audit ?? 0 };
  const grown = Object.entries(last.rows).filter(([table, count]) => count > (before[table] ?? 0) * 1.02 + 2);
  expect(grown).toEqual([]);
  // Each day leaves something in all other tables: otherwise the test would watch nothing. In these, nothing is left at the end of a day.
  const { rows } = unswept;
  expect(Object.keys(rows).filter((table) => rows[table] === 0)).toEqual([
    ...['acme_accounts', 'acme_challenges', 'acme_orders', 'certificates', 'edge_map', 'heartbeat', 'members', 'notification_settings'],
    ...['order_buckets', 'own_addresses', 'passkeys', 'recovery_codes', 'sandbox_records', 'settled_time', 'totp', 'users'],
  ]);
  expect(last.used - last.audit).toBeLessThan((settled.used - settled.audit) * 1.05);
  expect(last.database).toBeLessThan(full.database * 1.05);
  expect(last.folder).toBeLessThan(full.folder * 1.05);
});
