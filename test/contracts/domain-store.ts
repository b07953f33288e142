// What every ProjectStore and DomainStore must do.

import { beforeAll, describe, expect, test } from 'vitest';
import type { AccountStore, MemberStore } from '../../core/access/ports.ts';
import { type Domain, type DomainState, newDomain } from '../../core/domains/domain.ts';
import type { DomainStore } from '../../core/domains/ports.ts';
import type { ProjectStore } from '../../core/projects/ports.ts';
import { EMPTY_CONFIGURATION, type Project } from '../../core/projects/project.ts';
import { NOON, sampleAccount } from '../support/samples.ts';

interface ProjectStores {
  readonly accounts: AccountStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  readonly members: MemberStore;
}

export function domainStoreContract(name: string, makeStores: () => Promise<ProjectStores>): void {
  describe(`ProjectStore and DomainStore contract: ${name}`, () => {
    let stores: ProjectStores;
    let made = 0;

    beforeAll(async () => {
      stores = await makeStores();
    });

    async function makeProject(fields: Partial<Project> = {}): Promise<Project> {
      made += 1;
      const account = sampleAccount();
      await stores.accounts.createAccount(account);
      const project: Project = {
        id: `prj_${made}`,
        accountId: account.id,
        name: 'Shop',
        token: `token${made}`,
        createdAt: NOON + made,
        currentDeploymentId: undefined,
        configuration: EMPTY_CONFIGURATION,
        ...fields,
      };
      expect(await stores.projects.createProject(project)).toBe(true);
      return project;
    }

    async function makeDomain(project: Project, host: string, createdAt = NOON): Promise<Domain> {
      made += 1;
      const domain = newDomain({ id: `dom_${made}`, host, projectId: project.id, accountId: project.accountId }, createdAt);
      expect(await stores.domains.addDomain(domain)).toBe('added');
      return domain;
    }

    const inState = (domain: Domain, state: DomainState): Domain => ({ ...domain, state });
    const verified: DomainState = { name: 'verified', since: NOON };

    test('a project is stored once, by id and by token, and found again', async () => {
      const project = await makeProject();
      expect(await stores.projects.getProject(project.id)).toEqual(project);
      expect(await stores.projects.createProject({ ...project, token: 'another', name: 'Thief' })).toBe(false);
      expect(await stores.projects.createProject({ ...project, id: 'prj_another' })).toBe(false);
      expect(await stores.projects.getProject(project.id)).toEqual(project);
      expect(await stores.projects.getProject('prj_nobody')).toBeUndefined();
    });

    test('projects are listed oldest first, of one account or of all', async () => {
      const first = await makeProject();
      const second = await makeProject({ accountId: first.accountId });
      const other = await makeProject();
      expect(await stores.projects.listProjects(first.accountId)).toEqual([first, second]);
      const all = (await stores.projects.listProjects()).map(({ id }) => id);
      expect(all).toEqual(expect.arrayContaining([first.id, second.id, other.id]));
      expect(all.indexOf(first.id)).toBeLessThan(all.indexOf(other.id));
      expect(await stores.projects.listProjects('acc_nobody')).toEqual([]);
    });

    test('a deployment is served from the moment that it is added, and an earlier one again if asked for', async () => {
      const { id: projectId } = await makeProject();
      const deployment = (id: string, createdAt: number) => ({ id, projectId, createdAt, files: 2, bytes: 300 });
      const [one, two] = [deployment(`dpl_${projectId}_1`, NOON), deployment(`dpl_${projectId}_2`, NOON + 1)];
      const current = async () => (await stores.projects.getProject(projectId))?.currentDeploymentId;
      expect(await stores.projects.deploy(one)).toBe(true);
      expect(await current()).toBe(one.id);
      expect(await stores.projects.deploy(two)).toBe(true);
      expect(await current()).toBe(two.id);
      expect(await stores.projects.listDeployments(projectId)).toEqual([two, one]);
      expect(await stores.projects.setCurrentDeployment(projectId, one.id)).toBe(true);
      expect(await current()).toBe(one.id);
      expect(await stores.projects.setCurrentDeployment(projectId, 'dpl_nobody')).toBe(false);
      const other = await makeProject();
      expect(await stores.projects.setCurrentDeployment(other.id, one.id)).toBe(false);
      expect(await current()).toBe(one.id);
      expect(await stores.projects.deploy({ ...one, id: 'dpl_lost', projectId: 'prj_nobody' })).toBe(false);
      expect(await stores.projects.listDeployments('prj_nobody')).toEqual([]);
    });

    test('a configuration takes the place of the one before', async () => {
      const { id } = await makeProject();
      const configuration = { domains: { primary: 'a.dev', redirects: [{ from: 'b.dev', to: 'a.dev', status: 301 as const }] } };
      expect(await stores.projects.putConfiguration(id, configuration)).toBe(true);
      expect((await stores.projects.getProject(id))?.configuration).toEqual(configuration);
      expect(await stores.projects.putConfiguration('prj_nobody', configuration)).toBe(false);
    });

    test('a project has a host once, until it is removed; another project may claim it too', async () => {
      const [mine, theirs] = [await makeProject(), await makeProject()];
      const host = `claimed-${mine.id}.dev`;
      const domain = await makeDomain(mine, host);
      expect(await stores.domains.addDomain({ ...domain, id: 'dom_again' })).toBe('exists');
      const claim = await makeDomain(theirs, host, NOON + 1);
      expect(await stores.domains.claimsOf(host)).toEqual([domain, claim]);
      const removed = inState(domain, { name: 'removed', since: NOON, until: NOON + 1 });
      expect(await stores.domains.saveDomain(removed, domain)).toBe('saved');
      expect(await stores.domains.listDomains(mine.id)).toEqual([]);
      const again = await makeDomain(mine, host, NOON + 2);
      expect(await stores.domains.listDomains(mine.id)).toEqual([again]);
      expect(await stores.domains.claimsOf(host)).toEqual([removed, claim, again]);
    });

    test('a domain is saved only over what was read', async () => {
      const domain = await makeDomain(await makeProject(), 'saved.dev');
      const next = inState({ ...domain, generation: 1 }, verified);
      expect(await stores.domains.saveDomain(next, domain)).toBe('saved');
      expect(await stores.domains.saveDomain({ ...next, generation: 2 }, domain)).toBe('changed');
      expect(await stores.domains.getDomain(domain.id)).toEqual(next);
      expect(await stores.domains.saveDomain({ ...next, id: 'dom_nobody' }, { ...next, id: 'dom_nobody' })).not.toBe('saved');
      expect(await stores.domains.getDomain('dom_nobody')).toBeUndefined();
    });

    test('of concurrent writers one is saved', async () => {
      const domain = await makeDomain(await makeProject(), 'raced.dev');
      const results = await Promise.all(Array.from({ length: 10 }, (_, n) => stores.domains.saveDomain({ ...domain, generation: n + 1 }, domain)));
      expect(results.filter((result) => result === 'saved')).toHaveLength(1);
      expect(results.filter((result) => result === 'changed')).toHaveLength(9);
    });

    test('one domain of a host is proved at a time', async () => {
      const [mine, theirs] = [await makeProject(), await makeProject()];
      const [domain, claim] = [await makeDomain(mine, 'proved.dev'), await makeDomain(theirs, 'proved.dev')];
      const proved = inState(domain, verified);
      expect(await stores.domains.saveDomain(proved, domain)).toBe('saved');
      expect(await stores.domains.saveDomain(inState(claim, verified), claim)).toBe('host_taken');
      expect(await stores.domains.getDomain(claim.id)).toEqual(claim);
      // It stays so from state to state, and ends with the removal.
      const removing = inState(proved, { name: 'removing', since: NOON, checks: 0, nextCheckAt: NOON });
      expect(await stores.domains.saveDomain(removing, proved)).toBe('saved');
      expect(await stores.domains.saveDomain(inState(claim, verified), claim)).toBe('saved');
    });

    test('domains whose time has come are found, the one that waits longest first', async () => {
      const project = await makeProject();
      const due = async (now: number, limit = 100) =>
        (await stores.domains.dueDomains(now, limit)).filter(({ projectId }) => projectId === project.id).map(({ host }) => host);
      for (const [host, at] of [
        ['later.dev', 2_000],
        ['sooner.dev', 1_000],
      ] as const) {
        const domain = await makeDomain(project, host);
        await stores.domains.saveDomain(inState(domain, { name: 'verifying', since: 0, checks: 0, nextCheckAt: at, diagnosis: undefined }), domain);
      }
      await makeDomain(project, 'idle.dev');
      expect(await due(999)).toEqual([]);
      expect(await due(1_000)).toEqual(['sooner.dev']);
      expect(await due(9_999)).toEqual(['sooner.dev', 'later.dev']);
      expect((await stores.domains.dueDomains(9_999, 1)).length).toBe(1);
    });

    test('a user is a member of accounts, once of each', async () => {
      const [one, two] = [(await makeProject()).accountId, (await makeProject()).accountId];
      const user = `user-${made}`;
      for (const account of [one, two, one]) await stores.members.addMember(account, user);
      expect([...(await stores.members.accountsOf(user))].sort()).toEqual([one, two].sort());
      expect(await stores.members.accountsOf('user-nobody')).toEqual([]);
      expect([await stores.members.membersOf(one), await stores.members.membersOf('acc_nobody')]).toEqual([[user], []]);
    });

    test('a membership ends, and others stay', async () => {
      const { members } = stores;
      const [one, two] = [(await makeProject()).accountId, (await makeProject()).accountId];
      const [ann, bob] = [`ann-${made}`, `bob-${made}`];
      for (const account of [one, two]) for (const user of [ann, bob]) await members.addMember(account, user);
      expect(await members.removeMember(one, ann, { keepLast: true })).toBe('removed');
      expect(await members.removeMember(one, ann, { keepLast: true })).toBe('not_a_member');
      expect(await members.removeMember(one, bob, { keepLast: true })).toBe('last_member');
      expect([await members.membersOf(one), await members.accountsOf(ann), [...(await members.accountsOf(bob))].sort()]).toEqual([
        [bob],
        [two],
        [one, two].sort(),
      ]);
      expect(await members.removeMember(one, bob, { keepLast: false })).toBe('removed');
      expect([await members.membersOf(one), [...(await members.membersOf(two))].sort()]).toEqual([[], [ann, bob].sort()]);
    });

    test('of members who remove each other at once, one stays', async () => {
      const { accountId } = await makeProject();
      const users = [0, 1, 2, 3].map((n) => `user-${made}-${n}`);
      for (const user of users) await stores.members.addMember(accountId, user);
      const results = await Promise.all(users.map((user) => stores.members.removeMember(accountId, user, { keepLast: true })));
      expect(results.toSorted()).toEqual(['last_member', 'removed', 'removed', 'removed']);
      expect(await stores.members.membersOf(accountId)).toHaveLength(1);
    });
  });
}
