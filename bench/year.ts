// What is left of a year on one machine: 1,000 requests and 10 deployments a day for 400 days by a simulated clock, with a little of everything else.

import { makeFolder } from '../test/support/folders.ts';
import { simulateDays } from '../test/support/simulated-days.ts';
import { bar } from './measure.ts';

const LOAD = { requests: 1_000, lines: 100, deployments: 10 };
/** Everything with an end has reached it by day 120: the longest is 90 days. */
const MEASURED_DAYS = [30, 120, 400];

/** Lives the days, and prints rows and bytes. */
export async function benchYear(): Promise<void> {
  const { path, remove } = makeFolder();
  const days = await simulateDays(path, LOAD);
  const measured: ReturnType<typeof days.measure>[] = [];
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
  line('bytes of the database file', ({ database }) => database);
  line('bytes of the folder', ({ folder }) => folder);
  const [, settled, last] = measured;
  if (settled === undefined || last === undefined) throw new Error('not measured');
  bar('bytes of the folder after 400 days compared with 120', last.folder / settled.folder, 'at most', 1.05);
}
