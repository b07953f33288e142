// A project's settings stay consistent with its domains, whatever happens to them: settings that were read can be written back, and no redirect
// leads nowhere.

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createSqliteEdgeMap } from '../../adapters/edge/sqlite-edge.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { checkDomainsWithoutPlan, removeDomain } from '../../core/domains/actions.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import { transition } from '../../core/domains/lifecycle.ts';
import { publish } from '../../core/domains/publication.ts';
import { type Redirect, redirectFrom } from '../../core/domains/redirects.ts';
import { isServed } from '../../core/domains/states.ts';
import { configureProject } from '../../core/projects/actions.ts';
import { EMPTY_CONFIGURATION, type Project } from '../../core/projects/project.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { makeFolder } from '../support/folders.ts';

const RULES = { policy: { ours: [], extraSuffixes: ['test'] }, edge: { host: 'edge.petstore.test' } };
const HOSTS = ['a.shop.test', 'b.shop.test', 'c.shop.test'] as const;

async function makeShop() {
  const folder = makeFolder();
  const stores = openSqliteStores(folder.path);
  onTestFinished(() => {
    stores.close();
    folder.remove();
  });
  const platform = {
    ...stores,
    sites: createFolderSiteStore(folder.path),
    edge: createSqliteEdgeMap(stores.database),
    workflow: { start: async () => {} },
  };
  const map = createSqliteEdgeMap(stores.database);
  const account = { ...sampleAccount(), plan: 'pro' as const };
  await stores.accounts.createAccount(account);
  const project: Project = {
    ...{ id: 'prj_1', accountId: account.id, name: 'Shop', token: 't', createdAt: NOON, currentDeploymentId: 'dpl_1' },
    configuration: EMPTY_CONFIGURATION,
  };
  await stores.projects.createProject(project);
  let added = 0;

  async function addLive(host: string): Promise<void> {
    added += 1;
    const state = { name: 'live', since: NOON, certificate: 'ref', misses: 0, nextCheckAt: NOON + 1_000 } as const;
    const domain = { ...newDomain({ id: `dom_${added}`, host, projectId: project.id, accountId: account.id }, NOON), state };
    if ((await stores.domains.addDomain(domain)) === 'added') map.set(host, { projectId: project.id, certificate: 'ref' });
  }
  const find = async (host: string) =>
    (await stores.domains.listDomains(project.id)).find((domain) => domain.host === host && isServed(domain.state));
  const settings = async () => (await stores.projects.getProject(project.id))?.configuration ?? EMPTY_CONFIGURATION;
  const configure = (value: unknown) => configureProject(platform, project.id, value, RULES.policy);
  const setTo = async (domain: Domain, event: Parameters<typeof transition>[1]) => {
    const moved = transition(domain, event, NOON);
    if (moved.kind === 'moved') await stores.domains.saveDomain(moved.domain, domain);
    await publish(platform, { id: domain.projectId }, [domain.host]);
  };
  return { stores, platform, map, account, project, addLive, find, settings, configure, setTo };
}

type Shop = Awaited<ReturnType<typeof makeShop>>;

const host = fc.constantFrom(...HOSTS);
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), host }),
  fc.record({ kind: fc.constant('redirect' as const), host, to: host }),
  fc.record({ kind: fc.constant('primary' as const), host }),
  fc.record({ kind: fc.constant('remove' as const), host, withRedirects: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('lose' as const, 'suspend' as const), host }),
);

