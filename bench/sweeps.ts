// The sweeps simulated with 100,000 domains, all of them due at once: service/workflow/sweep*.ts at the pace of platforms/aws/pace.ts, in simulated
// time, with runs on the stage's schedules. Some domains always fail, some name servers are silent, and some runs die.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMemorySweepStore } from '../adapters/store/memory/sweeps.ts';
import { type Domain, newDomain } from '../core/domains/domain.ts';
import { duePage, parseDuePosition } from '../core/domains/due.ts';
import { nextCheckAt } from '../core/domains/states.ts';
import type { SweepStore } from '../core/domains/sweep-store.ts';
import type { SweepWork } from '../core/domains/work.ts';
import type { Page } from '../core/page.ts';
import { type CallRates, paced, SWEEP_RATES } from '../platforms/aws/pace.ts';
import { sweep } from '../service/workflow/sweep.ts';
import { sweepOrphans } from '../service/workflow/sweep-orphans.ts';
import { type VirtualTime, virtualTime } from '../test/support/virtual-time.ts';
import { bar } from './measure.ts';

const DOMAINS = 100_000;
const PROJECTS = 20_000;
/** Tenants, hosts and certificates without a domain. */
const ORPHANS = 50;
const START = Date.UTC(2026, 10, 21, 10);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The stage's schedules and the function's time limit (infra/stacks/domains.ts). */
const EVERY_MS = 5 * 60_000;
const LIMIT_MS = 4 * 60_000;
/** One run in so many dies at any of its pages. */
const DEATHS = 20;
/** One domain in so many always fails; one in so many has silent name servers. */
const POISONED = 500;
const SILENT = 50;

/** How long calls take, in milliseconds. */
const STORAGE_MS = 8;
const API_MS = 120;
const DNS_MS = 400;
const SILENT_MS = 10_000;

/** Items per page, as the adapters request them. */
const PAGES = { ListKeys: 50, ListDistributionTenants: 100, ListCertificates: 200 };
/** Documented quotas, in calls per second; CloudFront documents none. */
const QUOTAS: Readonly<Record<string, number>> = { ListCertificates: 8, DescribeCertificate: 10, ListTagsForCertificate: 10, DeleteCertificate: 10 };

const hostOf = (n: number) => `www${n}.shop.dev`;
const idOf = (n: number) => `dom_${String(n).padStart(10, '0')}`;

/** Simulates until both sweeps have gone through everything, and prints the figures. */
export async function benchSweeps(): Promise<void> {
  const time = virtualTime({ now: START }, fetch);
  const model = createModel(time);
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
  bar('domains that were never checked, of those that can be', model.unchecked(), 'at most', 0);
  bar('orphans left', model.orphansLeft(), 'at most', 0);
  bar('hours until 100,000 domains that became due at once are checked', took.domains / HOUR_MS, 'at most', 24);
  bar('hours until the whole edge is swept', took.edge / HOUR_MS, 'at most', 24);
  const loads = Object.entries(QUOTAS).map(([operation, quota]) => (model.calls.get(operation)?.most ?? 0) / quota);
  bar('part of a documented quota used in the busiest second', Math.max(...loads), 'at most', 1);
  bar('tenants counted in a whole cycle, minus those at the edge', Math.abs(checked.tenants - DOMAINS - ORPHANS), 'at most', 100);
  bar('MB of heap that the sweeps need', heap / 2 ** 20, 'at most', 64);
}

