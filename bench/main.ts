// `npm run bench [-- section …]`: all comparisons in one run. `--smallest` runs each section once with next to no load, for the exit code alone.

import { cpus } from 'node:os';
import { benchBackup } from './backup.ts';
import { benchCold } from './cold.ts';
import { benchControlCalls } from './control-calls.ts';
import { benchEdge } from './edge.ts';
import { benchGrowth } from './growth.ts';
import { benchHandler } from './handler.ts';
import { benchHttp } from './http.ts';
import { benchLeases } from './leases.ts';
import { sized } from './measure.ts';
import { benchSaturation } from './saturation.ts';
import { benchSignIn } from './sign-in.ts';
import { benchSingle } from './single.ts';
import { benchSites } from './sites.ts';
import { benchStorageCalls } from './storage-calls.ts';
import { benchSweeps } from './sweeps.ts';
import { benchVerify } from './verify.ts';
import { benchWorkers } from './workers.ts';
import { benchYear } from './year.ts';

const ROUNDS = sized(5, 1);
/** Short rounds leave time for more of them, so the median is steadier. */
const SHORT_ROUNDS = sized(11, 1);

const SECTIONS: Readonly<Record<string, () => Promise<void>>> = {
  http: () => benchHttp(ROUNDS),
  saturation: () => benchSaturation(sized(3, 1)),
  handler: () => benchHandler(SHORT_ROUNDS),
  single: () => benchSingle(ROUNDS),
  cold: () => benchCold(SHORT_ROUNDS),
  storage: async () => {
    await benchStorageCalls();
    await benchControlCalls();
  },
  leases: () => benchLeases(),
  sweeps: () => benchSweeps(),
  edge: () => benchEdge(SHORT_ROUNDS),
  sites: () => benchSites(ROUNDS),
  'sign-in': () => benchSignIn(ROUNDS),
  verify: () => benchVerify(SHORT_ROUNDS),
  growth: () => benchGrowth(SHORT_ROUNDS),
  backup: () => benchBackup(ROUNDS),
  year: () => benchYear(),
  workers: () => benchWorkers(ROUNDS),
};

const wanted = process.argv.slice(2).filter((argument) => argument !== '--smallest');
const unknown = wanted.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`no section ${unknown.join(', ')}; allowed: ${Object.keys(SECTIONS).join(', ')}`);
  process.exit(2);
}
console.log(
  `# Benchmarks\n\nNode ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}). Compare ratios within a run, not figures from two runs.`,
);
for (const [name, run] of Object.entries(SECTIONS)) if (wanted.length === 0 || wanted.includes(name)) await run();
