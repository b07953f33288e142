// How the embedded store scales: the times for a page of 20 from a random position and for a creation, with 1,000 to 1,000,000 animals.

import { rmSync } from 'node:fs';
import { openSqliteStores, type SqliteStores } from '../adapters/store/sqlite/stores.ts';
import { samplePet } from '../testing/samples.ts';
import { alternate, bar, type Result, ratio, report, sized } from './measure.ts';
import { type Seeded, seed } from './seed.ts';

const SIZES = sized([1_000, 100_000, 1_000_000], [100, 200, 300]);
const LISTS_A_ROUND = sized(3_000, 20);
const CREATES_A_ROUND = sized(300, 5);

/** Measures lists and creations at each size, and prints the results. */
export async function benchGrowth(rounds: number): Promise<void> {
  const opened: { size: number; data: Seeded; stores: SqliteStores }[] = [];
  for (const size of SIZES) {
    const data = await seed(size);
    opened.push({ size, data, stores: openSqliteStores(data.folder) });
  }
  try {
    let random = 1;
    const next = (bound: number) => {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      return random % bound;
    };
    const lists = opened.map(({ size, stores }) => ({
      name: `list at ${size.toLocaleString('en')}`,
      run: () => cpuTimed(LISTS_A_ROUND, () => stores.pets.list({ after: next(size) * 1_000_003, status: undefined, limit: 21 })),
    }));
    const filteredFrom = ({ size, stores }: (typeof opened)[number], positions: number, where: string) => ({
      name: `list by status at ${size.toLocaleString('en')}${where}`,
      run: () =>
        cpuTimed(LISTS_A_ROUND, () => stores.pets.list({ after: ((size - positions) / 2 + next(positions)) * 1_000_003, status: 'sold', limit: 21 })),
    });
    const filtered = opened.map((each) => filteredFrom(each, each.size, ''));
    // The largest tree, but only as many pages as the smallest has: the time saved is what memory outside the processor's caches costs.
    filtered.push(...opened.slice(-1).map((each) => filteredFrom(each, SIZES[0] ?? 0, ', from neighboring positions')));
    let id = 2_000_000 * 1_000_003;
    const creates = opened.map(({ size, stores }) => ({
      name: `create at ${size.toLocaleString('en')}`,
      run: () =>
        timed(CREATES_A_ROUND, () => {
          id += 1;
          return stores.pets.create({ pet: samplePet(id, { name: 'Grown', status: 'pending' }) }, 0);
        }),
    }));
    for (const { run } of [...lists, ...filtered, ...creates]) await run();
    const [small, , large] = await measured('List of 20 from a random position', 'µs of CPU', lists);
    const [smallFiltered, , largeFiltered, neighbours] = await measured('List of 20 by status from a random position', 'µs of CPU', filtered);
    const [smallCreate, , largeCreate] = await measured('Create, each its own fsync', 'µs', creates);
    bar('list at 1,000,000 compared with 1,000', ratio(large, small), 'at most', 1.2);
    bar('list by status at 1,000,000 compared with 1,000', ratio(largeFiltered, smallFiltered), 'at most', 1.2);
    console.log(`list by status at 1,000,000 from neighboring positions compared with 1,000: ${ratio(neighbours, smallFiltered).toFixed(3)}`);
    console.log(`create at 1,000,000 compared with 1,000: ${ratio(largeCreate, smallCreate).toFixed(3)}`);
  } finally {
    for (const { stores, data } of opened) {
      stores.close();
      rmSync(data.folder, { recursive: true, force: true });
    }
  }

  async function measured(title: string, unit: string, candidates: Parameters<typeof alternate>[0]): Promise<readonly Result[]> {
    const results = await alternate(candidates, rounds);
    report(title, unit, results);
    return results;
  }
}

/** @returns microseconds per call */
async function timed(calls: number, call: () => Promise<unknown>): Promise<number> {
  const started = process.hrtime.bigint();
  for (let n = 0; n < calls; n += 1) await call();
  return Number(process.hrtime.bigint() - started) / calls / 1_000;
}

/** @returns microseconds of CPU per call, which other processes change little */
async function cpuTimed(calls: number, call: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  for (let n = 0; n < calls; n += 1) await call();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / calls;
}
