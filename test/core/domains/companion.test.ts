// The name with www and the name without it, added in one step.

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStores, type SqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { type AddingOptions, addDomain, type DomainPorts, removeDomain } from '../../../core/domains/actions.ts';
import { applyIntendedRedirects, companionOf } from '../../../core/domains/companion.ts';
import type { Domain } from '../../../core/domains/domain.ts';
import { parseHostName } from '../../../core/domains/host-name.ts';
import { configureProject } from '../../../core/projects/actions.ts';
import type { Project } from '../../../core/projects/project.ts';
import { NOON, sampleAccount } from '../../../testing/samples.ts';
import { makeFolder } from '../../support/folders.ts';

const RULES = { policy: { ours: ['edge.test'], extraSuffixes: ['test'] }, edge: { host: 'edge.test' } };

let stores: SqliteStores;
let close: () => void;
let project: Project;
/** What the edge got: hosts, and the redirects of the project. */
let published: (readonly [string, string])[];
let ports: DomainPorts & Parameters<typeof configureProject>[0];

beforeEach(async () => {
  const folder = makeFolder();
  stores = openSqliteStores(folder.path);
  close = () => {
    stores.close();
    folder.remove();
  };
  published = [];
  const account = { ...sampleAccount(), plan: 'pro' as const };
  await stores.accounts.createAccount(account);
  project = {
    id: 'prj_1',
    accountId: account.id,
    name: 'Shop',
    token: 'abcdefgh23456789',
    createdAt: NOON,
    currentDeploymentId: 'dpl_1',
    configuration: { domains: { redirects: [] } },
  };
  await stores.projects.createProject(project);
  await stores.projects.deploy({ id: 'dpl_1', projectId: project.id, createdAt: NOON, files: 1, bytes: 1 });
  ports = {
    ...stores,
    sites: { put: async () => {} },
    edge: {
      publish: async (_project, current) => {
        const { project: stored, hosts = [] } = (await current()) ?? {};
        const redirects = stored?.configuration.domains.redirects ?? [];
        published.push([hosts.toSorted().join(), redirects.map(({ from, to, status }) => `${from} ${to} ${status}`).join()]);
      },
    },
    workflow: { start: async () => {} },
  };
});

afterEach(() => close());

const add = (host: string, options: AddingOptions = { companion: true }) => addDomain(ports, project, host, RULES, randomBytes, NOON, options);
const all = async () => new Map((await stores.domains.listDomains(project.id)).map((domain) => [domain.host, domain]));
const named = async (host: string) => (await all()).get(host) as Domain;
const redirects = async () => (await stores.projects.getProject(project.id))?.configuration.domains.redirects;

async function goLive(host: string): Promise<Domain> {
  const read = await named(host);
  const live = { ...read, state: { name: 'live', since: NOON, certificate: 'c', misses: 0, nextCheckAt: NOON } } as const;
  expect(await stores.domains.saveDomain(live, read)).toBe('saved');
  await applyIntendedRedirects(ports, live);
  return live;
}

test.each([
  ['shop.dev', 'www.shop.dev'],
  ['www.shop.dev', 'shop.dev'],
  ['shop.co.uk', 'www.shop.co.uk'],
  ['www.shop.test', 'shop.test'],
  ['blog.shop.dev', undefined],
  ['www.blog.shop.dev', undefined],
])('the companion of %s is %s', (host, other) => {
  const parsed = parseHostName(host, RULES.policy);
  expect(parsed.ok && companionOf(parsed.name)).toBe(other);
});

