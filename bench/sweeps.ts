// The sweeps simulated with 100,000 domains, all of them due at once: service/workflow/sweep*.ts at the pace of platforms/aws/pace.ts, in simulated
// time, with runs on the stage's schedules. Some domains always fail, some name servers are silent, and some runs die.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SweepWork } from '../core/domains/work.ts';
import { DAY_MS, HOUR_MS } from '../core/limits/windows.ts';
import { sweep } from '../service/workflow/sweep.ts';
import { sweepOrphans } from '../service/workflow/sweep-orphans.ts';
import { virtualTime } from '../test/support/virtual-time.ts';
import { bar } from './measure.ts';
import { createSweepModel, DOMAINS, ORPHANS, START } from './sweep-model.ts';

/** The stage's schedules and the function's time limit (infra/constructs/domain-workflow.ts). */
const EVERY_MS = 5 * 60_000;
const LIMIT_MS = 4 * 60_000;
/** One run in this many dies, at a random page. */
const DEATHS = 20;
/** Documented quotas, in calls per second; CloudFront documents none. */
const QUOTAS: Readonly<Record<string, number>> = { ListCertificates: 8, DescribeCertificate: 10, ListTagsForCertificate: 10, DeleteCertificate: 10 };

/** Simulates until both sweeps have gone through everything, and prints the figures. */
export async function benchSweeps(): Promise<void> {
  const time = virtualTime({ now: START }, fetch);
  const model = createSweepModel(time);
  const collect = collector();
  const heapBefore = collect();
  let [heap, runs, deaths] = [0, { domains: 0, edge: 0 }, 0];
  const [took, checked] = [
    { domains: 0, edge: 0 },
    { domains: 0, orphans: 0, failed: 0, tenants: 0 },
  ];
  // One environment for each schedule, because their runs overlap.
  const environments = [model.environment(), model.environment()] as const;
  const random = generator(7);
  for (let at = START; took.domains === 0 || took.edge === 0; at += EVERY_MS) {
    time.clock.now = Math.max(time.clock.now, at);
    const isHour = (at - START) % HOUR_MS === 0;
    const invoke = (work: SweepWork, orphans: boolean) => {
      const deathAt = random() < 1 / DEATHS ? Math.floor(random() * 40) : Number.POSITIVE_INFINITY;
      if (deathAt < 40) deaths += 1;
      const run = model.run(deathAt, time.clock.now + LIMIT_MS);
      return Promise.allSettled([
        orphans || took.domains > 0 ? undefined : sweep(work, run, () => {}),
        took.edge > 0 ? undefined : sweepOrphans(work, run, { unknownForMs: 0, onlyContinue: !orphans, onFault: () => {} }),
      ]);
    };
    const outcomes = await time.until(Promise.all([invoke(environments[0], false), ...(isHour ? [invoke(environments[1], true)] : [])]));
    for (const [domains, edge] of outcomes) {
      if (domains.status === 'fulfilled' && domains.value !== undefined) {
        runs.domains += 1;
        checked.domains += domains.value.checked;
        if (domains.value.complete) took.domains = time.clock.now - START;
      }
      if (edge.status === 'fulfilled' && edge.value !== undefined) {
        runs.edge += 1;
        checked.orphans += edge.value.orphans;
        if (edge.value.complete) [took.edge, checked.tenants] = [time.clock.now - START, edge.value.known.tenants];
      }
    }
    heap = Math.max(heap, collect() - heapBefore);
    if (time.clock.now - START > 5 * DAY_MS) throw new Error('the sweeps do not end');
  }
  console.log(`\n## Sweeps of ${DOMAINS} domains, simulated (${deaths} runs died)\n`);
  console.log('| sweep | runs | hours |\n|---|---:|---:|');
  for (const name of ['domains', 'edge'] as const) console.log(`| ${name} | ${runs[name]} | ${(took[name] / HOUR_MS).toFixed(1)} |`);
  console.log('\n| API operation | calls | calls in the busiest second | quota a second |\n|---|---:|---:|---:|');
  for (const [operation, { calls, most }] of [...model.calls].sort())
    console.log(`| ${operation} | ${calls} | ${most} | ${QUOTAS[operation] ?? 'none'} |`);
  console.log(
    `\n${checked.domains} checks, ${checked.orphans} orphans deleted, ${checked.tenants} tenants; heap beyond the model ${(heap / 2 ** 20).toFixed(1)} MB\n`,
  );
  bar('domains that could be checked but never were', model.unchecked(), 'at most', 0);
  bar('orphans left', model.orphansLeft(), 'at most', 0);
  bar('hours until 100,000 domains that became due at once are checked', took.domains / HOUR_MS, 'at most', 24);
  bar('hours until the whole edge is swept', took.edge / HOUR_MS, 'at most', 24);
  const loads = Object.entries(QUOTAS).map(([operation, quota]) => (model.calls.get(operation)?.most ?? 0) / quota);
  bar('share of a documented quota used in the busiest second', Math.max(...loads), 'at most', 1);
  bar('tenants counted in a whole cycle, minus those at the edge', Math.abs(checked.tenants - DOMAINS - ORPHANS), 'at most', 100);
  bar('MB of heap that the sweeps need', heap / 2 ** 20, 'at most', 64);
}

/** Returns a function that collects garbage and returns the bytes in use. */
function collector(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}

/** A seeded random generator: numbers from 0 to 1, the same in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
