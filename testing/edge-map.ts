// What every EdgeMap must do, as seen by requests at the edge.

import { expect } from 'expect';
import type { Domain } from '../core/domains/domain.ts';
import type { CurrentPublication, EdgeMap, MapEntry, Publication } from '../core/domains/ports.ts';
import type { Project } from '../core/projects/project.ts';
import { nextNumber, sampleProject } from './projects.ts';
import { allPages, contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

/** The response to a request for a host's home page: `page` names the published content. */
export type Answer =
  | { readonly kind: 'page'; readonly projectId: string; readonly deploymentId: string }
  | { readonly kind: 'redirect'; readonly to: string; readonly status: number }
  | { readonly kind: 'nothing_published' }
  | { readonly kind: 'refused' };

export interface EdgeMapWorld {
  readonly map: EdgeMap;
  /** Stores the project, with the files of its deployment. */
  store(project: Project): Promise<void>;
  /** Returns another process's map of the same edge. */
  another(): EdgeMap;
  /** Serves a domain, as its workflow would already have done. */
  serve(domain: Pick<Domain, 'id' | 'host' | 'projectId'>, current: CurrentPublication): Promise<void>;
  /** Sends one request to each host. */
  ask(hosts: readonly string[]): Promise<readonly Answer[]>;
  /** Called after each test. @default there is nothing to stop */
  stop?(): Promise<void>;
}

const GAPS = ['projects', 'bytes'] as const;

/** `projects`: only a project's hosts are listed. `bytes`: the store's size is not limited, so there is no `bytes`; not tested with `projects`. */
export type EdgeMapGap = (typeof GAPS)[number];

/** Declares the suite for an adapter. @param make returns a map with the edge that reads it; called for each test */
export function edgeMapContract(runner: TestFunction, make: Make<EdgeMapWorld>, options: SuiteOptions<EdgeMapGap> = {}): void {
  async function setUp() {
    const world = await make();
    const { map } = world;
    const stored = new Map<string, Publication>();
    const currentOf =
      ({ id }: Pick<Project, 'id'>): CurrentPublication =>
      async () =>
        stored.get(id);
    /** Stores a change to a project, but does not publish it. By default, its hosts stay the same. */
    const store = async (project: Project, hosts = stored.get(project.id)?.hosts ?? []): Promise<void> => {
      await world.store(project);
      stored.set(project.id, { project, hosts });
    };
    const hostsOf = ({ id }: Project) => stored.get(id)?.hosts ?? [];
    const refuse = async (project: Project, host: string): Promise<void> => {
      await store(
        stored.get(project.id)?.project ?? project,
        hostsOf(project).filter((each) => each !== host),
      );
      await map.publish({ id: project.id }, currentOf(project), [host]);
    };
    return {
      ...{ world, map, currentOf, store, refuse },
      makeProject: async (fields: Partial<Project> = {}): Promise<Project> => {
        const project = sampleProject({ currentDeploymentId: `dpl_${nextNumber()}`, ...fields });
        await store(project);
        return project;
      },
      serve: async (project: Project, host: string): Promise<void> => {
        await store(project, [...hostsOf(project), host]);
        await world.serve(domainOf(project, host), currentOf(project));
      },
      publish: async (project: Project): Promise<void> => {
        await store(project);
        await map.publish(project, currentOf(project));
      },
      /** From now on, storage says that nothing of the project is to be served. */
      withhold: ({ id }: Project): boolean => stored.delete(id),
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
    serve,
    publish,
  }) => {
    const [project, other] = [await makeProject(), await makeProject()];
    const [one, two, theirs] = [newHost(), newHost(), newHost()];
    for (const host of [one, two]) await serve(project, host);
    await serve(other, theirs);
    expect(await world.ask([one, two, theirs])).toEqual([pageOf(project), pageOf(project), pageOf(other)]);
    const next = { ...project, currentDeploymentId: `dpl_${nextNumber()}` };
    for (let times = 0; times < 2; times += 1) {
      await publish(next);
      expect(await world.ask([one, two, theirs])).toEqual([pageOf(next), pageOf(next), pageOf(other)]);
    }
    // This publishes the earlier deployment again.
    await publish(project);
    expect(await world.ask([one, two])).toEqual([pageOf(project), pageOf(project)]);
  });

  test('a project without a deployment shows no page until its first deployment', async ({ world, makeProject, serve, publish }) => {
    const project = await makeProject({ currentDeploymentId: undefined });
    const host = newHost();
    await serve(project, host);
    expect(await world.ask([host])).toEqual([{ kind: 'nothing_published' }]);
    const next = { ...project, currentDeploymentId: `dpl_${nextNumber()}` };
    await publish(next);
    expect(await world.ask([host])).toEqual([pageOf(next)]);
  });

  test("redirects are published and removed, only to the project's served hosts", async ({ world, makeProject, serve, refuse, publish }) => {
    const project = await makeProject();
    const [from, to] = [newHost(), newHost()];
    for (const host of [from, to]) await serve(project, host);
    const redirecting = { ...project, configuration: { domains: { redirects: [{ from, to, status: 308 as const }] } } };
    await publish(redirecting);
    expect(await world.ask([from, to])).toEqual([{ kind: 'redirect', to, status: 308 }, pageOf(project)]);
    await refuse(project, to);
    expect(await world.ask([from, to])).toEqual([pageOf(project), refused]);
    await publish(project);
    await serve(project, to);
    expect(await world.ask([from, to])).toEqual([pageOf(project), pageOf(project)]);
  });

  test('a detached host is refused from the next request on, and other hosts are not; detaching can be repeated', async ({
    world,
    makeProject,
    serve,
    refuse,
  }) => {
    const project = await makeProject();
    const [gone, left] = [newHost(), newHost()];
    for (const host of [gone, left]) await serve(project, host);
    for (let times = 0; times < 2; times += 1) {
      await refuse(project, gone);
      expect(await world.ask([gone, left])).toEqual([refused, pageOf(project)]);
    }
  });

  test('detaching does not affect a host that now belongs to another project', async ({ world, makeProject, serve, refuse }) => {
    const [before, now] = [await makeProject(), await makeProject()];
    const host = newHost();
    await serve(before, host);
    await serve(now, host);
    await refuse(before, host);
    expect(await world.ask([host])).toEqual([pageOf(now)]);
  });

  test('detaching does not affect a host that moves to another project at the same time', async ({ world, makeProject, serve, refuse }) => {
    const [before, now] = [await makeProject(), await makeProject()];
    const host = newHost();
    await serve(before, host);
    await Promise.all([refuse(before, host), serve(now, host)]);
    expect(await world.ask([host])).toEqual([pageOf(now)]);
  });

  test('every concurrent change is applied', async ({ world, makeProject, serve }) => {
    const projects = [await makeProject(), await makeProject(), await makeProject(), await makeProject()];
    const hosts = projects.map(newHost);
    await Promise.all(projects.map((project, n) => serve(project, String(hosts[n]))));
    expect(await world.ask(hosts)).toEqual(projects.map(pageOf));
  });

  test('more hosts than fit in one write are published, and listed with their projects', async ({ world, map, makeProject, serve, publish }) => {
    const listed = async () =>
      (await allPages((after) => map.entries(after))).filter(({ host, isTarget }) => host !== undefined && isTarget !== true);
    const before = await listed();
    const project = await makeProject();
    const hosts = Array.from({ length: 60 }, newHost);
    for (const host of hosts) await serve(project, host);
    const [to = '', from = ''] = [hosts[0], hosts.at(-1)];
    await publish({ ...project, configuration: { domains: { redirects: [{ from, to, status: 301 }] } } });
    expect(await world.ask([to, from])).toEqual([pageOf(project), { kind: 'redirect', to, status: 301 }]);
    const added = (await listed()).filter(({ host }) => !before.some((known) => known.host === host));
    expect(added.toSorted(byHost)).toMatchObject(hosts.map((host) => ({ host, projectId: project.id })).toSorted(byHost));
  });

  if (!declared('projects'))
    test('project entries are listed, with what is published, until the project has nothing to serve', async ({
      world,
      map,
      currentOf,
      makeProject,
      serve,
      refuse,
      publish,
      withhold,
    }) => {
      const [gone, left] = [await makeProject(), await makeProject()];
      const hosts = [newHost(), newHost()] as const;
      await serve(gone, hosts[0]);
      await serve(left, hosts[1]);
      await refuse(gone, hosts[0]);
      const projects = async () =>
        (await allPages((after) => map.entries(after))).filter(({ host }) => host === undefined).map(({ projectId }) => projectId);
      expect(await projects()).toEqual(expect.arrayContaining([gone.id, left.id]));
      withhold(gone);
      for (let times = 0; times < 2; times += 1) {
        await map.publish(gone, currentOf(gone));
        expect(await projects()).not.toContain(gone.id);
      }
      withhold(left);
      await map.publish({ id: left.id }, currentOf(left));
      expect(await projects()).not.toContain(left.id);
      await serve(left, hosts[1]);
      await publish(left);
      expect(await world.ask(hosts)).toEqual([refused, pageOf(left)]);
    });

  if (!declared('projects') && !declared('bytes'))
    test('the reported size shrinks and grows with what is stored', async ({ map, currentOf, makeProject, serve, publish, withhold }) => {
      if (map.bytes === undefined) throw new Error('the map has no bytes; declare it');
      const project = await makeProject();
      await serve(project, newHost());
      const before = await map.bytes();
      withhold(project);
      await map.publish({ id: project.id }, currentOf(project));
      expect(before - (await map.bytes())).toBeGreaterThanOrEqual(project.id.length);
      await publish(project);
      expect(await map.bytes()).toBeLessThanOrEqual(before);
    });

  test('a publication that is overtaken ends with the stored deployment published', async ({ world, map, currentOf, makeProject, serve, store }) => {
    const [project, host] = [await makeProject(), newHost()];
    await serve(project, host);
    const next = { ...project, currentDeploymentId: `dpl_${nextNumber()}` };
    for (const [published, meanwhile] of [
      [project, next],
      [next, project],
    ] as const) {
      await store(published);
      const change = async () => {
        await store(meanwhile);
        await world.another().publish(meanwhile, currentOf(project));
      };
      await map.publish(published, heldUp(currentOf(project), change));
      expect(await world.ask([host])).toEqual([pageOf(meanwhile)]);
    }
  });

  test('what is withheld during a publication or an attachment stays so', async ({ world, map, currentOf, makeProject, serve, store, withhold }) => {
    for (const begin of ['publish', 'serve'] as const) {
      const [project, host] = [await makeProject(), newHost()];
      if (begin === 'publish') await serve(project, host);
      await store(project, [host]);
      const change = async () => {
        withhold(project);
        await world.another().publish(project, currentOf(project), [host]);
      };
      const current = heldUp(currentOf(project), change);
      if (begin === 'publish') await map.publish(project, current);
      else await world.serve(domainOf(project, host), current);
      expect(await world.ask([host])).toEqual([refused]);
    }
  });

  test('a host that is removed while it is attached is refused; one that is served again while it is removed is served', async ({
    world,
    map,
    currentOf,
    makeProject,
    serve,
    store,
  }) => {
    const [project, host] = [await makeProject(), newHost()];
    const remove = async () => {
      await store(project, []);
      await world.another().publish({ id: project.id }, currentOf(project), [host]);
    };
    await store(project, [host]);
    const domain = domainOf(project, host);
    await world.serve(domain, heldUp(currentOf(project), remove));
    expect(await world.ask([host])).toEqual([refused]);
    await serve(project, host);
    await store(project, []);
    let serving: Promise<void> | undefined;
    const serveAgain = async () => {
      serving = serve(project, host);
    };
    await map.publish({ id: project.id }, heldUp(currentOf(project), serveAgain), [host]);
    await serving;
    expect(await world.ask([host])).toEqual([pageOf(project)]);
  });
}

/** Simulates storage whose first answer arrives late, so that something else happens first. */
function heldUp(current: CurrentPublication, meanwhile: () => Promise<void>): CurrentPublication {
  let isFirst = true;
  return async () => {
    const read = await current();
    if (isFirst) {
      isFirst = false;
      await meanwhile();
    }
    return read;
  };
}

const domainOf = ({ id }: Project, host: string) => ({ id: `dom_${host.split('.')[0]}`, host, projectId: id });
const newHost = () => `h${nextNumber()}.shop.test`;
const pageOf = ({ id, currentDeploymentId }: Project): Answer => ({ kind: 'page', projectId: id, deploymentId: String(currentDeploymentId) });
const refused: Answer = { kind: 'refused' };
const byHost = (a: MapEntry, b: MapEntry) => (String(a.host) < String(b.host) ? -1 : 1);
