// Owners' actions on projects and domains, on the embedded stores, and the small rules behind those actions.

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSandboxPublisher, createSqliteSandboxRecords } from '../../adapters/dns/sandbox.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { PLANS } from '../../core/access/plans.ts';
import { addDomain, publishRecords, recordsOf, removeDomain, verifyDomain } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { domainView } from '../../core/domains/domain-view.ts';
import { labelOf } from '../../core/domains/host-name.ts';
import type { CurrentPublication } from '../../core/domains/ports.ts';
import { recordsFor } from '../../core/domains/records.ts';
import { renewalDueAt, renewalLateAt } from '../../core/domains/renewal.ts';
import { configureProject, createProject, deleteDeployment, rollBack, serveDeployment } from '../../core/projects/actions.ts';
import type { Project } from '../../core/projects/project.ts';
import { pinDeployment, unpinDeployment } from '../../core/projects/retention.ts';
import { MOST_PINNED } from '../../core/publishing/kept-deployments.ts';
import { StoreFault } from '../../core/refusal.ts';
import { ownerOf } from '../../core/sandbox/ports.ts';
import { placeholderSite } from '../../service/catalogue/placeholder-site.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { makeFolder } from '../support/folders.ts';

const RULES = { policy: { ours: ['edge.test'], extraSuffixes: ['test'] }, edge: { host: 'edge.test' } };
const DAY_MS = 86_400_000;

let stores: SqliteStores;
let close: () => void;
let accountId: string;
let calls: string[];

beforeEach(async () => {
  const folder = makeFolder();
  stores = openSqliteStores(folder.path);
  calls = [];
  close = () => {
    stores.close();
    folder.remove();
  };
  const account = { ...sampleAccount(), plan: 'pro' as const };
  await stores.accounts.createAccount(account);
  accountId = account.id;
  ports = {
    ...stores,
    sites: createFolderSiteStore(folder.path),
    edge: {
      publish: async (_project: object, current: CurrentPublication, refused: readonly string[] = []) => {
        const { project, hosts = [] } = (await current()) ?? {};
        calls.push(refused.length > 0 ? `refuse ${refused.join()}` : `publish ${project?.currentDeploymentId} ${hosts.join()}`);
      },
    },
    workflow: { start: async ({ host, generation }: Domain) => void calls.push(`start ${host} ${generation}`) },
  };
});

afterEach(() => close());

let ports: Parameters<typeof createProject>[0] & Parameters<typeof addDomain>[0];

async function makeProject(empty = false): Promise<Project> {
  const made = await createProject(ports, { accountId, name: 'Shop & Co' }, randomBytes, NOON, empty ? undefined : placeholderSite);
  if (!made.ok) throw new Error(made.message);
  return made.project;
}

async function makeDomain(project: Project, host: string): Promise<Domain> {
  const added = await addDomain(ports, project, host, RULES, randomBytes, NOON);
  if (!added.ok) throw new Error(added.message);
  return added.domain;
}

/** The domain as it is at the end of its workflow. */
async function live(domain: Domain): Promise<Domain> {
  const next: Domain = { ...domain, state: { name: 'live', since: NOON, certificate: 'c', misses: 0, nextCheckAt: NOON + DAY_MS } };
  expect(await stores.domains.saveDomain(next, domain)).toBe('saved');
  return next;
}

