// The sweeps in parts: runs that end at any moment, overlap, or meet something that always fails.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import type { CurrentPublication } from '../../core/domains/ports.ts';
import { duePage, parseDuePosition, type SweepStore } from '../../core/domains/queue.ts';
import type { DomainWork, SweepWork } from '../../core/domains/work.ts';
import { type Page, StalePage } from '../../core/page.ts';
import { EMPTY_CONFIGURATION } from '../../core/projects/project.ts';
import { sweep } from '../../service/workflow/sweep.ts';
import { LAST_PAGE_MS, runSweep, type SweepList } from '../../service/workflow/sweep-cycle.ts';
import { sweepOrphans, UNKNOWN_FOR_MS } from '../../service/workflow/sweep-orphans.ts';
import { NOON } from '../../testing/samples.ts';

const HOUR_MS = 3_600_000;
const clock = () => NOON;
let runs = 0;

/** A run with time for so many pages. @param onPage called when a page begins */
function runOf(store: SweepStore, pages: number) {
  runs += 1;
  let left = pages;
  return {
    store,
    id: `run${runs}`,
    clock,
    // Asked once before the first page for the time until which the sweep is taken, and once before and after each page.
    remainingMs: () => (left > 0 ? LAST_PAGE_MS + 1 : LAST_PAGE_MS),
    spend: () => {
      left -= 1;
    },
  };
}

/** Items from 0 to `length` in pages, as a service lists them. */
function pageOf(length: number, size: number, after: string | undefined): Page<number> {
  const start = Number(after ?? 0);
  const items = Array.from({ length: Math.min(size, length - start) }, (_, n) => start + n);
  return { items, next: start + size < length ? String(start + size) : undefined };
}

