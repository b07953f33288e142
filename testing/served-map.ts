// What every ServedMap must do: it is an EdgeMap that an edge queries.

import { expect } from 'expect';
import type { ServedMap } from '../core/domains/served.ts';
import type { ProjectStore } from '../core/projects/ports.ts';
import { edgeMapContract } from './edge-map.ts';
import { currentOf, sampleProject } from './projects.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface ServedMapWorld {
  readonly map: ServedMap;
  /** Returns another process's map of the same edge. */
  another(): ServedMap;
  /** Adds an account, if the map's projects need one. */
  addAccount(accountId: string): Promise<void>;
  readonly projects: ProjectStore;
  /** Called after each test. @default there is nothing to stop */
  stop?(): Promise<void>;
}

/** Declares the suite for an adapter, with EdgeMap's. @param make returns an empty map, and projects on the same storage; called for each test */
export function servedMapContract(runner: TestFunction, make: Make<ServedMapWorld>, options: SuiteOptions = {}): void {
  const storeIn =
    ({ projects, addAccount }: ServedMapWorld) =>
    async (project: ReturnType<typeof sampleProject>) => {
      const { id, accountId, configuration, currentDeploymentId: deploymentId } = project;
      if ((await projects.getProject(id)) === undefined) {
        await addAccount(accountId);
        await projects.createProject({ ...project, currentDeploymentId: undefined });
      }
      await projects.putConfiguration(id, configuration);
      if (deploymentId === undefined || (await projects.setCurrentDeployment(id, deploymentId, 0))) return;
      await projects.deploy({ id: deploymentId, projectId: id, createdAt: 0, files: 1, bytes: 1 });
    };

  edgeMapContract(
    runner,
    async () => {
      const world = await make();
      const { map } = world;
      return {
        map,
        store: storeIn(world),
        another: world.another,
        serve: async ({ host, projectId }, current) => {
          if (!(await current())?.hosts.includes(host)) return;
          await map.set(host, { projectId, certificate: 'development:1' });
          await map.publish({ id: projectId }, current, [host]);
        },
        ask: (hosts) =>
          Promise.all(
            hosts.map(async (host) => {
              const shown = await map.shown(host);
              if (shown === undefined) return { kind: 'refused' };
              const { projectId, deploymentId, configuration } = shown;
              const redirect = configuration.domains.redirects.find(({ from }) => from === host);
              if (redirect !== undefined && (await map.get(redirect.to))?.projectId === projectId)
                return { kind: 'redirect', to: redirect.to, status: redirect.status };
              return deploymentId === null ? { kind: 'nothing_published' } : { kind: 'page', projectId, deploymentId };
            }),
          ),
        ...(world.stop !== undefined && { stop: world.stop }),
      };
    },
    { ...(options.name !== undefined && { name: options.name }), declares: ['projects'] },
  );

  const test = contractSuite(runner, 'ServedMap contract', options, { setUp: make, tearDown: ({ stop }) => stop?.() });

  test('a host has the certificate that was set last, for its project, until it is refused', async (world) => {
    const { map } = world;
    const project = sampleProject({ currentDeploymentId: 'dpl_1' });
    await storeIn(world)(project);
    for (const certificate of ['development:1', 'development:2']) {
      await map.set('www.shop.dev', { projectId: project.id, certificate });
      expect(await world.another().get('www.shop.dev')).toEqual({ projectId: project.id, certificate });
    }
    await map.publish(project, currentOf(project, ['www.shop.dev']), ['www.shop.dev']);
    expect((await map.get('www.shop.dev'))?.certificate).toBe('development:2');
    await map.publish(project, currentOf(project, []), ['www.shop.dev']);
    expect([await map.get('www.shop.dev'), await map.shown('www.shop.dev')]).toEqual([undefined, undefined]);
  });
}
