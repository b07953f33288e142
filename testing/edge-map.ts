// What every EdgeMap must do, as seen by requests at the edge.

import { expect } from 'expect';
import type { EdgeMap, MapEntry } from '../core/domains/ports.ts';
import type { Project } from '../core/projects/project.ts';
import { allPages } from './pages.ts';
import { nextNumber, sampleProject } from './projects.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

/** The answer to a request for a host's start page: `page` names the published content. */
export type Answer =
  | { readonly kind: 'page'; readonly projectId: string; readonly deploymentId: string }
  | { readonly kind: 'redirect'; readonly to: string; readonly status: number }
  | { readonly kind: 'nothing_published' }
  | { readonly kind: 'refused' };

export interface EdgeMapWorld {
  readonly map: EdgeMap;
  /** Stores the project, with the files of its deployment. */
  store(project: Project): Promise<void>;
  /** Serves a host for a stored project, which a domain's workflow does first. */
  serve(project: Project, host: string): Promise<void>;
  /** Sends one request to each host. */
  ask(hosts: readonly string[]): Promise<readonly Answer[]>;
  /** Called after each test. @default nothing is to stop */
  stop?(): Promise<void>;
}

const GAPS = ['forget', 'bytes'] as const;

/**
 * - `forget`: nothing is stored for a project besides its hosts, so the map lacks the method.
 * - `bytes`: the size of what is stored is not limited, so the map lacks the method. Not tested if `forget` is declared.
 */
export type EdgeMapGap = (typeof GAPS)[number];

/**
 * Declares the suite for an adapter.
 *
 * @param runner the runner's function that declares a test
 * @param make a map with the edge that reads it; called for each test
 */
