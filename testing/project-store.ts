// What every ProjectStore must do.

import { expect } from 'expect';
import type { AccountStore } from '../core/access/ports.ts';
import { type FileRemovalStore, MOST_DEPLOYMENTS_LISTED, type ProjectStore } from '../core/projects/ports.ts';
import { makeProject, sampleProject } from './projects.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface ProjectStoreWorld {
  readonly accounts: AccountStore;
  readonly projects: ProjectStore;
  readonly removals: FileRemovalStore;
}

/** Declares the suite for an adapter. @param make returns stores on the same storage; called once */
export function projectStoreContract(runner: TestFunction, make: Make<ProjectStoreWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'ProjectStore contract', options, { setUp: once(make) });

  test('stores a project once by id and token, and finds it', async (stores) => {
    const project = await makeProject(stores);
    expect(await stores.projects.getProject(project.id)).toEqual(project);
    expect(await stores.projects.createProject({ ...project, token: 'another', name: 'Thief' })).toBe(false);
    expect(await stores.projects.createProject({ ...project, id: 'prj_another' })).toBe(false);
    expect(await stores.projects.getProject(project.id)).toEqual(project);
    expect(await stores.projects.getProject('prj_nobody')).toBeUndefined();
  });

  test('stores only one of several concurrent creations with the same token', async (stores) => {
    const { accountId } = await makeProject(stores);
    const rivals = Array.from({ length: 5 }, (_, n) => sampleProject({ accountId, token: `raced-${accountId}`, name: `Rival ${n}` }));
    const created = await Promise.all(rivals.map((project) => stores.projects.createProject(project)));
    expect(created.filter(Boolean)).toHaveLength(1);
    const winner = rivals[created.indexOf(true)];
    expect((await stores.projects.listProjects(accountId)).filter(({ name }) => name.startsWith('Rival'))).toEqual([winner]);
  });

  test('lists projects oldest first, for one account or for all accounts', async (stores) => {
    const first = await makeProject(stores);
    const second = await makeProject(stores, { accountId: first.accountId });
    const other = await makeProject(stores);
    expect(await stores.projects.listProjects(first.accountId)).toEqual([first, second]);
    const all = (await stores.projects.listProjects()).map(({ id }) => id);
    expect(all).toEqual(expect.arrayContaining([first.id, second.id, other.id]));
    expect(all.indexOf(first.id)).toBeLessThan(all.indexOf(other.id));
    expect(await stores.projects.listProjects('acc_nobody')).toEqual([]);
  });

  test('makes a deployment current when it is added, and can make an earlier one current again', async (stores) => {
    const { id: projectId } = await makeProject(stores);
    const deployment = (id: string, createdAt: number) => ({ id, projectId, createdAt, files: 2, bytes: 300 });
    const [one, two] = [deployment(`dpl_${projectId}_1`, NOON), deployment(`dpl_${projectId}_2`, NOON + 1)];
    const current = async () => (await stores.projects.getProject(projectId))?.currentDeploymentId;
    expect(await stores.projects.deploy(one)).toBe(true);
    expect(await current()).toBe(one.id);
    expect(await stores.projects.deploy(two)).toBe(true);
    expect(await current()).toBe(two.id);
    expect(await stores.projects.listDeployments(projectId)).toEqual([two, one]);
    expect(await stores.projects.setCurrentDeployment(projectId, one.id, NOON + 5)).toBe(true);
    expect(await current()).toBe(one.id);
    expect(await stores.projects.getDeployment(one)).toEqual({ ...one, servedAt: NOON + 5 });
    expect(await stores.projects.setCurrentDeployment(projectId, 'dpl_nobody', NOON)).toBe(false);
    const other = await makeProject(stores);
    expect(await stores.projects.setCurrentDeployment(other.id, one.id, NOON)).toBe(false);
    expect(await current()).toBe(one.id);
    expect(await stores.projects.deploy({ ...one, id: 'dpl_lost', projectId: 'prj_nobody' })).toBe(false);
    expect(await stores.projects.listDeployments('prj_nobody')).toEqual([]);
  });

  test('lists the newest deployments of a project that has more than are listed', async (stores) => {
    const { id: projectId } = await makeProject(stores);
    const deployments = Array.from({ length: MOST_DEPLOYMENTS_LISTED + 5 }, (_, n) => ({
      id: `dpl_${projectId}_${(n * 7_919) % 10_007}`,
      projectId,
      createdAt: NOON + n,
      files: 1,
      bytes: 1,
    }));
    for (const deployment of deployments) await stores.projects.deploy(deployment);
    const listed = await stores.projects.listDeployments(projectId);
    expect(listed).toEqual(deployments.toReversed().slice(0, MOST_DEPLOYMENTS_LISTED));
    // A deployment that is no longer listed can still be made current.
    expect(await stores.projects.setCurrentDeployment(projectId, String(deployments[0]?.id), NOON)).toBe(true);
  });

  test('replaces the previous configuration', async (stores) => {
    const { id } = await makeProject(stores);
    const configuration = { domains: { primary: 'a.dev', redirects: [{ from: 'b.dev', to: 'a.dev', status: 301 as const }] } };
    expect(await stores.projects.putConfiguration(id, configuration)).toBe(true);
    expect((await stores.projects.getProject(id))?.configuration).toEqual(configuration);
    expect(await stores.projects.putConfiguration('prj_nobody', configuration)).toBe(false);
    expect(await stores.projects.getProject('prj_nobody')).toBeUndefined();
  });

  test('of several changes or deletions based on the same read, only the first succeeds', async (stores) => {
    const made = await makeProject(stores);
    const { id } = made;
    const { projects } = stores;
    const project = async () => (await projects.getProject(id)) ?? made;
    const redirectTo = (to: string) => ({ domains: { redirects: [{ from: 'b.dev', to, status: 301 as const }] } });
    const read = (await project()).configuration;
    const writes = ['a.dev', 'c.dev', 'd.dev'].map((to) => projects.putConfiguration(id, redirectTo(to), read));
    const stored = await Promise.all(writes);
    expect(stored.filter((each) => each)).toHaveLength(1);
    expect((await project()).configuration).toEqual(redirectTo(['a.dev', 'c.dev', 'd.dev'][stored.indexOf(true)] ?? ''));
    expect(await projects.putConfiguration(id, read, read)).toBe(false);
    // A change to the rest of the project conflicts with changes based on the old project, but not with one based on its configuration.
    const old = await project();
    expect(await projects.rename(id, 'Another', old)).toBe(true);
    expect(await projects.putConfiguration(id, read, old.configuration)).toBe(true);
    expect([await projects.rename(id, 'Third', old), await projects.deleteProject(old, NOON, old)]).toEqual([false, false]);
    const served = { id: `dpl_${id}`, projectId: id, createdAt: NOON, files: 1, bytes: 1 };
    const undeployed = await project();
    await projects.deploy(served);
    expect(await projects.deleteProject(undeployed, NOON, undeployed)).toBe(false);
    expect(await project()).toEqual({ ...undeployed, currentDeploymentId: served.id });
    expect(await projects.deleteProject(undeployed, NOON, await project())).toBe(true);
    expect(await projects.deleteProject(undeployed, NOON, undeployed)).toBe(false);
  });

  test('renames a project', async (stores) => {
    const project = await makeProject(stores);
    expect(await stores.projects.rename(project.id, 'Another')).toBe(true);
    expect(await stores.projects.getProject(project.id)).toEqual({ ...project, name: 'Another' });
    expect(await stores.projects.rename('prj_nobody', 'Another')).toBe(false);
  });

  test('deletes a project with its deployments, and schedules the removal of its files; its token stays reserved', async (stores) => {
    const project = await makeProject(stores);
    const other = await makeProject(stores, { accountId: project.accountId });
    const deployment = { id: `dpl_${project.id}_1`, projectId: project.id, createdAt: NOON, files: 1, bytes: 1 };
    await stores.projects.deploy(deployment);
    expect(await stores.projects.deleteProject(project, NOON)).toBe(true);
    expect(await stores.projects.getProject(project.id)).toBeUndefined();
    expect(await stores.projects.listProjects(project.accountId)).toEqual([other]);
    expect((await stores.projects.listProjects()).map(({ id }) => id)).not.toContain(project.id);
    const removal = { projectId: project.id, deploymentId: undefined, dueAt: NOON, bytes: 0 };
    expect(await stores.removals.ofProject(project.id)).toEqual([removal]);
    await stores.removals.finish(removal);
    expect(await stores.projects.listDeployments(project.id)).toEqual([]);
    expect(await stores.projects.deleteProject(project, NOON)).toBe(false);
    expect(await stores.projects.deploy(deployment)).toBe(false);
    expect(await stores.projects.rename(project.id, 'Back')).toBe(false);
    expect(await stores.projects.putConfiguration(project.id, project.configuration)).toBe(false);
    expect(await stores.projects.createProject({ ...project, id: 'prj_thief' })).toBe(false);
  });

  test('deletes deployments that are not current, and schedules the removal of their files', async (stores) => {
    const { id: projectId } = await makeProject(stores);
    const [old, current] = ['1', '2'].map((n) => ({ id: `dpl_${projectId}_${n}`, projectId, createdAt: NOON, files: 1, bytes: 1 }));
    if (old === undefined || current === undefined) throw new Error('two deployments');
    for (const deployment of [old, current]) await stores.projects.deploy(deployment);
    expect(await stores.projects.deleteDeployment(current, NOON)).toBe(false);
    expect(await stores.projects.deleteDeployment({ ...old, projectId: 'prj_nobody' }, NOON)).toBe(false);
    expect(await stores.projects.deleteDeployment(old, NOON)).toBe(true);
    expect(await stores.projects.deleteDeployment(old, NOON)).toBe(false);
    expect(await stores.projects.listDeployments(projectId)).toEqual([current]);
    expect(await stores.removals.ofProject(projectId)).toEqual([{ projectId, deploymentId: old.id, dueAt: NOON, bytes: 1 }]);
    expect(await stores.projects.setCurrentDeployment(projectId, old.id, NOON)).toBe(false);
    expect((await stores.projects.getProject(projectId))?.currentDeploymentId).toBe(current.id);
  });

  test('pins and unpins deployments, and deletes none that is pinned', async (stores) => {
    const { id: projectId } = await makeProject(stores);
    const [old, current] = ['1', '2'].map((n) => ({ id: `dpl_${projectId}_${n}`, projectId, createdAt: NOON, files: 1, bytes: 1 }));
    if (old === undefined || current === undefined) throw new Error('two deployments');
    for (const deployment of [old, current]) await stores.projects.deploy(deployment);
    expect(await stores.projects.setPinned({ ...old, id: 'dpl_nobody' }, true)).toBe(false);
    expect(await stores.projects.setPinned({ ...old, projectId: 'prj_nobody' }, true)).toBe(false);
    for (let times = 0; times < 2; times += 1) expect(await stores.projects.setPinned(old, true)).toBe(true);
    expect(new Set(await stores.projects.listDeployments(projectId))).toEqual(new Set([{ ...old, pinned: true }, current]));
    expect(await stores.projects.deleteDeployment(old, NOON)).toBe(false);
    expect(await stores.removals.ofProject(projectId)).toEqual([]);
    expect(await stores.projects.setPinned(old, false)).toBe(true);
    expect(await stores.projects.getDeployment(old)).toEqual(old);
    expect(await stores.projects.deleteDeployment(old, NOON)).toBe(true);
    expect(await stores.projects.setPinned(old, true)).toBe(false);
  });

  test('cancels the removal of what is deployed, and deploys nothing whose removal is due or has begun', async (stores) => {
    const { id: projectId } = await makeProject(stores);
    const [kept, late] = ['1', '2'].map((n) => ({ id: `dpl_${projectId}_${n}`, projectId, createdAt: NOON, files: 1, bytes: 1 }));
    if (kept === undefined || late === undefined) throw new Error('two deployments');
    const removalOf = ({ id }: { id: string }) => ({ projectId, deploymentId: id, dueAt: NOON + 1, bytes: 7 });
    for (const deployment of [kept, late]) await stores.removals.schedule({ ...removalOf(deployment), dueAt: NOON });
    expect(await stores.projects.deploy(late, 'upload')).toBe(false);
    for (const deployment of [kept, late]) await stores.removals.schedule(removalOf(deployment));
    expect(await stores.projects.bytesStored(projectId)).toBe(14);
    expect(await stores.projects.deploy(kept, 'upload')).toBe(true);
    expect(await stores.projects.bytesStored(projectId)).toBe(8);
    expect(await stores.removals.begin(removalOf(kept), NOON + 1)).toBeUndefined();
    expect(await stores.removals.begin(removalOf(late), NOON + 1)).toBe(NOON + 1);
    expect(await stores.projects.deploy(late, 'upload')).toBe(false);
    expect((await stores.projects.getProject(projectId))?.currentDeploymentId).toBe(kept.id);
    expect((await stores.removals.ofProject(projectId)).map(({ deploymentId }) => deploymentId)).toEqual([late.id]);
    await stores.removals.finish(removalOf(late));
    expect(await stores.projects.deploy(late, 'upload')).toBe(false);
    expect(await stores.projects.getDeployment(kept)).toEqual(kept);
    expect(await stores.projects.getDeployment(late)).toBeUndefined();
    expect(await stores.projects.getDeployment({ ...kept, projectId: 'prj_nobody' })).toBeUndefined();
  });
}