describe('a sweep in parts', () => {
  test('goes through every list once, wherever its runs end, and counts a whole cycle', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 20 }),
        async (lengths, cuts) => {
          const store = createMemorySweepStore();
          const seen: string[] = [];
          let spend = () => {};
          const lists = lengths.map(
            (length, list): SweepList =>
              async (after) => {
                spend();
                const { items, next } = pageOf(length, 7, after);
                seen.push(...items.map((item) => `${list}/${item}`));
                return { next, counts: { things: items.length } };
              },
          );
          const all = lengths.flatMap((length, list) => Array.from({ length }, (_, n) => `${list}/${n}`));
          for (const pages of [...cuts, 1_000]) {
            const run = runOf(store, pages);
            spend = run.spend;
            const outcome = await runSweep(run, 'edge', lists);
            expect(outcome?.known.things ?? 0).toBe(seen.length);
            expect(outcome?.complete).toBe(seen.length === all.length && outcome?.complete);
            if (outcome?.complete) break;
          }
          expect(seen).toEqual(all);
        },
      ),
    );
  });

  test('repeats only the last page of a run that died, and its counts only once', async () => {
    const store = createMemorySweepStore();
    const seen: number[] = [];
    let dies = true;
    const list: SweepList = async (after) => {
      const { items, next } = pageOf(10, 2, after);
      seen.push(...items);
      if (dies && after === '4') {
        dies = false;
        // The process is gone: nothing is given back.
        return new Promise(() => {});
      }
      return { next, counts: { things: items.length } };
    };
    void runSweep({ ...runOf(store, 9), remainingMs: () => LAST_PAGE_MS + 1 }, 'edge', [list]);
    await new Promise((resolve) => setImmediate(resolve));
    const during = await runSweep(runOf(store, 9), 'edge', [list]);
    expect(during).toBeUndefined();
    const later = { ...runOf(store, 9), clock: () => NOON + LAST_PAGE_MS + 2 };
    expect(await runSweep(later, 'edge', [list])).toEqual({ counted: { things: 6 }, complete: true, known: { things: 10 } });
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9]);
  });

  test('a run that lost the sweep to another one stores nothing more', async () => {
    const store = createMemorySweepStore();
    const list: SweepList = async (after) => {
      // Another run takes over while this one works on its first page for too long.
      if (after === undefined) {
        const late = NOON + 2 * LAST_PAGE_MS;
        await store.take('edge', 'other', late, late + HOUR_MS);
        await store.save('edge', 'other', { last: { things: 99 } }, 0);
        await store.take('edge', 'third', late, late + HOUR_MS);
      }
      return { next: 'more', counts: { things: 1 } };
    };
    expect(await runSweep(runOf(store, 9), 'edge', [list])).toMatchObject({ counted: { things: 1 }, complete: false });
    expect(await store.take('edge', 'fourth', NOON + 9 * HOUR_MS, 0)).toEqual({ last: { things: 99 } });
  });

  test('publishes the last whole cycle while the next one is under way, unless that one has already found more', async () => {
    const store = createMemorySweepStore();
    let stuck = [1, 1, 1, 0];
    const run = async (pages: number) => {
      const each = runOf(store, pages);
      const list: SweepList = async (after) => {
        each.spend();
        const { items, next } = pageOf(stuck.length, 1, after);
        return { next, counts: { stuck: stuck[items[0] ?? 0] ?? 0 } };
      };
      const { known, complete } = (await runSweep(each, 'domains', [list])) ?? {};
      return [known?.stuck ?? 0, complete];
    };
    expect([await run(2), await run(9)]).toEqual([
      [2, false],
      [3, true],
    ]);
    stuck = [0, 0, 0, 1];
    expect([await run(1), await run(2), await run(9)]).toEqual([
      [3, false],
      [3, false],
      [1, true],
    ]);
    stuck = [1, 1, 1, 1];
    expect([await run(2), await run(9)]).toEqual([
      [2, false],
      [4, true],
    ]);
  });

  test('begins a list again that can not be continued, and counts it once; other faults end the run where it is', async () => {
    const store = createMemorySweepStore();
    let failing: Error | undefined = new StalePage('forgotten');
    const list: SweepList = async (after) => {
      if (after === '3' && failing !== undefined) {
        const error = failing;
        failing = undefined;
        throw error;
      }
      const { items, next } = pageOf(6, 3, after);
      return { next, counts: { things: items.length } };
    };
    expect((await runSweep(runOf(store, 99), 'edge', [list]))?.known).toEqual({ things: 6 });
    failing = new Error('no answer');
    await expect(runSweep(runOf(store, 99), 'edge', [list])).rejects.toThrow('no answer');
    expect(await runSweep(runOf(store, 99), 'edge', [list])).toMatchObject({ counted: { things: 3 }, known: { things: 6 }, complete: true });
  });

  test('only continues if it is to begin nothing', async () => {
    const store = createMemorySweepStore();
    const list: SweepList = async (after) => ({ next: after === undefined ? 'more' : undefined, counts: { pages: 1 } });
    const [idle, first] = await Promise.all([
      runSweep(runOf(store, 9), 'edge', [list], { onlyContinue: true }),
      runSweep(runOf(store, 9), 'edge', [list]),
    ]);
    expect([idle, first?.complete]).toEqual([undefined, true]);
    const short = runOf(store, 1);
    await runSweep(short, 'edge', [
      async (after) => {
        short.spend();
        return list(after, { lastStartedAt: undefined, startedAt: NOON });
      },
    ]);
    expect(await runSweep(runOf(store, 9), 'edge', [list], { onlyContinue: true })).toMatchObject({ complete: true, known: { pages: 2 } });
  });
});

describe('the sweep of domains', () => {
  const due = (n: number, late: number) =>
    ({ id: `dom_${String(n).padStart(4, '0')}`, state: { name: 'verifying', since: 0, checks: 0, nextCheckAt: NOON - late } }) as Domain;

  /** @param domains all of them stay due */
  function workOn(domains: readonly Domain[], restart: SweepWork['restart']): SweepWork {
    const sorted = domains.toSorted((a, b) => positionOf(a).localeCompare(positionOf(b)));
    return {
      clock,
      restart,
      domains: {
        dueDomains: async (_now: number, limit: number, after?: string) => {
          const { wakeAt, id } = parseDuePosition(after);
          const from = sorted.filter((each) => after === undefined || positionOf(each) > `${wakeAt} ${id}`);
          return duePage(from.slice(0, limit), limit);
        },
      },
    } as unknown as SweepWork;
  }
  const positionOf = ({ id, state }: Domain) => `${'nextCheckAt' in state ? state.nextCheckAt : 0} ${id}`;

  test('hundreds of domains that always fail, and wait longest, do not delay the others, and are counted', async () => {
    const poisoned = Array.from({ length: 700 }, (_, n) => due(n, 2 * HOUR_MS));
    const others = Array.from({ length: 300 }, (_, n) => due(1_000 + n, HOUR_MS / 2));
    const restarted: string[] = [];
    const faults: string[] = [];
    let atOnce = 0;
    let most = 0;
    const work = workOn([...others, ...poisoned], async ({ id }) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      if (id < 'dom_1000') throw new Error('poisoned');
      restarted.push(id);
    });
    const report = await sweep(work, runOf(createMemorySweepStore(), 1_000), (_, { id }) => faults.push(id));
    expect(report).toMatchObject({ restarted: 300, stuck: 700, failed: 700, complete: true, known: { stuck: 700 } });
    expect([restarted.length, faults.length, most]).toEqual([300, 700, 16]);
  });
});

