// What every DomainStore must do.

import { expect } from 'expect';
import type { AccountStore } from '../core/access/ports.ts';
import { type Domain, type DomainState, newDomain } from '../core/domains/domain.ts';
import type { DomainStore } from '../core/domains/ports.ts';
import type { ProjectStore } from '../core/projects/ports.ts';
import type { Project } from '../core/projects/project.ts';
import { makeProject, nextNumber } from './projects.ts';
import { NOON } from './samples.ts';
import { allPages, contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface DomainStoreWorld {
  readonly accounts: AccountStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
}

/** Declares the suite for an adapter. @param make returns stores on the same storage; called once */
export function domainStoreContract(runner: TestFunction, make: Make<DomainStoreWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'DomainStore contract', options, { setUp: once(make) });

  async function makeDomain({ domains }: DomainStoreWorld, project: Project, host: string, createdAt = NOON): Promise<Domain> {
    const domain = newDomain({ id: `dom_${nextNumber()}`, host, projectId: project.id, accountId: project.accountId }, createdAt);
    expect(await domains.addDomain(domain)).toBe('added');
    return domain;
  }

  const inState = (domain: Domain, state: DomainState): Domain => ({ ...domain, state });
  const verified: DomainState = { name: 'verified', since: NOON };

  test('a project can have a host only once, until it is removed; other projects may claim it as well', async (stores) => {
    const [mine, theirs] = [await makeProject(stores), await makeProject(stores)];
    const host = `claimed-${mine.id}.dev`;
    const domain = await makeDomain(stores, mine, host);
    expect(await stores.domains.addDomain({ ...domain, id: 'dom_again' })).toBe('exists');
    const claim = await makeDomain(stores, theirs, host, NOON + 1);
    expect(await stores.domains.claimsOf(host)).toEqual([domain, claim]);
    const removed = inState(domain, { name: 'removed', since: NOON, until: NOON + 1 });
    expect(await stores.domains.saveDomain(removed, domain)).toBe('saved');
    expect(await stores.domains.listDomains(mine.id)).toEqual([]);
    const again = await makeDomain(stores, mine, host, NOON + 2);
    expect(await stores.domains.listDomains(mine.id)).toEqual([again]);
    expect(await stores.domains.claimsOf(host)).toEqual([removed, claim, again]);
  });

  test("a project's domains are listed oldest first, without those of other projects", async (stores) => {
    const [project, other] = [await makeProject(stores), await makeProject(stores)];
    const younger = await makeDomain(stores, project, 'younger.dev', NOON + 2);
    const older = await makeDomain(stores, project, 'older.dev', NOON + 1);
    await makeDomain(stores, other, 'stranger.dev');
    expect(await stores.domains.listDomains(project.id)).toEqual([older, younger]);
    expect(await stores.domains.listDomains('prj_nobody')).toEqual([]);
    expect(await stores.domains.claimsOf('nobody.dev')).toEqual([]);
  });

  test('only one of several concurrent additions of a host to a project is stored', async (stores) => {
    const { id: projectId, accountId } = await makeProject(stores);
    const rivals = Array.from({ length: 5 }, () => newDomain({ id: `dom_${nextNumber()}`, host: 'added.dev', projectId, accountId }, NOON));
    const results = await Promise.all(rivals.map((domain) => stores.domains.addDomain(domain)));
    expect(results.toSorted()).toEqual(['added', 'exists', 'exists', 'exists', 'exists']);
    expect(await stores.domains.listDomains(projectId)).toEqual([rivals[results.indexOf('added')]]);
  });

  test('a domain is saved only if it has not changed since it was read', async (stores) => {
    const domain = await makeDomain(stores, await makeProject(stores), 'saved.dev');
    const next = inState({ ...domain, generation: 1 }, verified);
    expect(await stores.domains.saveDomain(next, domain)).toBe('saved');
    expect(await stores.domains.saveDomain({ ...next, generation: 2 }, domain)).toBe('changed');
    expect(await stores.domains.getDomain(domain.id)).toEqual(next);
    expect(await stores.domains.saveDomain({ ...next, id: 'dom_nobody' }, { ...next, id: 'dom_nobody' })).not.toBe('saved');
    expect(await stores.domains.getDomain('dom_nobody')).toBeUndefined();
  });

  test('only one of several concurrent writes is saved', async (stores) => {
    const domain = await makeDomain(stores, await makeProject(stores), 'raced.dev');
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => stores.domains.saveDomain({ ...domain, generation: n + 1 }, domain)));
    expect(results.filter((result) => result === 'saved')).toHaveLength(1);
    expect(results.filter((result) => result === 'changed')).toHaveLength(9);
  });

  test('at most one domain per host is proved', async (stores) => {
    const [mine, theirs] = [await makeProject(stores), await makeProject(stores)];
    const [domain, claim] = [await makeDomain(stores, mine, 'proved.dev'), await makeDomain(stores, theirs, 'proved.dev')];
    const proved = inState(domain, verified);
    expect(await stores.domains.saveDomain(proved, domain)).toBe('saved');
    expect(await stores.domains.saveDomain(inState(claim, verified), claim)).toBe('host_taken');
    expect(await stores.domains.getDomain(claim.id)).toEqual(claim);
    // A domain that is being removed no longer counts as proved.
    const removing = inState(proved, { name: 'removing', since: NOON, checks: 0, nextCheckAt: NOON });
    expect(await stores.domains.saveDomain(removing, proved)).toBe('saved');
    expect(await stores.domains.saveDomain(inState(claim, verified), claim)).toBe('saved');
  });

  test('only one of several concurrent proofs of a host is stored', async (stores) => {
    const claims: Domain[] = [];
    for (let n = 0; n < 4; n += 1) claims.push(await makeDomain(stores, await makeProject(stores), 'contested.dev'));
    const results = await Promise.all(claims.map((claim) => stores.domains.saveDomain(inState(claim, verified), claim)));
    expect(results.toSorted()).toEqual(['host_taken', 'host_taken', 'host_taken', 'saved']);
    const stored = await Promise.all(claims.map(({ id }) => stores.domains.getDomain(id)));
    expect(stored.filter((domain) => domain?.state.name === 'verified')).toHaveLength(1);
  });

  test('due domains are found, longest-waiting first', async (stores) => {
    const project = await makeProject(stores);
    const due = async (now: number, limit = 100) =>
      (await allPages((after) => stores.domains.dueDomains(now, limit, after)))
        .filter(({ projectId }) => projectId === project.id)
        .map(({ host }) => host);
    for (const [host, at] of [
      ['later.dev', 2_000],
      ['sooner.dev', 1_000],
    ] as const) {
      const domain = await makeDomain(stores, project, host);
      await stores.domains.saveDomain(inState(domain, { name: 'verifying', since: 0, checks: 0, nextCheckAt: at, diagnosis: undefined }), domain);
    }
    await makeDomain(stores, project, 'idle.dev');
    expect(await due(999)).toEqual([]);
    expect(await due(1_000)).toEqual(['sooner.dev']);
    expect(await due(9_999)).toEqual(['sooner.dev', 'later.dev']);
    expect((await stores.domains.dueDomains(9_999, 1)).items).toHaveLength(1);
    expect(await due(9_999, 1)).toEqual(['sooner.dev', 'later.dev']);
  });

  test('pages of due domains contain each domain once, even if times are equal, or if domains on earlier pages have moved', async (stores) => {
    const project = await makeProject(stores);
    const hosts = Array.from({ length: 12 }, (_, n) => `due${n}.dev`);
    const waiting = (n: number) => ({ name: 'verifying', since: 0, checks: 0, nextCheckAt: 50 + (n % 2), diagnosis: undefined }) as const;
    for (const [n, host] of hosts.entries()) {
      const domain = await makeDomain(stores, project, host);
      await stores.domains.saveDomain(inState(domain, waiting(n)), domain);
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await stores.domains.dueDomains(60, 5, after);
      after = page.next;
      for (const domain of page.items.filter(({ projectId }) => projectId === project.id)) {
        seen.push(domain.host);
        // Some are checked and due later; the others fail and stay due.
        if (seen.length % 2 === 0) await stores.domains.saveDomain(inState(domain, { ...waiting(0), nextCheckAt: 70 }), domain);
      }
    } while (after !== undefined);
    expect(seen.toSorted()).toEqual(hosts.toSorted());
  });
}