describe('projects', () => {
  test('serve the API reference when they are new', async () => {
    const project = await makeProject();
    const deployment = { id: project.currentDeploymentId ?? '', projectId: project.id };
    const chunks: Buffer[] = [];
    for await (const chunk of (await createFolderSiteStoreOf().get(deployment, 'index.html'))?.read() ?? []) chunks.push(chunk);
    const page = Buffer.concat(chunks).toString();
    expect(page).toContain('<h1>Shop &amp; Co</h1>');
    expect(page).toContain('GET /v1/pets');
    expect(page).toContain('(deprecated)');
    expect(calls).toEqual([`publish ${project.currentDeploymentId} `]);
    expect((await stores.projects.listDeployments(project.id))[0]).toMatchObject({ files: 2 });
  });

  const createFolderSiteStoreOf = () => ports.sites as ReturnType<typeof createFolderSiteStore>;

  test('can be created without a site', async () => {
    expect((await makeProject(true)).currentDeploymentId).toBeUndefined();
  });

  test.each([
    [{ accountId: 'acc_nobody', name: 'Shop' }, 'not_found'],
    [{ accountId: '', name: ' ' }, 'invalid_request'],
  ])('cannot be created as %j', async (fields, code) => {
    expect(await createProject(ports, fields, randomBytes, NOON, placeholderSite)).toMatchObject({ ok: false, code });
  });

  test('are limited in number per account by the plan, as are domains, and the refusal says so', async () => {
    await stores.accounts.setPlan(accountId, 'free', PLANS.free.limits);
    for (let n = 0; n < PLANS.free.projects; n += 1) await makeProject(true);
    expect(await createProject(ports, { accountId, name: 'One more' }, randomBytes, NOON, placeholderSite)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: `account ${accountId} has 5 projects, the maximum on plan free; a larger plan allows more`,
    });
    await stores.accounts.setPlan(accountId, 'pro', PLANS.pro.limits);
    const projects = [await makeProject(), await makeProject()];
    for (let n = 0; n < PLANS.pro.domains; n += 1) await makeDomain(projects[n % 2] as Project, `www.shop${n}.test`);
    expect(await addDomain(ports, projects[0] as Project, 'www.onemore.test', RULES, randomBytes, NOON)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringMatching(/has 100 domains, the maximum on plan pro; remove one/),
    });
  });

  test('allow six verifications of a domain a minute, and more when the minute is over; setting the clock back blocks no one', async () => {
    const domain = await makeDomain(await makeProject(), 'www.eager.test');
    const verify = async (now: number) => verifyDomain(ports, (await stores.domains.getDomain(domain.id)) as Domain, now);
    for (let n = 0; n < 6; n += 1) expect(await verify(NOON + n * 1_000)).toMatchObject({ ok: true });
    expect(await verify(NOON + 6_000)).toMatchObject({
      ok: false,
      code: 'rate_limit_exceeded',
      retryAfterSeconds: 54,
      message: expect.stringMatching(/6 times within a minute.*in 54 s/),
    });
    expect(await verify(NOON + 60_000)).toMatchObject({ ok: true });
    expect(await verify(NOON - 3_600_000)).toMatchObject({ ok: true });
  });

  test('get another id if one is taken, in a limited number of attempts', async () => {
    const zeros = () => new Uint8Array(64);
    expect(await createProject(ports, { accountId, name: 'A' }, zeros, NOON, undefined)).toMatchObject({ ok: true });
    expect(await createProject(ports, { accountId, name: 'B' }, zeros, NOON, undefined)).toMatchObject({ ok: false, code: 'unavailable' });
  });

  test('update the edge for the served hosts on deploy and rollback', async () => {
    const project = await makeProject();
    await live(await makeDomain(project, 'www.a.test'));
    await makeDomain(project, 'www.b.test');
    calls = [];
    const deployment = { id: 'dpl_2', projectId: project.id, createdAt: NOON + 1, files: 1, bytes: 1 };
    expect(await serveDeployment(ports, deployment)).toMatchObject({ ok: true, project: { currentDeploymentId: 'dpl_2' } });
    const current = (await stores.projects.getProject(project.id)) as Project;
    expect(await rollBack(ports, current, undefined, NOON + 2)).toMatchObject({
      ok: true,
      project: { currentDeploymentId: project.currentDeploymentId },
    });
    expect(calls).toEqual(['publish dpl_2 www.a.test', `publish ${project.currentDeploymentId} www.a.test`]);
    expect(await rollBack(ports, project, undefined, NOON + 2)).toMatchObject({ ok: false, code: 'conflict' });
    expect(await rollBack(ports, project, 'dpl_nobody', NOON + 2)).toMatchObject({
      ok: false,
      code: 'not_found',
      message: expect.stringContaining('dpl_2'),
    });
    expect(await serveDeployment(ports, { ...deployment, id: 'dpl_3', projectId: 'prj_nobody' })).toMatchObject({ ok: false, code: 'not_found' });
  });

  test('keep their last ten deployments and pinned ones; publishing succeeds even if old ones can not be removed', async () => {
    const project = await makeProject();
    const publish = (n: number, projects = ports.projects) =>
      serveDeployment({ ...ports, projects }, { id: `dpl_${project.id}_${n}`, projectId: project.id, createdAt: NOON + n, files: 1, bytes: 1 });
    const kept = async () => (await stores.projects.listDeployments(project.id)).map(({ createdAt }) => createdAt - NOON);
    for (let n = 1; n <= 10; n += 1) await publish(n);
    expect(await kept()).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const failing = { ...ports.projects, deleteDeployment: () => Promise.reject(new StoreFault('unavailable', 'away')) };
    expect(await publish(11, failing)).toMatchObject({ ok: true });
    expect(await kept()).toHaveLength(11);
    const name = (n: number) => ({ projectId: project.id, id: `dpl_${project.id}_${n}` });
    for (let n = 1; n <= MOST_PINNED; n += 1) expect(await pinDeployment(ports, name(n))).toMatchObject({ ok: true, deployment: { pinned: true } });
    expect(await pinDeployment(ports, name(1))).toMatchObject({ ok: true });
    expect(await pinDeployment(ports, name(11))).toMatchObject({ ok: false, code: 'conflict', message: expect.stringContaining('maximum') });
    expect(await pinDeployment(ports, name(99))).toMatchObject({ ok: false, code: 'not_found' });
    expect(await deleteDeployment(ports, project, name(1).id, NOON)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringContaining('unpin'),
    });
    await publish(12);
    expect(await kept()).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await unpinDeployment(ports, name(1))).toMatchObject({ ok: true });
    expect(await unpinDeployment(ports, name(99))).toMatchObject({ ok: false, code: 'not_found' });
    await publish(13);
    expect(await kept()).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    expect(await deleteDeployment(ports, project, name(11).id, NOON)).toMatchObject({ ok: true });
  });

  test('can name only their live domains in their configuration', async () => {
    const project = await makeProject();
    await live(await makeDomain(project, 'www.a.test'));
    const configure = (value: unknown, id = project.id) => configureProject(ports, id, value, RULES.policy);
    expect(await configure({ domains: { primary: 'www.a.test' } })).toMatchObject({
      ok: true,
      project: { configuration: { domains: { primary: 'www.a.test' } } },
    });
    expect(await configure({ domains: { primary: 'www.other.test' } })).toMatchObject({ ok: false, code: 'invalid_request' });
    expect(await configure({ domain: {} })).toMatchObject({ ok: false, code: 'invalid_request' });
    expect(await configure({ domains: {} }, 'prj_nobody')).toMatchObject({ ok: false, code: 'not_found' });
  });

  test('escape user input in the placeholder site', () => {
    expect(placeholderSite('<script>"').get('index.html')).toContain('&lt;script&gt;&quot;');
  });
});