async function play(shop: Shop, { kind, host: at, ...more }: typeof step extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> {
  if (kind === 'add') return shop.addLive(at);
  const { domains } = await shop.settings();
  if (kind === 'redirect' && 'to' in more) {
    const redirect: Redirect = { from: at, to: more.to, status: 301 };
    return void (await shop.configure({ domains: { ...domains, redirects: [...domains.redirects.filter(({ from }) => from !== at), redirect] } }));
  }
  if (kind === 'primary') return void (await shop.configure({ domains: { ...domains, primary: at } }));
  const domain = await shop.find(at);
  if (domain === undefined) return;
  if (kind === 'remove') return void (await removeDomain(shop.platform, domain, NOON, 'withRedirects' in more ? more : {}));
  await shop.setTo(domain, kind === 'lose' ? { kind, proof: `_petstore.${at}` } : { kind: 'suspend', reason: 'plan' });
}

test('after any sequence of changes, settings can be written back as read, and no redirect leads to a name that is not live', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const shop = await makeShop();
      for (const each of steps) {
        await play(shop, each);
        const read = await shop.settings();
        expect(await shop.configure(JSON.parse(JSON.stringify(read)))).toMatchObject({ ok: true });
        const serves = (name: string) => shop.map.get(name)?.projectId === shop.project.id;
        for (const from of HOSTS.filter(serves)) {
          const redirect = redirectFrom(from, read.domains.redirects);
          if (redirect !== undefined && serves(redirect.to)) expect(await shop.find(redirect.to)).toBeDefined();
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('a domain in use is removed together with its redirects, or not at all', async () => {
  const shop = await makeShop();
  for (const each of HOSTS) await shop.addLive(each);
  const [a, b, c] = HOSTS;
  const redirects = [
    { from: b, to: a, status: 301 },
    { from: c, to: b, status: 308 },
  ];
  expect(await shop.configure({ domains: { primary: a, redirects } })).toMatchObject({ ok: true });
  const remove = async (name: string, withRedirects = false) =>
    removeDomain(shop.platform, (await shop.find(name)) as Domain, NOON, { withRedirects });
  expect(await remove(a)).toMatchObject({
    ok: false,
    code: 'conflict',
    message: `${a} is in use: it is the primary domain, ${b} redirects to it; change these settings first, or remove them with the domain`,
    atCommandLine: ' (petstore config put, or --with-redirects)',
  });
  expect(shop.map.get(a)).toBeDefined();
  // Redirects that only lead away from the domain are removed with it.
  expect(await remove(c)).toMatchObject({ ok: true });
  expect((await shop.settings()).domains).toEqual({ primary: a, redirects: [redirects[0]] });
  expect(await remove(a, true)).toMatchObject({ ok: true });
  expect((await shop.settings()).domains).toEqual({ redirects: [] });
  expect([shop.map.get(a), shop.map.get(b)?.projectId]).toEqual([undefined, shop.project.id]);
});

test("if an account's plan no longer allows domains, their checks are due at once, and suspend them", async () => {
  const shop = await makeShop();
  for (const each of HOSTS) await shop.addLive(each);
  expect(await checkDomainsWithoutPlan(shop.platform, shop.account.id, NOON)).toEqual([]);
  await shop.stores.accounts.setPlan(shop.account.id, 'free', { perMinute: 60, perDay: 1_000 });
  expect((await checkDomainsWithoutPlan(shop.platform, shop.account.id, NOON)).map((domain) => domain.host)).toEqual([...HOSTS]);
  expect((await shop.stores.domains.dueDomains(NOON, 10)).items.map((domain) => domain.host).toSorted()).toEqual([...HOSTS]);
  expect(await checkDomainsWithoutPlan(shop.platform, 'acc_nobody', NOON)).toEqual([]);
  // Another process changes a domain in the meantime: the change is retried on the new state if the domain is still served.
  let others = 2;
  const domains = {
    ...shop.stores.domains,
    saveDomain: async (next: Domain, read: Domain) => {
      if (others > 0) {
        others -= 1;
        const current = (await shop.stores.domains.getDomain(read.id)) as Domain;
        const state = others === 1 ? { ...current.state, misses: 1 } : ({ name: 'suspended', since: NOON, reason: 'plan' } as const);
        await shop.stores.domains.saveDomain({ ...current, state } as Domain, current);
      }
      return shop.stores.domains.saveDomain(next, read);
    },
  };
  expect(await checkDomainsWithoutPlan({ ...shop.platform, domains }, shop.account.id, NOON - 1)).toHaveLength(3);
  expect((await shop.stores.domains.dueDomains(NOON - 1, 10)).items.length).toBe(2);
});
