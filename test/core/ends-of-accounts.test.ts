// How an account is suspended, resumed and deleted, with what it serves.

import { randomBytes } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { setOutboxOpen } from '../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { Account } from '../../core/access/account.ts';
import { deleteAccount, resumeAccount, suspendAccount } from '../../core/access/account-ends.ts';
import { createDemoAccount } from '../../core/access/accounts.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import type { ServingPorts } from '../../core/domains/suspension.ts';
import { createProject, published } from '../../core/projects/actions.ts';
import { sampleProject } from '../../testing/projects.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';
import { QUICK_PASSWORDS } from '../support/samples.ts';

const REASON = 'unpaid since May';
let stores: SqliteStores;
let account: Account;
let calls: string[];
let serving: ServingPorts;

beforeEach(async () => {
  const opened = openSqliteStores(testFolder());
  onTestFinished(() => opened.close());
  stores = opened;
  account = sampleAccount();
  await stores.accounts.createAccount(account);
  calls = [];
  serving = {
    ...stores,
    workflow: { start: async ({ host }) => void calls.push(`start ${host}`) },
    edge: {
      publish: async ({ id }, current, hosts) => {
        const publication = await current();
        calls.push(publication === undefined ? `refuse ${id} ${hosts?.toSorted().join() ?? ''}` : `publish ${id} ${publication.hosts.join()}`);
      },
    },
  };
});

const makeProject = async () => {
  const project = sampleProject({ accountId: account.id });
  await stores.projects.createProject(project);
  return project;
};

const addDomain = async (projectId: string, host: string, state?: Domain['state']) => {
  const domain = newDomain({ id: `dom_${host}`, host, projectId, accountId: account.id }, NOON);
  await stores.domains.addDomain(domain);
  if (state !== undefined) await stores.domains.saveDomain({ ...domain, state }, domain);
};

const stateOf = async (host: string) => (await stores.domains.getDomain(`dom_${host}`))?.state;

test('a suspension stops what is served, and resuming verifies those domains again', async () => {
  const { accounts } = stores;
  const { id } = await makeProject();
  const live = { name: 'live', since: NOON, certificate: 'c', misses: 0, nextCheckAt: NOON } as const;
  await addDomain(id, 'live.dev', live);
  await addDomain(id, 'waiting.dev');
  await addDomain(id, 'planless.dev', { name: 'suspended', since: NOON, reason: 'plan' });
  const suspended = await suspendAccount({ accounts, serving }, account.id, REASON, NOON + 1);
  expect(suspended).toMatchObject({ ok: true, suspension: { since: NOON + 1, reason: REASON }, domains: [{ host: 'live.dev' }] });
  expect(calls).toEqual([`refuse ${id} live.dev,planless.dev,waiting.dev`]);
  expect(await stateOf('live.dev')).toEqual({ name: 'suspended', since: NOON + 1, reason: 'by_operator' });
  expect(await stateOf('waiting.dev')).toMatchObject({ name: 'awaiting_dns' });
  // Whatever is published meanwhile is not served.
  expect(await published({ ...stores, edge: serving.edge }, id)).toMatchObject({ ok: true });
  expect(calls.at(-1)).toBe(`refuse ${id} `);
  const ports = { ...stores, edge: serving.edge, sites: { put: async () => {} } };
  const refused = await createProject(ports as never, { accountId: account.id, name: 'More' }, randomBytes, NOON, undefined);
  expect(refused).toMatchObject({ ok: false, message: expect.stringContaining(REASON) });
  // Again: the first moment stays.
  expect(await suspendAccount({ accounts, serving }, account.id, 'and June', NOON + 2)).toMatchObject({
    suspension: { since: NOON + 1, reason: 'and June' },
    domains: [],
  });

  calls.length = 0;
  expect(await resumeAccount({ accounts, serving }, account.id, NOON + 3)).toMatchObject({ ok: true, domains: [{ host: 'live.dev' }] });
  expect(calls).toEqual([`publish ${id} `, 'start live.dev']);
  expect([(await stateOf('live.dev'))?.name, (await stateOf('planless.dev'))?.name]).toEqual(['verifying', 'suspended']);
  expect((await accounts.getAccount(account.id))?.suspension).toBeUndefined();
  expect(await resumeAccount({ accounts, serving: undefined }, account.id, NOON + 4)).toEqual({ ok: true, domains: [] });
});