describe('domains', () => {
  test('can be verified and removed; removal stops traffic first', async () => {
    const project = await makeProject();
    const domain = await makeDomain(project, 'www.a.test');
    calls = [];
    const verified = await verifyDomain(ports, domain, NOON);
    expect(verified).toMatchObject({ ok: true, domain: { generation: 1 } });
    // With the record as it was read earlier.
    expect(await removeDomain(ports, domain, NOON)).toMatchObject({ ok: true, domain: { generation: 2, state: { name: 'removing' } } });
    expect(calls).toEqual(['start www.a.test 1', 'refuse www.a.test', 'start www.a.test 2']);
    expect(await verifyDomain(ports, domain, NOON)).toMatchObject({ ok: false, code: 'conflict' });
    expect(await removeDomain(ports, domain, NOON)).toMatchObject({ ok: true });
  });

  test('that are removed remember by whom, and the records that their owner has set', async () => {
    const project = await makeProject();
    const by = { id: 'usr_1', rules: RULES };
    const removalOf = async (fields: Partial<Domain>) => {
      const domain = await makeDomain(project, `www.${Object.keys(fields).join('')}a.test`);
      const stored = { ...domain, ...fields };
      await ports.domains.saveDomain(stored, domain);
      const removed = await removeDomain(ports, stored, NOON, { by });
      return removed.ok ? removed.domain.removal : expect.fail(removed.message);
    };
    expect(await removalOf({})).toEqual({
      by: 'usr_1',
      records: [{ type: 'CNAME', name: 'www.a.test', value: `${project.token}.${RULES.edge.host}` }],
    });
    expect(await removalOf({ published: true })).toEqual({ by: 'usr_1', records: [] });
  });

  test('are refused with reasons that distinguish an existing and an unknown domain; a live one is only looked at again', async () => {
    const project = await makeProject();
    const domain = await makeDomain(project, 'www.a.test');
    expect(await addDomain(ports, project, 'www.a.test', RULES, randomBytes, NOON)).toMatchObject({ ok: false, code: 'conflict' });
    expect(await addDomain(ports, project, 'co.uk', RULES, randomBytes, NOON)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^domain: got "co\.uk"; allowed: a name below co\.uk/),
    });
    expect(await verifyDomain(ports, { ...domain, id: 'dom_nobody' }, NOON)).toMatchObject({ ok: false, code: 'not_found' });
    const served = await live(domain);
    expect(await verifyDomain(ports, served, NOON + 5)).toMatchObject({ ok: true, domain: { state: { name: 'live', nextCheckAt: NOON + 5 } } });
    await stores.accounts.setPlan(accountId, 'free', { perMinute: 60, perDay: 1_000 });
    expect(await verifyDomain(ports, domain, NOON)).toMatchObject({ ok: false, message: expect.stringContaining('paid plan') });
    expect(await addDomain(ports, project, 'www.c.test', RULES, randomBytes, NOON)).toMatchObject({ ok: false, code: 'conflict' });
  });

  test('have their records published in the sandbox, and only those records are deleted later', async () => {
    const project = await makeProject();
    const domain = await makeDomain(project, 'shop.test');
    const records = recordsOf(project, domain, RULES);
    const sandbox = createSqliteSandboxRecords(stores.database);
    const publisher = createSandboxPublisher(sandbox, 'test');
    expect(await publishRecords(stores.domains, createSandboxPublisher(sandbox, undefined), domain, records)).toMatchObject({
      ok: false,
      code: 'conflict',
      message: expect.stringContaining('do not manage the zone'),
    });
    sandbox.set({ name: 'shop.test', type: 'A', value: '192.0.2.1', ttl: 60 }, false);
    expect(await publishRecords(stores.domains, publisher, domain, records)).toMatchObject({
      ok: false,
      message: expect.stringContaining('shop.test has A 192.0.2.1'),
    });
    sandbox.unset('shop.test', 'A');
    sandbox.set({ name: '_petstore.shop.test', type: 'TXT', value: 'other', ttl: 60 }, false);
    for (let times = 0; times < 2; times += 1) expect(await publishRecords(stores.domains, publisher, domain, records)).toMatchObject({ ok: true });
    expect(sandbox.list().map(({ type, value }) => [type, value])).toEqual([
      ['TXT', 'other'],
      ['TXT', `petstore-project=${project.token}`],
      ['ALIAS', `${project.token}.edge.test`],
    ]);
    await publisher.withdraw(accountId, 'shop.test', records);
    expect(sandbox.list()).toMatchObject([{ value: 'other' }]);
    sandbox.set({ name: 'www.shop.test', type: 'CNAME', value: 'x.test', ttl: 60 }, false);
    const www = await makeDomain(project, 'www.shop.test');
    expect(await publishRecords(stores.domains, publisher, www, recordsOf(project, www, RULES))).toMatchObject({
      ok: false,
      message: expect.stringContaining('CNAME x.test'),
    });
  });

  test('need a separate TXT record for CloudFront at the apex', () => {
    const records = recordsFor({ token: 'token' }, 'shop.dev', true, { host: 'edge.dev', challenge: 'd1.cloudfront.net' });
    expect(records.map(({ type, name, value }) => [type, name, value])).toEqual([
      ['ALIAS', 'shop.dev', 'token.edge.dev'],
      ['TXT', '_petstore.shop.dev', 'petstore-project=token'],
      ['TXT', '_cf-challenge.shop.dev', 'd1.cloudfront.net'],
    ]);
  });

  test('are shown with every field that programs need', async () => {
    const domain = await makeDomain(await makeProject(), 'www.a.test');
    expect(domainView(domain, NOON)).toEqual({
      domainId: domain.id,
      host: 'www.a.test',
      displayHost: 'www.a.test',
      projectId: domain.projectId,
      state: 'awaiting_dns',
      stateLabel: 'Waiting for DNS',
      served: false,
      inProgress: false,
      since: '2026-11-21T10:00:00.000Z',
      diagnosis: null,
      advice: expect.objectContaining({ code: 'awaiting_dns', actor: 'owner' }),
      canPublish: false,
      certificate: null,
      companion: null,
      redirectTo: null,
      dnsSeenAt: null,
      canVerify: true,
      certificateLate: false,
      lastFailure: null,
      history: [{ state: 'awaiting_dns', at: '2026-11-21T10:00:00.000Z' }],
    });
    const refused = { name: 'certificate_failed', since: NOON, failure: 'name_refused', detail: 'why', checks: 3, nextCheckAt: NOON } as const;
    expect(domainView({ ...domain, state: refused }, NOON)).toMatchObject({ failure: 'name_refused', detail: 'why', inProgress: false });
    expect(domainView({ ...domain, state: { name: 'suspended', since: NOON, reason: 'plan' } }, NOON)).toMatchObject({ reason: 'plan' });
    const diagnosis = { code: 'not_found', seen: 'nothing', fix: 'set it', actor: 'owner', retryAfterSeconds: 5 } as const;
    expect(domainView({ ...domain, state: { name: 'verifying', since: NOON, checks: 1, nextCheckAt: NOON, diagnosis } }, NOON)).toMatchObject({
      diagnosis: { code: 'not_found', seen: 'nothing', fix: 'set it', actor: 'owner' },
      nextCheckAt: '2026-11-21T10:00:00.000Z',
    });
  });

  test('remember who hosts their zone, if that is known when they are added', async () => {
    const project = await makeProject();
    const zone = { name: 'a.test', nameServers: ['ns1.hover.com'], editable: true };
    const asked: string[] = [];
    const inspector = {
      inspect: async (account: string, host: string) => {
        asked.push(`${account} ${host}`);
        return host === 'www.a.test' ? zone : undefined;
      },
    };
    const added = await addDomain(ports, project, 'https://WWW.a.test/x', RULES, randomBytes, NOON, { inspector });
    expect(added).toMatchObject({ ok: true, domain: { zone: { ...zone, at: NOON } } });
    const [stored] = await stores.domains.listDomains(project.id);
    expect(domainView(stored as Domain, NOON)).toMatchObject({ canPublish: true, dnsSeenAt: '2026-11-21T10:00:00.000Z' });
    const unknown = await addDomain(ports, project, 'www.b.test', RULES, randomBytes, NOON, { inspector });
    expect(unknown.ok && unknown.domain.zone).toBeUndefined();
    // A name that is refused is not looked up, nor one that the project has.
    for (const refused of ['co.uk', 'www.a.test'])
      expect(await addDomain(ports, project, refused, RULES, randomBytes, NOON, { inspector })).toMatchObject({ ok: false });
    expect(asked).toEqual([`${accountId} www.a.test`, `${accountId} www.b.test`]);
  });

  test('are late, and can be verified again, if the certificate was not issued within 30 minutes', async () => {
    const made = await makeDomain(await makeProject(), 'www.a.test');
    const pending = { ...made, state: { name: 'certificate_pending', certificate: 'c', since: NOON, checks: 1, nextCheckAt: NOON } as const };
    const of = (minutes: number) => {
      const { canVerify, certificateLate } = domainView(pending, NOON + minutes * 60_000);
      return [canVerify, certificateLate];
    };
    expect([of(0), of(29.9), of(30)]).toEqual([
      [false, false],
      [false, false],
      [true, true],
    ]);
    expect(
      domainView({ ...made, state: { name: 'live', certificate: 'c', since: NOON, misses: 0, nextCheckAt: NOON } }, NOON + 3_600_000),
    ).toMatchObject({
      served: true,
      inProgress: false,
      canVerify: true,
      certificateLate: false,
    });
    expect(
      domainView({ ...made, state: { name: 'verifying', since: NOON, checks: 0, nextCheckAt: NOON, diagnosis: undefined } }, NOON),
    ).toMatchObject({
      served: false,
      inProgress: true,
    });
  });

  test.each([
    ['www.shop.co.uk', 'shop.co.uk', 'www'],
    ['a.b.shop.dev', 'shop.dev', 'a.b'],
    ['shop.dev', 'shop.dev', '@'],
    ['_petstore.shop.dev', 'shop.dev', '_petstore'],
    ['notshop.dev', 'shop.dev', 'notshop.dev'],
  ])('%s in the DNS settings for %s is shown as %s', (name, registrable, label) => {
    expect(labelOf(name, registrable)).toBe(label);
  });
});