test('a sweep that is due once a day begins no sooner, but goes on with what it has begun', async () => {
  const store = createMemorySweepStore();
  const list: SweepList = async (after) => ({ next: after === undefined ? 'second' : undefined, counts: { pages: 1 } });
  const runAt = (now: number, pages: number, everyMs: number) => {
    const run = { ...runOf(store, pages), clock: () => now };
    const counting: SweepList = (after, cycle) => {
      run.spend();
      return list(after, cycle);
    };
    return runSweep(run, 'edge', [counting], { everyMs });
  };
  expect(await runAt(NOON, 1, 24 * HOUR_MS)).toMatchObject({ complete: false });
  expect(await runAt(NOON + HOUR_MS, 1, 24 * HOUR_MS)).toMatchObject({ complete: true, known: { pages: 2 } });
  expect(await runAt(NOON + 23 * HOUR_MS, 2, 24 * HOUR_MS)).toBeUndefined();
  expect(await runAt(NOON + 23 * HOUR_MS, 2, 0)).toMatchObject({ complete: true });
  expect(await runAt(NOON + 47 * HOUR_MS, 2, 24 * HOUR_MS)).toMatchObject({ complete: true });
});

describe('the sweep of the edge', () => {
  test('continues with the rest if something can be neither checked nor deleted', async () => {
    const detached: string[] = [];
    const faults: unknown[] = [];
    const work = {
      clock,
      domains: {
        claimsOf: async (host: string) => {
          if (host === 'h1.dev') throw new Error('unreadable');
          return [];
        },
        getDomain: async () => undefined,
      },
      projects: { getProject: async () => undefined },
      authority: { release: async () => {} },
      edge: {
        entries: async () => ({ items: ['h0.dev', 'h1.dev', 'h2.dev', 'h3.dev'].map((host) => ({ host, projectId: 'prj_1' })), next: undefined }),
        publish: async (_project: object, _current: object, [host = '']: string[]) => {
          if (host === 'h2.dev') throw new Error('poisoned');
          detached.push(host);
        },
        made: async () => ({
          items: [
            { id: 'dom_1', host: 'h1.dev' },
            { id: 'dom_2', host: 'h2.dev' },
          ],
          next: undefined,
        }),
        release: async ({ id }: { id: string }) => {
          if (id === 'dom_1') throw new Error('poisoned');
          return true;
        },
      },
    } as unknown as DomainWork;
    const store = createMemorySweepStore();
    const onFault = (error: unknown) => faults.push(error);
    expect(await sweepOrphans(work, runOf(store, 9), { onFault })).toMatchObject({ tenants: 2, orphans: 0, unknown: 5, failed: 1 });
    const later = { ...runOf(store, 9), clock: () => NOON + UNKNOWN_FOR_MS };
    expect(await sweepOrphans({ ...work, clock: later.clock }, later, { onFault })).toMatchObject({ orphans: 5, unknown: 0, failed: 3 });
    expect([detached, faults.length]).toEqual([['h0.dev', 'h3.dev'], 4]);
  });

  test('reads a project once for all of its hosts on a page, however many there are', async () => {
    const hosts = Array.from({ length: 500 }, (_, n) => `h${n}.dev`);
    let reads = 0;
    const work = {
      clock,
      accounts: { getAccount: async (id: string) => ({ id, plan: 'pro' }) },
      domains: {
        listDomains: async (projectId: string) => {
          reads += 1;
          return hosts.map((host) => ({ ...newDomain({ id: host, host, projectId, accountId: 'acc_1' }, NOON), state: { name: 'live' } }));
        },
      },
      projects: { getProject: async (id: string) => ({ id, accountId: 'acc_1', currentDeploymentId: 'dpl_1', configuration: EMPTY_CONFIGURATION }) },
      edge: {
        entries: async (after?: string) =>
          after === undefined
            ? { items: hosts.map((host) => ({ host, projectId: 'prj_1' })), next: 'more' }
            : { items: [{ host: 'h0.dev', projectId: 'prj_1' }], next: undefined },
        made: async () => ({ items: [], next: undefined }),
      },
      authority: { made: async () => ({ items: [], next: undefined }) },
    } as unknown as DomainWork;
    const onFault = (error: unknown) => {
      throw error;
    };
    expect(await sweepOrphans(work, runOf(createMemorySweepStore(), 9), { onFault })).toMatchObject({ mended: 0, failed: 0, complete: true });
    expect(reads).toBe(2);
  });

  test('gives projects from before their targets, removes old deployments, and removes what is there for projects that are gone', async () => {
    const published: string[] = [];
    const saved: Domain[] = [];
    const ended = { ...newDomain({ id: 'dom_1', host: 'a.dev', projectId: 'prj_here', accountId: 'acc_here' }, NOON), generation: 1 };
    const states = [
      { name: 'certificate_failed', since: NOON, failure: 'rate_limited', detail: 'too many' },
      { name: 'certificate_failed', since: NOON, failure: 'name_refused', detail: 'no' },
      { name: 'dns_failed', since: NOON, diagnosis: undefined },
      { name: 'dns_failed', since: NOON, diagnosis: undefined, checks: 170, nextCheckAt: NOON + 9 },
    ] as const;
    let deployments = Array.from({ length: 25 }, (_, n) => ({ id: `dpl_${25 - n}`, createdAt: NOON - n }));
    const work = {
      clock,
      accounts: {
        getAccount: async (id: string) => ({ id, plan: 'pro', ...(id === 'acc_stopped' && { suspension: { since: NOON, reason: 'not paid' } }) }),
      },
      domains: {
        listDomains: async (id: string) => (id === 'prj_here' ? states.map((state) => ({ ...ended, state })) : []),
        saveDomain: async (domain: Domain) => void saved.push(domain),
      },
      projects: {
        getProject: async (id: string) =>
          id === 'prj_gone'
            ? undefined
            : { id, accountId: id.replace('prj', 'acc'), token: 'here', currentDeploymentId: 'dpl_25', configuration: EMPTY_CONFIGURATION },
        listDeployments: async () => deployments,
        deleteDeployment: async ({ id }: { id: string }) => {
          deployments = deployments.filter((each) => each.id !== id);
          return true;
        },
      },
      authority: { release: async () => {} },
      edge: {
        entries: async () => ({
          items: [
            { host: undefined, projectId: 'prj_here' },
            { host: 'here.edge.test', isTarget: true, projectId: 'prj_here' },
            { host: undefined, projectId: 'prj_stopped' },
            { host: undefined, projectId: 'prj_gone' },
            { host: 'gone.edge.test', isTarget: true, projectId: 'prj_gone' },
          ],
          next: undefined,
        }),
        publish: async ({ id }: { id: string }, current: CurrentPublication, hosts: string[] = []) => {
          const what = (await current()) === undefined ? 'nothing' : deployments.length;
          published.push([id, what, ...hosts].join(' '));
        },
        made: async () => ({ items: [], next: undefined }),
      },
    } as unknown as DomainWork;
    const store = createMemorySweepStore();
    const onFault = (error: unknown) => {
      throw error;
    };
    expect(await sweepOrphans(work, runOf(store, 9), { onFault })).toMatchObject({ orphans: 0, unknown: 2, mended: 1, failed: 0 });
    // What earlier versions had given up goes on.
    expect(saved.map(({ state }) => state)).toEqual([
      { name: 'certificate_pending', since: NOON, checks: 1, nextCheckAt: NOON, late: true },
      { ...states[1], checks: 1, nextCheckAt: NOON },
      { ...states[2], checks: 166, nextCheckAt: NOON },
    ]);
    // The edge may still serve an old deployment, so it is told first which one is current.
    expect(deployments.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `dpl_${25 - n}`));
    expect(published.toSorted()).toEqual(['prj_here 15', 'prj_here 25', 'prj_here 25', 'prj_stopped nothing']);
    published.length = 0;
    const later = { ...runOf(store, 9), clock: () => NOON + UNKNOWN_FOR_MS };
    expect(await sweepOrphans({ ...work, clock: later.clock }, later, { onFault })).toMatchObject({ orphans: 2, unknown: 0, failed: 0 });
    expect(published.toSorted()).toEqual(['prj_gone nothing', 'prj_gone nothing gone.edge.test', 'prj_stopped nothing']);
  });
});