test('members are notified of a suspension once, with domains or without', async () => {
  await setOutboxOpen(stores.database, true);
  await suspendAccount({ accounts: stores.accounts, serving: undefined }, account.id, REASON, NOON);
  await suspendAccount({ accounts: stores.accounts, serving: undefined }, account.id, REASON, NOON + 1);
  await resumeAccount({ accounts: stores.accounts, serving: undefined }, account.id, NOON + 2);
  const events = (await stores.outbox.ofAccount(account.id)).map(({ notification: { event } }) => event);
  expect(events).toEqual([{ kind: 'account_suspended', reason: REASON }]);
});

test('a reason is needed, and an account', async () => {
  const ports = { accounts: stores.accounts, serving: undefined };
  expect(await suspendAccount(ports, account.id, ' ', NOON)).toMatchObject({ code: 'invalid_request' });
  expect(await suspendAccount(ports, account.id, 'a\nb', NOON)).toMatchObject({ code: 'invalid_request' });
  expect(await suspendAccount(ports, account.id, REASON, NOON)).toMatchObject({ ok: true, domains: [] });
  for (const outcome of [await suspendAccount(ports, 'acc_none', REASON, NOON), await resumeAccount(ports, 'acc_none', NOON)])
    expect(outcome).toMatchObject({ code: 'not_found' });
});

test('an account is deleted once it has no projects, with its members and its records', async () => {
  const removed: string[] = [];
  const record = { name: 'a.shop.test', type: 'A', value: '192.0.2.1', ttl: 60 } as const;
  const sandbox = {
    list: () => [
      { ...record, accountId: account.id },
      { ...record, name: 'other.test' },
    ],
    unset: async (name: string) => removed.push(name),
  };
  const ports = { ...stores, sandbox };
  await stores.members.addMember(account.id, 'usr_1', 'owner');
  const projects = [await makeProject()];
  expect(await deleteAccount(ports, account.id, NOON)).toMatchObject({ message: expect.stringContaining('has a project, prj_') });
  for (let n = 0; n < 10; n += 1) projects.push(await makeProject());
  expect(await deleteAccount(ports, account.id, NOON)).toMatchObject({
    message: expect.stringMatching(/has 11 projects, .* and 1 more: delete them/),
  });
  for (const project of projects) await stores.projects.deleteProject(project, NOON);
  expect(await deleteAccount(ports, account.id, NOON)).toEqual({ ok: true });
  expect([removed, await stores.members.membershipsOf('usr_1')]).toEqual([['a.shop.test'], []]);
  expect(await deleteAccount(ports, account.id, NOON)).toMatchObject({ code: 'not_found' });
});

/** The ports of the first start, on an empty installation. */
function emptyInstallation() {
  const opened = openSqliteStores(testFolder());
  onTestFinished(() => opened.close());
  return { ...opened, users: createSqliteUserStore(opened.database, opened.recordChange, QUICK_PASSWORDS), isShared: false };
}

test('an installation whose last account is deleted gets no demo account again', async () => {
  const ports = emptyInstallation();
  expect(await createDemoAccount(ports, randomBytes, NOON)).toMatchObject({ email: 'demo@petstore.test' });
  const [demo] = await ports.accounts.listAccounts();
  await ports.accounts.deleteAccount(demo?.id ?? '', NOON);
  expect(await ports.accounts.listAccounts()).toEqual([]);
  expect(await createDemoAccount(ports, randomBytes, NOON)).toBeUndefined();
  for (const { id } of await ports.users.list()) await ports.users.remove(id);
  expect(await createDemoAccount(ports, randomBytes, NOON)).toBeUndefined();
  expect(await ports.users.list()).toEqual([]);
});

test('an installation with other users gets no demo account', async () => {
  const ports = emptyInstallation();
  await ports.users.add({ id: 'usr_ann', email: 'ann@example.com' }, 'a password of twelve');
  expect(await createDemoAccount(ports, randomBytes, NOON)).toBeUndefined();
});

test('a first start that ended before it created the account is completed by the next, but not while another host may be at it', async () => {
  const ports = emptyInstallation();
  const members = { ...ports, accounts: { ...ports.accounts, createAccount: () => Promise.reject(new Error('killed')) } };
  await expect(createDemoAccount(members, randomBytes, NOON)).rejects.toThrow('killed');
  expect(await createDemoAccount({ ...ports, isShared: true }, randomBytes, NOON)).toBeUndefined();
  const { email = '', password = '' } = (await createDemoAccount(ports, randomBytes, NOON)) ?? {};
  expect(await ports.users.check(email, password)).toMatchObject({ email });
  expect(await ports.accounts.listAccounts()).toHaveLength(1);
});