describe('renewal', () => {
  const life = (days: number) => ({ notBefore: NOON, notAfter: NOON + days * DAY_MS });

  test.each([90, 64, 45, 6])('is due with slightly more than a third of a %i-day lifetime left', (days) => {
    const due = (renewalDueAt(life(days), 'dom_1') - NOON) / DAY_MS;
    expect(due).toBeLessThanOrEqual((days * 2) / 3);
    expect(due).toBeGreaterThan(days * (2 / 3 - 1 / 20) - 0.01);
  });

  test('is due at a fixed time for each domain, spread across domains', () => {
    const dues = Array.from({ length: 200 }, (_, n) => renewalDueAt(life(90), `dom_${n}`));
    expect(renewalDueAt(life(90), 'dom_7')).toBe(dues[7]);
    expect(Math.max(...dues) - Math.min(...dues)).toBeGreaterThan(4 * DAY_MS);
  });

  test('is late once half of the time for it has passed', () => {
    expect(renewalLateAt(life(90))).toBe(NOON + 75 * DAY_MS);
  });

  test('follows the window of an authority, spread across domains, but neither at once in a circle nor too late', () => {
    const due = (from: number, to: number, n = 0) =>
      (renewalDueAt(life(90), `dom_${n}`, { start: NOON + from * DAY_MS, end: NOON + to * DAY_MS }) - NOON) / DAY_MS;
    const dues = Array.from({ length: 200 }, (_, n) => due(40, 42, n));
    expect(Math.min(...dues)).toBeGreaterThanOrEqual(40);
    expect(Math.max(...dues)).toBeLessThanOrEqual(42);
    expect(new Set(dues).size).toBeGreaterThan(190);
    // Revoked in mass: the window is in the past.
    expect(due(-30, -20)).toBe(1);
    expect(due(89, 400)).toBe(75);
    const short = { notBefore: NOON, notAfter: NOON + 300_000 };
    expect(renewalDueAt(short, 'dom_1', { start: 0, end: 1 })).toBe(NOON + 100_000);
  });
});

test('a sandbox name belongs to the account with a record in its zone, and otherwise only to the operator', () => {
  const records = [{ name: 'www.shop.test', accountId: 'acc_1' }, { name: 'other.test' }];
  expect(['shop.test', '_petstore.www.shop.test', 'other.test', 'myshop.test'].map((name) => ownerOf(name, records, 'test'))).toEqual([
    'acc_1',
    'acc_1',
    undefined,
    undefined,
  ]);
});
