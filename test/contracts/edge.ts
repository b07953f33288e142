// What every Edge must do beside what its map does.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Domain } from '../../core/domains/domain.ts';
import type { Edge } from '../../core/domains/ports.ts';
import { nextNumber, sampleProject } from '../support/projects.ts';
import type { EdgeMapWorld } from './edge-map.ts';

type DomainName = Pick<Domain, 'id' | 'host'>;

export interface EdgeWorld extends EdgeMapWorld {
  readonly edge: Edge;
  /** A certificate for the host, as the edge takes it; another one each time. */
  newCertificate(host: string): Promise<string>;
  /** The certificate that the edge shows for the host. */
  certificateAt(host: string): Promise<string | undefined>;
  /** Does it make something for a domain beside the map? */
  readonly makes: boolean;
}

/** Looks until what was changed is everywhere. */
const LOOKS = 10;

export function edgeContract(name: string, makeWorld: () => Promise<EdgeWorld>): void {
  describe(`Edge contract: ${name}`, () => {
    let world: EdgeWorld;
    let edge: Edge;

    beforeAll(async () => {
      world = await makeWorld();
      ({ edge } = world);
    });

    afterAll(() => world.stop?.());

    function newDomain(): DomainName {
      const number = nextNumber();
      return { id: `dom_e${number}`, host: `e${number}.shop.test` };
    }

    async function makeProject() {
      const project = sampleProject({ currentDeploymentId: `dpl_${nextNumber()}` });
      await world.store(project);
      return project;
    }

    async function comesTo(expected: boolean, look: () => Promise<boolean>): Promise<boolean> {
      for (let looks = 0; looks < LOOKS; looks += 1) if ((await look()) === expected) return true;
      return false;
    }

    const serves = (domain: DomainName) => comesTo(true, () => edge.isServing(domain));
    const releases = (domain: DomainName) => comesTo(true, () => edge.release(domain));
    const madeFor = async ({ id, host }: DomainName) => (await edge.made()).filter((each) => each.id === id && each.host === host).length;

    test('a domain that is attached is served with its certificate, also if that is done again and at the same time', async () => {
      const [domain, project] = [newDomain(), await makeProject()];
      const certificate = await world.newCertificate(domain.host);
      expect(await edge.isServing(domain)).toBe(false);
      await Promise.all([edge.attach(domain, project, certificate), edge.attach(domain, project, certificate)]);
      expect(await serves(domain)).toBe(true);
      await edge.attach(domain, project, certificate);
      expect(await serves(domain)).toBe(true);
      expect(await world.certificateAt(domain.host)).toBe(certificate);
      expect(await world.ask([domain.host])).toEqual([{ kind: 'page', projectId: project.id, deploymentId: project.currentDeploymentId }]);
      expect(await edge.hosts()).toContainEqual({ host: domain.host, projectId: project.id });
      expect(await madeFor(domain)).toBe(world.makes ? 1 : 0);
    });

    test('a new certificate takes the place of the old one', async () => {
      const [domain, project] = [newDomain(), await makeProject()];
      const [old, renewed] = [await world.newCertificate(domain.host), await world.newCertificate(domain.host)];
      for (const certificate of [old, renewed]) {
        await edge.attach(domain, project, certificate);
        expect(await serves(domain)).toBe(true);
        expect(await world.certificateAt(domain.host)).toBe(certificate);
      }
    });

    test('what was made for a domain is taken down, that of others stays; that can be repeated', async () => {
      const project = await makeProject();
      const [domain, other] = [newDomain(), newDomain()];
      for (const each of [domain, other]) await edge.attach(each, project, await world.newCertificate(each.host));
      expect([await serves(domain), await serves(other)]).toEqual([true, true]);
      await edge.detach({ ...domain, projectId: project.id });
      await edge.release(domain);
      // Not while it goes, either.
      expect(await comesTo(true, () => edge.isServing(domain))).toBe(false);
      for (let times = 0; times < 2; times += 1) {
        expect(await releases(domain)).toBe(true);
        expect([await edge.isServing(domain), await madeFor(domain)]).toEqual([false, 0]);
      }
      expect(await world.ask([domain.host, other.host])).toMatchObject([{ kind: 'refused' }, { kind: 'page' }]);
      expect([await edge.isServing(other), await madeFor(other)]).toEqual([true, world.makes ? 1 : 0]);
    });

    test('says that it is done where nothing was made', async () => {
      expect(await edge.release(newDomain())).toBe(true);
    });

    test('a domain that was taken down can come back, with another project too', async () => {
      const domain = newDomain();
      for (const project of [await makeProject(), await makeProject()]) {
        await edge.attach(domain, project, await world.newCertificate(domain.host));
        expect(await serves(domain)).toBe(true);
        expect(await world.ask([domain.host])).toMatchObject([{ projectId: project.id }]);
        await edge.detach({ ...domain, projectId: project.id });
        expect(await releases(domain)).toBe(true);
      }
    });

    test('one that is attached while it is being taken down is served', async () => {
      const [domain, project] = [newDomain(), await makeProject()];
      const certificate = await world.newCertificate(domain.host);
      await edge.attach(domain, project, certificate);
      expect(await serves(domain)).toBe(true);
      await edge.release(domain);
      await edge.attach(domain, project, certificate);
      expect(await serves(domain)).toBe(true);
      expect(await world.ask([domain.host])).toMatchObject([{ projectId: project.id }]);
    });
  });
}
