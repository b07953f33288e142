// What every OwnAddressStore must do.

import { expect } from 'expect';
import type { OwnAddressStore } from '../core/domains/served.ts';
import { currentOf, sampleProject } from './projects.ts';
import type { ServedMapWorld } from './served-map.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface OwnAddressWorld extends Pick<ServedMapWorld, 'map' | 'projects' | 'addAccount'> {
  readonly addresses: OwnAddressStore;
}

/** Declares the suite for an adapter. @param make returns an empty store, with projects and an edge map on the same storage; called for each test */
export function ownAddressStoreContract(runner: TestFunction, make: Make<OwnAddressWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'OwnAddressStore contract', options, {
    setUp: async () => {
      const world = await make();
      const project = sampleProject();
      await world.addAccount(project.accountId);
      await world.projects.createProject(project);
      return { ...world, project };
    },
  });

  test('a project is found by its token, while it may be served', async ({ addresses, projects, map, project }) => {
    const { id: projectId, accountId, token, configuration } = project;
    expect(await addresses.projectOf(token)).toEqual({ id: projectId, accountId });
    expect(await addresses.shown(token)).toEqual({ projectId, deploymentId: null, configuration });
    await projects.deploy({ id: 'dpl_1', projectId, createdAt: 0, files: 1, bytes: 1 });
    expect(await addresses.shown(token)).toMatchObject({ deploymentId: 'dpl_1' });
    expect([await addresses.shown('other'), await addresses.projectOf('other')]).toEqual([undefined, undefined]);
    await map.publish(project, async () => undefined);
    expect([await addresses.shown(token), await addresses.projectOf(token)]).toEqual([undefined, undefined]);
    await map.publish(project, currentOf(project));
    expect(await addresses.shown(token)).toMatchObject({ projectId });
    await projects.deleteProject(project, 0);
    expect([await addresses.shown(token), await addresses.projectOf(token)]).toEqual([undefined, undefined]);
  });

  test('certificates are stored by holder; those of deleted projects, or all, can be found and deleted', async ({ addresses, projects, project }) => {
    const other = sampleProject({ accountId: project.accountId });
    await projects.createProject(other);
    await addresses.setCertificate('wildcard', '', 'w');
    for (const { id, token } of [project, other]) {
      await addresses.setCertificate(id, token, 'first');
      await addresses.setCertificate(id, token, 'second');
    }
    expect([await addresses.certificateOf(project.id), await addresses.certificateOf('wildcard'), await addresses.certificateOf('prj_none')]).toEqual(
      ['second', 'w', undefined],
    );
    expect(await addresses.unused(false)).toEqual([]);
    const found = (each: typeof project) => ({ id: each.id, token: each.token });
    expect((await addresses.unused(true)).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      [found(project), found(other)].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    await projects.deleteProject(project, 0);
    expect(await addresses.unused(false)).toEqual([found(project)]);
    await addresses.forget(project.id);
    expect([await addresses.unused(false), await addresses.certificateOf(project.id)]).toEqual([[], undefined]);
  });
}
