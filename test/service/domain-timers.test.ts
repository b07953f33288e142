// The domain timers when a step fails, and when the clock is set back.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import { EMPTY_CONFIGURATION } from '../../core/projects/project.ts';
import { startDomainTimers, type TimedWork } from '../../service/workflow/timers.ts';
import { sampleProject } from '../../testing/projects.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { makeInstallation } from '../support/folders.ts';
import { runProgram } from '../support/processes.ts';
import { emptyEdge } from '../support/sweeps.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a domain whose step failed is retried after 5 s, even if the clock is set back in between', async () => {
  let now = NOON;
  const tries: number[] = [];
  const faults: unknown[] = [];
  const failing = {
    clock: () => now,
    domains: {
      queuedDomains: async ({ except }: { except: string[] }) => (except.includes('dom_1') ? [] : [{ id: 'dom_1', accountId: 'acc_1' } as Domain]),
      getDomain: async () => {
        tries.push(Date.now());
        throw new Error('storage is away');
      },
    },
    edge: emptyEdge,
    authority: {},
    sweeps: createMemorySweepStore(),
  } as unknown as TimedWork;
  const timers = startDomainTimers(failing, (error) => faults.push(error));
  await vi.advanceTimersByTimeAsync(300);
  now -= 400 * 86_400_000;
  await vi.advanceTimersByTimeAsync(4_500);
  expect(tries).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tries).toHaveLength(2);
  expect(faults).toHaveLength(2);
  await timers.stop();
});

test('while storage is away, it is asked every 5 s, with a fault each time', async () => {
  const faults: unknown[] = [];
  const queuedDomains = async () => {
    throw new Error('storage is away');
  };
  const away = { clock: Date.now, domains: { queuedDomains }, edge: emptyEdge, authority: {}, sweeps: createMemorySweepStore() };
  const timers = startDomainTimers(away as unknown as TimedWork, (error) => faults.push(error));
  await vi.advanceTimersByTimeAsync(12_000);
  expect(faults).toHaveLength(3);
  await timers.stop();
});

test('a domain that another process has is left to it; one that is worked on is given back', async () => {
  const [looked, released]: [string[], string[]] = [[], []];
  const domains = {
    queuedDomains: async () => ['dom_theirs', 'dom_ours'].map((id) => ({ id, accountId: 'acc_1' }) as Domain),
    claim: async (id: string) => id === 'dom_ours',
    release: async (id: string) => void released.push(id),
    getDomain: async (id: string) => void looked.push(id),
  };
  const work = { clock: Date.now, domains, edge: emptyEdge, authority: {}, sweeps: createMemorySweepStore() };
  const timers = startDomainTimers(work as unknown as TimedWork, (error) => expect.fail(String(error)));
  await vi.advanceTimersByTimeAsync(1_000);
  await timers.stop();
  expect([new Set(looked), new Set(released)]).toEqual([new Set(['dom_ours']), new Set(['dom_ours'])]);
});

test.each([
  [[], 0],
  [['--stray'], 3],
])('a step that throws in a callback fails alone; a fault outside any step ends the process (%j)', async (args, code) => {
  vi.useRealTimers();
  const finished = await runProgram('throwing-steps.ts', args);
  const [line = '', stray] = finished.stdout.trim().split('\n');
  expect([finished.code, stray]).toEqual([code, code === 0 ? undefined : 'stray: of nobody']);
  expect(JSON.parse(line)).toEqual({
    seen: ['good', 'late', 'rejection', 'socket', 'timer'],
    faults: expect.arrayContaining(['late', 'rejection', 'socket', 'timer']),
  });
});

test('steps that an owner waits for are not delayed by any number of silent domains', async () => {
  vi.useRealTimers();
  const folder = makeInstallation();
  const stores = openSqliteStores(folder.path);
  const now = Date.now();
  const addDomain = async (id: string, checks: number, index: number) => {
    const account = sampleAccount(undefined, now);
    const project = {
      id: `prj_${index}`,
      accountId: account.id,
      name: 'A',
      token: `t${index}`,
      createdAt: now,
      currentDeploymentId: undefined,
      configuration: EMPTY_CONFIGURATION,
    };
    await stores.accounts.createAccount(account);
    await stores.projects.createProject(project);
    const added = newDomain({ id, host: `${index}.dev`, projectId: project.id, accountId: account.id }, now);
    const waiting = { since: now - 9_000, checks, nextCheckAt: now - 5_000 + checks };
    await stores.domains.addDomain({ ...added, state: { name: 'verifying', diagnosis: undefined, ...waiting } });
  };
  for (let index = 0; index < 200; index += 1) await addDomain(`dom_silent${index}`, 1, index);
  await addDomain('dom_honest', 0, 200);

  const looked: string[] = [];
  const honest = Promise.withResolvers<void>();
  const work = {
    clock: Date.now,
    domains: {
      queuedDomains: stores.domains.queuedDomains,
      getDomain: async (id: string) => {
        looked.push(id);
        if (id === 'dom_honest') honest.resolve();
        // Silent for longer than the test takes.
        else await new Promise((resolve) => setTimeout(resolve, 600_000).unref());
        return undefined;
      },
    },
    edge: emptyEdge,
    authority: {},
    sweeps: createMemorySweepStore(),
  } as unknown as TimedWork;
  startDomainTimers(work, () => {});
  await honest.promise;
  expect(looked.filter((id) => id !== 'dom_honest').length).toBeLessThan(50);
});

test('3,001 late domains of one account take their share, and the account that comes after them its own', async () => {
  const folder = makeInstallation();
  const stores = openSqliteStores(folder.path, { accountsElsewhere: true });
  const now = Date.now();
  const addLate = async (id: string, accountId: string, at: number) => {
    const live = { name: 'live', since: 0, certificate: 'r', misses: 0, nextCheckAt: at } as const;
    await stores.domains.addDomain({ ...newDomain({ id, host: `${id}.dev`, projectId: `prj_${accountId}`, accountId }, 0), state: live });
  };
  for (const accountId of ['acc_many', 'acc_other'])
    await stores.projects.createProject(sampleProject({ id: `prj_${accountId}`, accountId, token: accountId }));
  for (let index = 0; index < 3_001; index += 1) await addLate(`dom_${index}`, 'acc_many', now - 9_000_000 + index);
  await addLate('dom_other', 'acc_other', now - 1_000);
  const done = stores.database.prepare('UPDATE domains SET wake_at = NULL WHERE id = ?');
  const seconds = new Map<string, number>();
  const work = {
    clock: Date.now,
    domains: {
      queuedDomains: stores.domains.queuedDomains,
      // A look that takes a second, as one at name servers far away.
      getDomain: async (id: string) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        seconds.set(id, (Date.now() - now) / 1_000);
        done.run(id);
        return undefined;
      },
    },
    edge: emptyEdge,
    authority: {},
    sweeps: createMemorySweepStore(),
  } as unknown as TimedWork;
  const timers = startDomainTimers(work, (error) => expect.fail(String(error)));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(seconds.get('dom_other')).toBeLessThan(2);
  await vi.advanceTimersByTimeAsync(3_001_000 / 40);
  expect(seconds.size).toBe(3_002);
  await timers.stop();
  stores.close();
  folder.remove();
});
