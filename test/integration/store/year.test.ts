// 400 days on one machine: nothing grows that has an end. `npm run bench -- year` does the same with 1,000 requests and 10 deployments a day.

import { expect, test } from 'vitest';
import { testFolder } from '../../support/folders.ts';
import { simulateDays } from '../../support/simulated-days.ts';

/** Everything with an end has reached it by then: the longest is 90 days. */
const SETTLED_DAYS = 120;
const DAYS = 400;

test('after 400 days there are no more rows and bytes than after 120', { timeout: 300_000 }, async () => {
  const days = await simulateDays(testFolder(), { requests: 20, lines: 20, deployments: 2 });
  const measured: ReturnType<typeof days.measure>[] = [];
  for (let day = 1; day <= DAYS; day += 1) {
    await days.live();
    if (day === DAYS) measured.push(days.measure());
    await days.sweep();
    if (day === SETTLED_DAYS || day === DAYS) measured.push(days.measure());
  }
  await days.close();
  const [settled, unswept, last] = measured;
  if (settled === undefined || unswept === undefined || last === undefined) throw new Error('not measured');
  console.table(Object.fromEntries(Object.entries(last.rows).map(([table, count]) => [table, { 'day 120': settled.rows[table], 'day 400': count }])));
  for (const { used, database, folder } of [settled, last]) console.log({ used, database, folder });
  const grown = Object.entries(last.rows).filter(([table, count]) => count > (settled.rows[table] ?? 0) * 1.02 + 2);
  expect(grown).toEqual([]);
  // Each day leaves something in all other tables: otherwise the test would watch nothing. In these, nothing is left at the end of a day.
  const empty = Object.keys(unswept.rows).filter((table) => unswept.rows[table] === 0);
  expect(empty).toEqual([
    ...['acme_accounts', 'acme_challenges', 'acme_orders', 'certificates', 'edge_map', 'heartbeat', 'members', 'notification_settings'],
    ...['own_addresses', 'sandbox_records', 'users'],
  ]);
  expect(last.used).toBeLessThan(settled.used * 1.05);
  expect(last.database).toBeLessThan(settled.database * 1.05);
  expect(last.folder).toBeLessThan(settled.folder * 1.05);
});