function createModel(time: VirtualTime) {
  const { clock, sleep } = time;
  const inner = createMemorySweepStore();
  const live = (n: number): Domain => ({
    ...newDomain({ id: idOf(n), host: hostOf(n), projectId: `prj_${n % PROJECTS}`, accountId: 'acc_1' }, START - DAY_MS),
    state: {
      name: 'live',
      since: START - DAY_MS,
      certificate: `arn:${n}`,
      checkedAt: START - DAY_MS,
      nextCheckAt: START - DAY_MS + n,
    } as unknown as Domain['state'],
  });
  const domains = Array.from({ length: DOMAINS }, (_, n) => live(n));
  const index = new Map(domains.map(({ id }, n) => [id, n]));
  const checks = new Uint8Array(DOMAINS);
  const isPoisoned = (n: number) => n % POISONED === 3;
  const hosts = new Map<string, string>([
    ...domains.map(({ host, projectId }) => [host, projectId] as const),
    ...Array.from({ length: ORPHANS }, (_, n) => [`gone${n}.dev`, 'prj_1'] as const),
  ]);
  const keys = [...hosts.keys(), ...Array.from({ length: PROJECTS }, (_, n) => `prj_${n}`)];
  const tenants = [...domains.keys(), ...Array.from({ length: ORPHANS }, (_, n) => DOMAINS + n)];
  const goneTenants = new Set(tenants.slice(DOMAINS));
  const certificates = Array.from({ length: DOMAINS + ORPHANS }, (_, n) => n);
  const goneCertificates = new Set(certificates.slice(DOMAINS));

  const calls = new Map<string, { calls: number; most: number; second: number; inSecond: number }>();
  const count = (operation: string) => {
    const found = calls.get(operation) ?? { calls: 0, most: 0, second: 0, inSecond: 0 };
    const second = Math.floor(clock.now / 1_000);
    found.inSecond = second === found.second ? found.inSecond + 1 : 1;
    calls.set(operation, { calls: found.calls + 1, second, inSecond: found.inSecond, most: Math.max(found.most, found.inSecond) });
  };
  const stored = async <T>(value: T): Promise<T> => {
    await sleep(STORAGE_MS);
    return value;
  };
  function listed<T>(all: readonly T[], size: number, after: string | undefined): Page<T> {
    const start = Number(after ?? 0);
    return { items: all.slice(start, start + size), next: start + size < all.length ? String(start + size) : undefined };
  }

  /** A service's client: each call waits for its turn, as the SDK's would. */
  function service(name: string, rates: CallRates) {
    type Middleware = (next: (args: never) => Promise<never>, context: { commandName: string }) => (args: never) => Promise<never>;
    let middleware: Middleware | undefined;
    const add = (added: Middleware) => {
      middleware = added;
    };
    paced({ middlewareStack: { add } }, rates, { elapsed: () => clock.now, wait: sleep });
    return (operation: string): Promise<void> =>
      (middleware as unknown as (next: () => Promise<void>, context: { commandName: string }) => (args: object) => Promise<void>)(
        async () => {
          count(operation);
          count(`all of ${name}`);
          await sleep(API_MS);
        },
        { commandName: `${operation}Command` },
      )({});
  }

  function environment(): SweepWork {
    const [acm, cloudFront, keyValueStore] = [
      service('ACM', SWEEP_RATES.acm),
      service('CloudFront', SWEEP_RATES.cloudFront),
      service('KeyValueStore', SWEEP_RATES.keyValueStore),
    ];
    return {
      clock: () => clock.now,
      restart: async () => {},
      edgeHost: 'edge.dev',
      domains: {
        dueDomains: async (now: number, limit: number, after?: string) => {
          await sleep(STORAGE_MS);
          const { id } = parseDuePosition(after);
          const items: Domain[] = [];
          for (let n = after === undefined ? 0 : (index.get(id) ?? 0) + 1; n < DOMAINS && items.length < limit; n += 1) {
            const domain = domains[n] as Domain;
            if ((nextCheckAt(domain.state) ?? 0) <= now) items.push(domain);
          }
          return duePage(items, limit);
        },
        getDomain: async (id: string) => stored(domains[index.get(id) ?? -1]),
        claimsOf: async (host: string) => {
          const n = /^www(\d+)\./.exec(host)?.[1];
          return stored(n === undefined ? [] : [domains[Number(n)] as Domain]);
        },
        saveDomain: async (next: Domain) => {
          await sleep(STORAGE_MS);
          const n = index.get(next.id) as number;
          domains[n] = next;
          checks[n] = 1;
          return 'saved' as const;
        },
      },
      accounts: { getAccount: async () => stored({ id: 'acc_1', plan: 'enterprise' }) },
      projects: {
        getProject: async (id: string) =>
          stored(Number(id.slice(4)) < PROJECTS ? { id, accountId: 'acc_1', token: 'a', currentDeploymentId: 'dpl_1' } : undefined),
      },
      dns: {
        lookUp: async ({ host }: { host: string }) => {
          const n = Number(/\d+/.exec(host)?.[0]);
          await sleep(n % SILENT === 1 ? SILENT_MS : DNS_MS);
          if (isPoisoned(n)) throw new Error('poisoned');
          return { facts: factsOf(host), ownership: [] };
        },
      },
      authority: {
        renewsAutomatically: true,
        issuerNames: async () => ['amazon.com'],
        check: async () => {
          await cloudFront('GetDistributionTenant');
          await cloudFront('GetManagedCertificateDetails');
          await acm('DescribeCertificate');
          return { kind: 'issued', life: { notBefore: START - DAY_MS, notAfter: START + 300 * DAY_MS } };
        },
        release: async () => {},
        unused: {
          list: async (after?: string) => {
            await acm('ListCertificates');
            const { items, next } = listed(certificates, PAGES.ListCertificates, after);
            // All but the orphans are in use.
            return { items: items.filter((n) => goneCertificates.has(n)).map(String), next };
          },
          domainOf: async (reference: string) => {
            await acm('ListTagsForCertificate');
            return idOf(Number(reference));
          },
          delete: async (reference: string) => {
            await acm('DeleteCertificate');
            goneCertificates.delete(Number(reference));
          },
        },
      },
      edge: {
        entries: async (after?: string) => {
          await keyValueStore('ListKeys');
          const { items, next } = listed(keys, PAGES.ListKeys, after);
          const entry = (key: string) => (key.includes('.') ? { host: key, projectId: hosts.get(key) ?? '' } : { host: undefined, projectId: key });
          return { items: items.filter((key) => !key.includes('.') || hosts.has(key)).map(entry), next };
        },
        detach: async ({ host }: { host: string }) => {
          for (const operation of ['DescribeKeyValueStore', 'GetKey', 'UpdateKeys']) await keyValueStore(operation);
          hosts.delete(host);
        },
        made: async (after?: string) => {
          await cloudFront('ListDistributionTenants');
          const { items, next } = listed(tenants, PAGES.ListDistributionTenants, after);
          return { items: items.filter((n) => n < DOMAINS || goneTenants.has(n)).map((n) => ({ id: idOf(n), host: hostOf(n) })), next };
        },
        release: async ({ id }: { id: string }) => {
          for (const operation of ['GetDistributionTenant', 'UpdateDistributionTenant', 'DeleteDistributionTenant']) await cloudFront(operation);
          goneTenants.delete(Number(id.slice(4)));
          return true;
        },
      },
    } as unknown as SweepWork;
  }

  let ids = 0;
  /** A run of the function. @param deathAt the page at which the process dies @param endsAt milliseconds since 1970 */
  function run(deathAt: number, endsAt: number) {
    ids += 1;
    let saves = 0;
    const store: SweepStore = {
      ...inner,
      read: async (name) => stored(await inner.read(name)),
      take: async (...args) => {
        await sleep(STORAGE_MS);
        return inner.take(...args);
      },
      save: async (...args) => {
        await sleep(STORAGE_MS);
        saves += 1;
        if (saves > deathAt) throw new Error('the process died');
        return inner.save(...args);
      },
    };
    return { store, id: `run${ids}`, clock: () => clock.now, remainingMs: () => endsAt - clock.now };
  }

  return {
    calls,
    environment,
    run,
    unchecked: () => domains.filter((_, n) => !isPoisoned(n) && checks[n] === 0).length,
    orphansLeft: () => goneTenants.size + goneCertificates.size + [...hosts.keys()].filter((host) => host.startsWith('gone')).length,
  };
}

function factsOf(host: string) {
  const records = { cname: ['a.edge.dev'], a: [], aaaa: [], txt: [] };
  const answer = { server: 'ns', kind: 'records', records } as const;
  const none = { registered: true, bogusSeenBy: undefined, rotating: false, wildcard: false, chain: [], loops: false, misplaced: undefined, caa: [] };
  return { host, zone: 'shop.dev', authoritative: [answer], recursive: [answer], edge: { a: [], aaaa: [] }, ...none };
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