describe('a domain with its companion', () => {
  test('is added as two domains that know each other; the other one is to redirect to the one that was entered', async () => {
    expect(await add('https://Shop.test/')).toMatchObject({ ok: true, domain: { host: 'shop.test', companion: { host: 'www.shop.test' } } });
    const [entered, other] = [await named('shop.test'), await named('www.shop.test')];
    expect([entered.companion?.id, other.companion?.id]).toEqual([other.id, entered.id]);
    expect([entered.redirectTo, other.redirectTo]).toEqual([undefined, 'shop.test']);
    await add('www.reverse.test');
    expect([(await named('www.reverse.test')).redirectTo, (await named('reverse.test')).redirectTo]).toEqual([undefined, 'www.reverse.test']);
  });

  test('is added alone if that is not asked for, if the name has none, or if the project has it already', async () => {
    await add('a.test', {});
    await add('blog.b.test');
    await add('www.c.test', {});
    expect(await add('c.test')).toMatchObject({ ok: true });
    expect([...(await all()).keys()].sort()).toEqual(['a.test', 'blog.b.test', 'c.test', 'www.c.test']);
    expect((await named('c.test')).companion).toBeUndefined();
    expect((await named('www.c.test')).redirectTo).toBeUndefined();
  });

  test('is refused as a whole if the plan has room for one only', async () => {
    for (let n = 0; n < 99; n += 1) await add(`d${n}.test`, {});
    expect(await add('shop.test')).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringMatching(/has 99 domains, and 100 are the maximum on plan pro; add only one of the two names/),
    });
    expect(await add('shop.test', {})).toMatchObject({ ok: true });
    expect(await add('more.test', {})).toMatchObject({
      ok: false,
      message: expect.stringMatching(/has 100 domains, the maximum on plan pro; remove one/),
    });
  });

  test('redirects once the target is served, whichever of the two is served first, and once', async () => {
    await add('shop.test');
    await goLive('www.shop.test');
    expect([await redirects(), published]).toEqual([[], []]);
    const live = await goLive('shop.test');
    expect(await redirects()).toEqual([{ from: 'www.shop.test', to: 'shop.test', status: 301 }]);
    expect(published).toEqual([['shop.test,www.shop.test', 'www.shop.test shop.test 301']]);
    expect((await named('www.shop.test')).redirectTo).toBeUndefined();
    await applyIntendedRedirects(ports, live);
    expect(published).toHaveLength(1);
  });

  test('redirects after a crash at any point', async () => {
    await add('shop.test');
    const { accounts, domains, projects, edge } = ports;
    for (const failing of [
      { accounts, domains, edge, projects: { ...projects, putConfiguration: () => Promise.reject(new Error('crash')) } },
      { accounts, domains, projects, edge: { publish: () => Promise.reject(new Error('crash')) } },
      { accounts, projects, edge, domains: { ...domains, saveDomain: () => Promise.reject(new Error('crash')) } },
    ])
      await expect(applyIntendedRedirects(failing, await named('shop.test'))).rejects.toThrow('crash');
    await goLive('shop.test');
    expect(await redirects()).toEqual([{ from: 'www.shop.test', to: 'shop.test', status: 301 }]);
    expect((await named('www.shop.test')).redirectTo).toBeUndefined();
  });

  test('does not redirect once the owner has set a configuration, even if it is empty', async () => {
    await add('shop.test');
    expect(await configureProject(ports, project.id, { domains: { redirects: [] } }, RULES.policy)).toMatchObject({ ok: true });
    await goLive('shop.test');
    expect([await redirects(), (await named('www.shop.test')).redirectTo]).toEqual([[], undefined]);
  });

  test('keeps its intention if the configuration is refused', async () => {
    await add('shop.test');
    expect(await configureProject(ports, project.id, { domains: { primary: 'other.test', redirects: [] } }, RULES.policy)).toMatchObject({
      ok: false,
    });
    expect((await named('www.shop.test')).redirectTo).toBe('shop.test');
  });

  test.each([
    ['its own redirect', { redirects: [{ from: 'www.shop.test', to: 'other.test', status: 302 }] }],
    ['a redirect back, which would be a loop', { redirects: [{ from: 'shop.test', to: 'www.shop.test', status: 301 }] }],
    ['the role of the primary domain', { primary: 'www.shop.test', redirects: [] }],
  ] as const)('leaves a domain alone that has %s by then', async (_what, domains) => {
    await add('shop.test');
    await stores.projects.putConfiguration(project.id, { domains });
    await goLive('shop.test');
    expect(await redirects()).toEqual(domains.redirects);
    expect([published, (await named('www.shop.test')).redirectTo]).toEqual([[], undefined]);
  });

  test('is on its own once the other one is removed', async () => {
    await add('shop.test');
    expect(await removeDomain(ports, await named('shop.test'), NOON)).toMatchObject({ ok: true });
    const left = await named('www.shop.test');
    expect([left.companion, left.redirectTo]).toEqual([undefined, undefined]);
  });

  test('drops its intention even while a worker changes the domain', async () => {
    await add('shop.test');
    let interfered = false;
    const domains: typeof stores.domains = {
      ...stores.domains,
      saveDomain: async (next, read) => {
        if (!interfered && next.host === 'www.shop.test') {
          interfered = true;
          const current = (await stores.domains.getDomain(read.id)) as Domain;
          await stores.domains.saveDomain({ ...current, published: true }, current);
        }
        return stores.domains.saveDomain(next, read);
      },
    };
    await configureProject({ ...ports, domains }, project.id, { domains: { redirects: [] } }, RULES.policy);
    expect(await named('www.shop.test')).toMatchObject({ published: true });
    expect((await named('www.shop.test')).redirectTo).toBeUndefined();
  });
});
