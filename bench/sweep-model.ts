// 100,000 domains with their storage, their edge and their authority, in simulated time: each call takes as long as a real one.

import { createMemorySweepStore } from '../adapters/store/memory/single-process.ts';
import { type Domain, newDomain } from '../core/domains/domain.ts';
import { duePage, parseDuePosition, type SweepStore } from '../core/domains/queue.ts';
import { nextCheckAt } from '../core/domains/states.ts';
import type { SweepWork } from '../core/domains/work.ts';
import { DAY_MS } from '../core/limits/windows.ts';
import type { Page } from '../core/page.ts';
import { type CallRates, paced, SWEEP_RATES } from '../platforms/aws/pace.ts';
import type { VirtualTime } from '../test/support/virtual-time.ts';
import { sized } from './measure.ts';

export const DOMAINS = sized(100_000, 1_000);
const PROJECTS = sized(20_000, 200);
/** Tenants, hosts and certificates without a domain. */
export const ORPHANS = 50;
export const START = Date.UTC(2026, 10, 21, 10);
/** One domain in `POISONED` always fails; one in `SILENT` has silent name servers. */
const POISONED = 500;
const SILENT = 50;

/** How long calls take, in milliseconds. */
const STORAGE_MS = 8;
const API_MS = 120;
const DNS_MS = 400;
const SILENT_MS = 10_000;

/** Items per page, as the adapters request them. */
const PAGES = { ListKeys: 50, ListDistributionTenants: 100, ListCertificates: 200 };

const hostOf = (n: number) => `www${n}.shop.dev`;
const idOf = (n: number) => `dom_${String(n).padStart(10, '0')}`;

export function createSweepModel(time: VirtualTime) {
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
        caaIdentity: async () => ({ issuers: ['amazon.com'] }),
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
  const none = {
    registered: true,
    bogus: undefined,
    referred: [],
    rotating: false,
    wildcard: false,
    chain: [],
    loops: false,
    misplaced: undefined,
    caa: [],
  };
  return { host, zone: 'shop.dev', nameServers: ['ns.shop.dev'], authoritative: [answer], recursive: [answer], edge: { a: [], aaaa: [] }, ...none };
}
