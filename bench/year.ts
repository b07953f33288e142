// What a year leaves on one machine: 1,000 requests and 10 deployments a day for over 400 days on a simulated clock, with a little of everything else.

import { makeFolder } from '../test/support/folders.ts';
import { type Measured, simulateDays } from '../test/support/simulated-days.ts';
import { bar, sized } from './measure.ts';

const LOAD = sized({ requests: 1_000, lines: 100, deployments: 10 }, { requests: 5, lines: 2, deployments: 1 });
/** By day 120, everything that expires has expired, since the longest lifetime is 90 days; only the audit log is kept for 400. */
const MEASURED_DAYS = sized([120, 405, 435], [1, 2, 3]);

/** Simulates the days, and prints rows and bytes. */
export async function benchYear(): Promise<void> {
  const { path, remove } = makeFolder();
  const days = await simulateDays(path, LOAD);
  const measured: Measured[] = [];
  try {
    for (let day = 1; day <= Math.max(...MEASURED_DAYS); day += 1) {
      await days.live();
      await days.sweep();
      if (MEASURED_DAYS.includes(day)) measured.push(days.measure());
    }
  } finally {
    await days.close();
    remove();
  }
  console.log(`\n## ${MEASURED_DAYS.at(-1)} days: ${LOAD.requests} requests and ${LOAD.deployments} deployments a day\n`);
  console.log(`| | ${MEASURED_DAYS.map((day) => `day ${day}`).join(' | ')} |\n| --- |${' ---: |'.repeat(MEASURED_DAYS.length)}`);
  const line = (name: string, of: (one: (typeof measured)[number]) => number) =>
    console.log(`| ${name} | ${measured.map((each) => of(each).toLocaleString('en')).join(' | ')} |`);
  for (const table of Object.keys(measured[0]?.rows ?? {})) line(`rows of ${table}`, ({ rows }) => rows[table] ?? 0);
  line('bytes in use in the database', ({ used }) => used);
  line('of which audit log', ({ audit }) => audit);
  line('bytes of the database file', ({ database }) => database);
  line('bytes of the folder', ({ folder }) => folder);
  const [settled, full, last] = measured;
  if (settled === undefined || full === undefined || last === undefined) throw new Error('not measured');
  bar('bytes of the folder after 435 days compared with 405', last.folder / full.folder, 'at most', 1.05);
  bar(
    'bytes in use without the audit log, after 435 days compared with 120',
    (last.used - last.audit) / (settled.used - settled.audit),
    'at most',
    1.05,
  );
}
