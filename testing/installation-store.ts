// What every InstallationStore must do.

import { expect } from 'expect';
import { DAY_MS } from '../core/limits/windows.ts';
import { memberAdded } from '../core/notifications/notification.ts';
import type { NotificationOutbox } from '../core/notifications/ports.ts';
import type { InstallationStore } from '../core/ports.ts';
import type { ProjectStore } from '../core/projects/ports.ts';
import { sampleProject } from './projects.ts';
import { NOON } from './samples.ts';
import { allPages, contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface InstallationWorld {
  readonly installation: InstallationStore;
  readonly outbox: NotificationOutbox;
  readonly projects: ProjectStore;
}

/**
 * Declares the suite for an adapter.
 *
 * @param runner the runner's function that declares a test
 * @param make an installation that nothing was stored in, with its outbox and projects; called for each test
 */
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

  test('projects with more deployments than are kept are found', async ({ installation, projects }) => {
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

  test('what has ended is removed, and nothing else', async ({ installation, outbox }) => {
    await installation.setOutboxOpen(true);
    const [old, fresh] = [memberAdded('acc_1', 'usr_1', NOON), memberAdded('acc_1', 'usr_1', NOON + 3 * DAY_MS)];
    for (const each of [old, fresh]) await outbox.add(each);
    const removed = await installation.removeExpired(NOON + 4 * DAY_MS, () => true);
    expect(Object.values(removed).reduce((sum, count) => sum + count, 0)).toBe(1);
    expect((await outbox.ofAccount('acc_1')).map(({ notification }) => notification.id)).toEqual([fresh.id]);
  });
}
