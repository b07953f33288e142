// Leases simulated: service/admission/leases.ts in 1 to 1,000 processes on one store, in simulated time, with 100 to 100,000 requests a second.
// Requests arrive at random and go to any process; storage answers at once.

import { createMemoryStores } from '../adapters/store/memory/stores.ts';
import { NEVER } from '../core/access/account.ts';
import type { LeaseStore, UsageStore } from '../core/limits/ports.ts';
import { MINUTE_MS } from '../core/limits/windows.ts';
import { createLeasedUsage } from '../service/admission/leases.ts';
import { bar, sized } from './measure.ts';

const PROCESSES = sized([1, 10, 100, 1_000], [1, 10]);
const RATES = sized([100, 1_000, 5_000, 20_000, 100_000], [100]);
/** Starts at the fiftieth second of a minute: two boundaries and two whole minutes. */
const START = Date.UTC(2026, 10, 21, 10, 0, 50);
const SECONDS = 130;
const REQUEST = { accountId: 'acc_0000000000', digest: 'digest' };

interface Outcome {
  readonly asked: number;
  readonly admitted: number;
  readonly limit: number;
  /** In the worst minute, admitted requests divided by the limit. */
  readonly worst: number;
  readonly stranded: number;
  readonly writes: number;
  /** Writes per second in the busiest of the first five seconds, when every process is new, and afterwards. */
  readonly startWrites: number;
  readonly peakWrites: number;
}

/** Simulates every combination of processes, rate and limit, and prints a table. */
export async function benchLeases(): Promise<void> {
  console.log(
    `\n## Leases, simulated\n\n| processes | requests/s | limit per minute | requested | admitted in the busiest minute | stranded share of the limit | writes per request | writes/s, peak at startup | afterwards |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|`,
  );
  let over = 0;
  let writesAtFiveThousand = 0;
  for (const rate of RATES) {
    for (const processes of PROCESSES) {
      // A limit of twice the requests shows the cost; a limit of half the requests shows whether the limit holds.
      for (const perMinute of [rate * 120, rate * 30]) {
        const outcome = await simulate(processes, rate, perMinute);
        const { asked, admitted, limit, worst, stranded, writes, startWrites, peakWrites } = outcome;
        const perRequest = writes / admitted;
        console.log(
          `| ${processes} | ${rate} | ${limit} | ${asked} | ${worst} | ${((100 * stranded) / limit).toFixed(2)}% | ${perRequest.toFixed(4)} | ${startWrites} | ${peakWrites} |`,
        );
        over += Math.max(0, worst - limit);
        if (rate === 5_000) writesAtFiveThousand = Math.max(writesAtFiveThousand, perRequest);
      }
    }
  }
  bar('requests admitted over a limit', over, 'at most', 0);
  bar('write units per admitted request at 5,000/s, worst number of processes', writesAtFiveThousand, 'at most', 0.05);
}

async function simulate(processes: number, rate: number, perMinute: number): Promise<Outcome> {
  const { accounts, usage, leases } = createMemoryStores();
  const limits = { perMinute, perDay: perMinute * 1_440 };
  await accounts.createAccount({ id: REQUEST.accountId, name: 'Busy', plan: 'enterprise', limits, createdAt: 0 });
  await accounts.addKey(
    { id: 'key', accountId: REQUEST.accountId, digest: REQUEST.digest, name: 'key', scopes: ['pets:read'], createdAt: 0, expiresAt: NEVER },
    10,
    0,
  );
  let writes = 0;
  const writesInSecond = new Map<number, number>();
  const written = (now: number) => {
    writes += 1;
    const second = Math.floor(now / 1_000);
    writesInSecond.set(second, (writesInSecond.get(second) ?? 0) + 1);
  };
  const countingUsage: UsageStore = {
    ...usage,
    admit: (request, now) => {
      written(now);
      return usage.admit(request, now);
    },
  };
  const countingLeases: LeaseStore = {
    take: (request, block, now) => {
      written(now);
      return leases.take(request, block, now);
    },
  };
  const random = generator(processes * 1_000_003 + rate);
  const members = Array.from({ length: processes }, () => ({ admission: createLeasedUsage(countingUsage, countingLeases), refusedUntil: 0 }));
  const admittedIn = new Map<number, number>();
  let asked = 0;
  for (let now = START; now < START + SECONDS * 1_000; now += (-Math.log(1 - random()) * 1_000) / rate) {
    const at = Math.floor(now);
    asked += 1;
    const member = members[Math.floor(random() * processes)] as (typeof members)[number];
    // A refusal is repeated from memory until its Retry-After: core/limits/refusal-record.ts.
    if (at < member.refusedUntil) continue;
    const decision = await member.admission.admit(REQUEST, at);
    if (decision.kind === 'admitted') {
      const minute = Math.floor(at / MINUTE_MS);
      admittedIn.set(minute, (admittedIn.get(minute) ?? 0) + 1);
    } else if (decision.kind === 'limited') member.refusedUntil = decision.retryAt;
    else throw new Error(`refused as ${decision.kind}`);
  }
  const last = START + SECONDS * 1_000 - 1;
  const counted = (await usage.usage(REQUEST.accountId, last))?.quotas.minute;
  const most = (of: (entry: [number, number]) => boolean) => Math.max(...[...writesInSecond].filter(of).map(([, count]) => count));
  const inLast = admittedIn.get(Math.floor(last / MINUTE_MS)) ?? 0;
  return {
    asked,
    admitted: [...admittedIn.values()].reduce((sum, value) => sum + value, 0),
    limit: perMinute,
    worst: Math.max(...admittedIn.values()),
    stranded: counted === undefined ? Number.NaN : counted.limit - counted.remaining - inLast,
    writes,
    startWrites: most(([second]) => second < START / 1_000 + 5),
    peakWrites: most(([second]) => second >= START / 1_000 + 5),
  };
}

/** A seeded random generator (mulberry32): numbers from 0 to 1, the same in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
