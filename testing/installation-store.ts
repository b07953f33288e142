// What every InstallationStore must do.

import { expect } from 'expect';
import type { AccountStore } from '../core/access/ports.ts';
import { type DomainState, newDomain } from '../core/domains/domain.ts';
import type { DomainStore } from '../core/domains/ports.ts';
import { DAY_MS, HOUR_MS } from '../core/limits/windows.ts';
import { memberAdded } from '../core/notifications/notification.ts';
import type { NotificationOutbox } from '../core/notifications/ports.ts';
import type { InstallationStore } from '../core/ports.ts';
import type { FileRemovalStore, ProjectStore } from '../core/projects/ports.ts';
import { makeProject, sampleProject } from './projects.ts';
import { NOON } from './samples.ts';
import { allPages, contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface InstallationWorld {
  readonly installation: InstallationStore;
  readonly outbox: NotificationOutbox;
  readonly projects: ProjectStore;
  readonly accounts: AccountStore;
  readonly domains: DomainStore;
  readonly removals: FileRemovalStore;
}

/** Declares the suite for an adapter. @param make returns an empty installation, with its outbox and projects; called for each test */
export function installationStoreContract(runner: TestFunction, make: Make<InstallationWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'InstallationStore contract', options, { setUp: make });

  test('all hosts get the same keys, those that were stored first', async ({ installation }) => {
    expect(await installation.keys('sign-in')).toBeUndefined();
    const [one, ...others] = await Promise.all(['1', '2', '3', '4'].map((fresh) => installation.keys('sign-in', fresh)));
    expect([...others, await installation.keys('sign-in'), await installation.keys('sign-in', '5')]).toEqual(Array(5).fill(one));
    expect(await installation.keys('other')).toBeUndefined();
  });

  test('the outbox is closed until it is opened, and empty once it is closed', async ({ installation, outbox }) => {
    const notification = memberAdded('acc_1', 'usr_1', NOON);
    expect(await outbox.add(notification)).toBe(false);
    for (let times = 0; times < 2; times += 1) await installation.setOutboxOpen(true);
    expect([await outbox.add(notification), (await outbox.due(NOON, 9)).length]).toEqual([true, 1]);
    await installation.setOutboxOpen(false);
    expect([await outbox.add(notification), await outbox.due(NOON, 9)]).toEqual([false, []]);
  });

  test('finds projects with more deployments than are kept', async ({ installation, projects }) => {
    const many = Array.from({ length: 3 }, () => sampleProject({ accountId: 'acc_1' }));
    for (const [index, project] of many.entries()) {
      await projects.createProject(project);
      for (let n = 0; n <= index; n += 1)
        await projects.deploy({ id: `dpl_${project.id}_${n}`, projectId: project.id, createdAt: n, files: 1, bytes: 1 });
    }
    const found = await allPages((after) => installation.crowdedProjects(1, after));
    expect(found.toSorted()).toEqual(
      many
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test('reports what is due, which domains there are, and who waits for a decision', async (world) => {
    const { installation, accounts, domains, outbox, removals } = world;
    expect(await installation.dueItems(NOON)).toEqual({
      domains: { count: 0, since: undefined },
      notifications: { count: 0, since: undefined },
      file_removals: { count: 0, since: undefined },
    });
    const project = await makeProject(world);
    const add = async (n: number, state: DomainState, notAfter?: number) => {
      const domain = newDomain({ id: `dom_${n}`, host: `h${n}.example`, projectId: project.id, accountId: project.accountId }, NOON);
      await domains.addDomain(domain);
      const certificate = notAfter === undefined ? {} : { certificate: { notBefore: NOON, notAfter } };
      expect(await domains.saveDomain({ ...domain, state, ...certificate }, domain)).toBe('saved');
    };
    const waiting = { since: NOON, checks: 0, diagnosis: undefined };
    const served = { since: NOON, certificate: 'ref', misses: 0 };
    await add(1, { name: 'verifying', ...waiting, nextCheckAt: NOON - 5 });
    await add(2, { name: 'live', ...served, nextCheckAt: NOON - 9 }, NOON + HOUR_MS / 2);
    await add(3, { name: 'live', ...served, nextCheckAt: NOON + 1 }, NOON + DAY_MS);
    // The certificate of a domain that is not served does not matter.
    await add(4, { name: 'suspended', since: NOON, reason: 'plan' }, NOON);
    await removals.schedule({ projectId: project.id, deploymentId: 'dpl_1', dueAt: NOON, bytes: 1 });
    await installation.setOutboxOpen(true);
    await outbox.add(memberAdded('acc_1', 'usr_1', NOON + 1));
    expect(await installation.dueItems(NOON)).toEqual({
      domains: { count: 2, since: NOON - 9 },
      notifications: { count: 0, since: undefined },
      file_removals: { count: 1, since: NOON },
    });
    const { byState, byExpiry } = await installation.domainCounts();
    expect([byState.get('live'), byState.get('verifying'), byState.get('suspended'), byState.get('removed') ?? 0]).toEqual([2, 1, 1, 0]);
    expect(byExpiry).toEqual([
      { at: NOON, domains: 1 },
      { at: NOON + DAY_MS, domains: 1 },
    ]);
    const request = { plan: 'pro', note: '', requestedBy: 'usr_1', requestedAt: NOON } as const;
    await accounts.setPlanRequest(project.accountId, request);
    expect(await installation.openPlanRequests()).toBe(1);
    await accounts.setPlanRequest(project.accountId, { ...request, decision: { approved: true, reason: '', at: NOON } });
    expect(await installation.openPlanRequests()).toBe(0);
  });

  test('what has expired is removed, and nothing else', async ({ installation, outbox }) => {
    await installation.setOutboxOpen(true);
    const [old, fresh] = [memberAdded('acc_1', 'usr_1', NOON), memberAdded('acc_1', 'usr_1', NOON + 3 * DAY_MS)];
    for (const each of [old, fresh]) await outbox.add(each);
    const removed = await installation.removeExpired(NOON + 4 * DAY_MS, () => true);
    expect(Object.values(removed).reduce((sum, count) => sum + count, 0)).toBe(1);
    expect((await outbox.ofAccount('acc_1')).map(({ notification }) => notification.id)).toEqual([fresh.id]);
  });
}
