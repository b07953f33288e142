// What every Edge must do in addition to its map.

import { expect } from 'expect';
import type { Domain } from '../core/domains/domain.ts';
import type { Edge } from '../core/domains/ports.ts';
import type { EdgeMapWorld } from './edge-map.ts';
import { currentOf, nextNumber, sampleProject } from './projects.ts';
import { allPages, contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

type DomainName = Pick<Domain, 'id' | 'host' | 'projectId'>;

export interface EdgeWorld extends EdgeMapWorld {
  readonly edge: Edge;
  /** Returns a certificate for the host that the edge accepts, a different one each time. */
  newCertificate(host: string): Promise<string>;
  /** Returns the certificate that the edge presents for the host. */
  certificateAt(host: string): Promise<string | undefined>;
  /** Whether the edge creates something for a domain in addition to the map entry. */
  readonly makes: boolean;
}

/** Number of checks until a change has reached every location. */
const CHECKS = 10;

/** Declares the suite for an adapter. @param make returns an edge that serves no domain; called for each test */
export function edgeContract(runner: TestFunction, make: Make<EdgeWorld>, options: SuiteOptions = {}): void {
  async function setUp() {
    const world = await make();
    const { edge } = world;
    return {
      ...{ world, edge },
      makeProject: async () => {
        const project = sampleProject({ currentDeploymentId: `dpl_${nextNumber()}` });
        await world.store(project);
        return project;
      },
      serves: (domain: DomainName, certificate: string) => comesTo(true, () => edge.isServing(domain, certificate)),
      releases: (domain: DomainName) => comesTo(true, () => edge.release(domain)),
      madeFor: async ({ id, host }: DomainName) =>
        (await allPages((after) => edge.made(after))).filter((each) => each.id === id && each.host === host).length,
    };
  }
  const test = contractSuite(runner, 'Edge contract', options, { setUp, tearDown: ({ world }) => world.stop?.() });

  test('an attached domain is served with its certificate, even after repeated and concurrent attaching', async ({
    world,
    edge,
    makeProject,
    serves,
    madeFor,
  }) => {
    const project = await makeProject();
    const domain = newDomain(project.id);
    const certificate = await world.newCertificate(domain.host);
    expect(await edge.isServing(domain, certificate)).toBe(false);
    await Promise.all([
      edge.attach(domain, currentOf(project, [domain.host]), certificate),
      edge.attach(domain, currentOf(project, [domain.host]), certificate),
    ]);
    expect(await serves(domain, certificate)).toBe(true);
    await edge.attach(domain, currentOf(project, [domain.host]), certificate);
    expect(await serves(domain, certificate)).toBe(true);
    expect(await world.certificateAt(domain.host)).toBe(certificate);
    expect(await world.ask([domain.host])).toEqual([{ kind: 'page', projectId: project.id, deploymentId: project.currentDeploymentId }]);
    expect(await allPages((after) => edge.entries(after))).toContainEqual(expect.objectContaining({ host: domain.host, projectId: project.id }));
    expect(await madeFor(domain)).toBe(world.makes ? 1 : 0);
  });

  test('a new certificate replaces the old one', async ({ world, edge, makeProject, serves }) => {
    const project = await makeProject();
    const domain = newDomain(project.id);
    const [old, renewed] = [await world.newCertificate(domain.host), await world.newCertificate(domain.host)];
    for (const certificate of [old, renewed]) {
      await edge.attach(domain, currentOf(project, [domain.host]), certificate);
      expect(await serves(domain, certificate)).toBe(true);
      expect(await world.certificateAt(domain.host)).toBe(certificate);
    }
    expect(await edge.isServing(domain, old)).toBe(false);
  });

  test('teardown deletes everything that was created for a domain and nothing that belongs to others; it can be repeated', async ({
    world,
    edge,
    makeProject,
    serves,
    releases,
    madeFor,
  }) => {
    const project = await makeProject();
    const [domain, other] = [newDomain(project.id), newDomain(project.id)];
    const [first, second] = [await world.newCertificate(domain.host), await world.newCertificate(other.host)];
    await edge.attach(domain, currentOf(project, [domain.host]), first);
    await edge.attach(other, currentOf(project, [other.host]), second);
    expect([await serves(domain, first), await serves(other, second)]).toEqual([true, true]);
    await edge.publish({ id: project.id }, currentOf(project), [domain.host]);
    await edge.release(domain);
    // The domain is not served during the teardown either.
    expect(await comesTo(true, () => edge.isServing(domain, first))).toBe(false);
    for (let times = 0; times < 2; times += 1) {
      expect(await releases(domain)).toBe(true);
      expect([await edge.isServing(domain, first), await madeFor(domain)]).toEqual([false, 0]);
    }
    expect(await world.ask([domain.host, other.host])).toMatchObject([{ kind: 'refused' }, { kind: 'page' }]);
    expect([await edge.isServing(other, second), await madeFor(other)]).toEqual([true, world.makes ? 1 : 0]);
  });

  test('teardown ends at once if nothing was created', async ({ edge }) => {
    expect(await edge.release(newDomain())).toBe(true);
  });

  test('a domain can be attached again after teardown, even to another project', async ({ world, edge, makeProject, serves, releases }) => {
    const { id, host } = newDomain();
    for (const project of [await makeProject(), await makeProject()]) {
      const domain = { id, host, projectId: project.id };
      const certificate = await world.newCertificate(domain.host);
      await edge.attach(domain, currentOf(project, [domain.host]), certificate);
      expect(await serves(domain, certificate)).toBe(true);
      expect(await world.ask([domain.host])).toMatchObject([{ projectId: project.id }]);
      await edge.publish({ id: project.id }, currentOf(project), [host]);
      expect(await releases(domain)).toBe(true);
    }
  });

  test('a domain attached during its teardown is served', async ({ world, edge, makeProject, serves }) => {
    const project = await makeProject();
    const domain = newDomain(project.id);
    const certificate = await world.newCertificate(domain.host);
    await edge.attach(domain, currentOf(project, [domain.host]), certificate);
    expect(await serves(domain, certificate)).toBe(true);
    await edge.release(domain);
    await edge.attach(domain, currentOf(project, [domain.host]), certificate);
    expect(await serves(domain, certificate)).toBe(true);
    expect(await world.ask([domain.host])).toMatchObject([{ projectId: project.id }]);
  });
}

function newDomain(projectId = 'prj_none'): DomainName {
  const number = nextNumber();
  return { id: `dom_e${number}`, host: `e${number}.shop.test`, projectId };
}

async function comesTo(expected: boolean, look: () => Promise<boolean>): Promise<boolean> {
  for (let looks = 0; looks < CHECKS; looks += 1) if ((await look()) === expected) return true;
  return false;
}