export function edgeMapContract(runner: TestFunction, make: Make<EdgeMapWorld>, options: SuiteOptions<EdgeMapGap> = {}): void {
  async function setUp() {
    const world = await make();
    const { map } = world;
    return {
      ...{ world, map },
      makeProject: async (fields: Partial<Project> = {}): Promise<Project> => {
        const project = sampleProject({ currentDeploymentId: `dpl_${nextNumber()}`, ...fields });
        await world.store(project);
        return project;
      },
      publish: async (project: Project, hosts: readonly string[]): Promise<void> => {
        await world.store(project);
        await map.publish(project, hosts);
      },
    };
  }
  const test = contractSuite(runner, 'EdgeMap contract', options, { setUp, tearDown: ({ world }) => world.stop?.(), gaps: GAPS });

  const declared = (gap: EdgeMapGap) => options.declares?.includes(gap) ?? false;

  test('an unknown host is refused', async ({ world }) => {
    expect(await world.ask([newHost()])).toEqual([refused]);
  });

  test("a published deployment is served from the next request on, on all of the project's hosts; publishing can be repeated", async ({
    world,
    makeProject,
    publish,
  }) => {
    const [project, other] = [await makeProject(), await makeProject()];
    const [one, two, theirs] = [newHost(), newHost(), newHost()];
    for (const host of [one, two]) await world.serve(project, host);
    await world.serve(other, theirs);
    expect(await world.ask([one, two, theirs])).toEqual([pageOf(project), pageOf(project), pageOf(other)]);
    const next = { ...project, currentDeploymentId: `dpl_${nextNumber()}` };
    for (let times = 0; times < 2; times += 1) {
      await publish(next, [one, two]);
      expect(await world.ask([one, two, theirs])).toEqual([pageOf(next), pageOf(next), pageOf(other)]);
    }
    // This is the earlier deployment again.
    await publish(project, [one, two]);
    expect(await world.ask([one, two])).toEqual([pageOf(project), pageOf(project)]);
  });

  test('a project without a deployment shows no page until its first deployment', async ({ world, makeProject, publish }) => {
    const project = await makeProject({ currentDeploymentId: undefined });
    const host = newHost();
    await world.serve(project, host);
    expect(await world.ask([host])).toEqual([{ kind: 'nothing_published' }]);
    const next = { ...project, currentDeploymentId: `dpl_${nextNumber()}` };
    await publish(next, [host]);
    expect(await world.ask([host])).toEqual([pageOf(next)]);
  });

  test("redirects are published and removed, and lead only to the project's served hosts", async ({ world, map, makeProject, publish }) => {
    const project = await makeProject();
    const [from, to] = [newHost(), newHost()];
    for (const host of [from, to]) await world.serve(project, host);
    const redirecting = { ...project, configuration: { domains: { redirects: [{ from, to, status: 308 as const }] } } };
    await publish(redirecting, [from, to]);
    expect(await world.ask([from, to])).toEqual([{ kind: 'redirect', to, status: 308 }, pageOf(project)]);
    await map.detach({ host: to, projectId: project.id });
    expect(await world.ask([from, to])).toEqual([pageOf(project), refused]);
    await publish(project, [from]);
    await world.serve(project, to);
    expect(await world.ask([from, to])).toEqual([pageOf(project), pageOf(project)]);
  });

  test('a detached host is refused from the next request on, and other hosts are not; detaching can be repeated', async ({
    world,
    map,
    makeProject,
  }) => {
    const project = await makeProject();
    const [gone, left] = [newHost(), newHost()];
    for (const host of [gone, left]) await world.serve(project, host);
    for (let times = 0; times < 2; times += 1) {
      await map.detach({ host: gone, projectId: project.id });
      expect(await world.ask([gone, left])).toEqual([refused, pageOf(project)]);
    }
  });

  test('detaching leaves a host that now belongs to another project', async ({ world, map, makeProject }) => {
    const [before, now] = [await makeProject(), await makeProject()];
    const host = newHost();
    await world.serve(before, host);
    await world.serve(now, host);
    await map.detach({ host, projectId: before.id });
    expect(await world.ask([host])).toEqual([pageOf(now)]);
  });

  test('detaching leaves a host that moves to another project meanwhile', async ({ world, map, makeProject }) => {
    const [before, now] = [await makeProject(), await makeProject()];
    const host = newHost();
    await world.serve(before, host);
    await Promise.all([map.detach({ host, projectId: before.id }), world.serve(now, host)]);
    expect(await world.ask([host])).toEqual([pageOf(now)]);
  });

  test('every concurrent change is applied', async ({ world, makeProject }) => {
    const projects = [await makeProject(), await makeProject(), await makeProject(), await makeProject()];
    const hosts = projects.map(newHost);
    await Promise.all(projects.map((project, n) => world.serve(project, String(hosts[n]))));
    expect(await world.ask(hosts)).toEqual(projects.map(pageOf));
  });

  test('more hosts than fit in one write are published, and listed with their projects', async ({ world, map, makeProject, publish }) => {
    const listed = async () =>
      (await allPages((after) => map.entries(after))).filter(({ host, isTarget }) => host !== undefined && isTarget !== true);
    const before = await listed();
    const project = await makeProject();
    const hosts = Array.from({ length: 60 }, newHost);
    for (const host of hosts) await world.serve(project, host);
    const [to = '', from = ''] = [hosts[0], hosts.at(-1)];
    await publish({ ...project, configuration: { domains: { redirects: [{ from, to, status: 301 }] } } }, hosts);
    expect(await world.ask([to, from])).toEqual([pageOf(project), { kind: 'redirect', to, status: 301 }]);
    const added = (await listed()).filter(({ host }) => !before.some((known) => known.host === host));
    expect(added.toSorted(byHost)).toEqual(hosts.map((host) => ({ host, projectId: project.id })).toSorted(byHost));
  });

  if (!declared('forget'))
    test('project entries are listed; they can be deleted repeatedly', async ({ world, map, makeProject, publish }) => {
      const [gone, left] = [await makeProject(), await makeProject()];
      const hosts = [newHost(), newHost()] as const;
      await world.serve(gone, hosts[0]);
      await world.serve(left, hosts[1]);
      await map.detach({ host: hosts[0], projectId: gone.id });
      if (map.forget === undefined) throw new Error('the map has no forget; declare it');
      const projects = async () =>
        (await allPages((after) => map.entries(after))).flatMap(({ host, projectId }) => (host === undefined ? [projectId] : []));
      expect(await projects()).toEqual(expect.arrayContaining([gone.id, left.id]));
      for (let times = 0; times < 2; times += 1) {
        await map.forget(gone);
        expect(await projects()).not.toContain(gone.id);
      }
      await map.forget({ id: left.id });
      expect(await projects()).not.toContain(left.id);
      await publish(left, [hosts[1]]);
      expect(await world.ask(hosts)).toEqual([refused, pageOf(left)]);
    });

  if (!declared('forget') && !declared('bytes'))
    test('the size that is reported shrinks and grows with what is stored', async ({ world, map, makeProject, publish }) => {
      if (map.forget === undefined || map.bytes === undefined) throw new Error('the map has no bytes; declare it');
      const [project, host] = [await makeProject(), newHost()];
      await world.serve(project, host);
      const before = await map.bytes();
      await map.forget({ id: project.id });
      expect(before - (await map.bytes())).toBeGreaterThanOrEqual(project.id.length);
      await publish(project, [host]);
      expect(await map.bytes()).toBe(before);
    });
}

const newHost = () => `h${nextNumber()}.shop.test`;
const pageOf = ({ id, currentDeploymentId }: Project): Answer => ({ kind: 'page', projectId: id, deploymentId: String(currentDeploymentId) });
const refused: Answer = { kind: 'refused' };
const byHost = (a: MapEntry, b: MapEntry) => (String(a.host) < String(b.host) ? -1 : 1);
