// The last seconds of a move: the service, a host that serves only the API beside it, and the command line, while the installation takes no changes.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DATABASE_FILE, SITES_FOLDER } from '../../adapters/files/data-folder.ts';
import { allowChanges, stopChanges } from '../../platforms/embedded/changes.ts';
import { lockMove } from '../../platforms/embedded/move.ts';
import { command, commandJson } from '../support/command-line.ts';
import { atADayWithTime } from '../support/day.ts';
import { testFolder } from '../support/folders.ts';
import { runCli, type ServerProcess } from '../support/processes.ts';
import { petBody } from '../support/samples.ts';
import { Browser, codeFor, exchange, openSignIn, submit } from '../support/sign-in.ts';
import { startTestServer } from '../support/test-processes.ts';

const WHERE = 'PostgreSQL at 10.0.0.5:5432, database petstore';
const STOPPED = {
  code: 'unavailable',
  message: 'this installation is being moved: nothing can be changed until it is served from its new location; try again',
  status: 503,
};
/** How long changes are stopped, in milliseconds: nothing may change in this time. */
const STOPPED_MS = 2_000;
const CLIENTS = 20;

/** What admission counts, and what says that the service is alive. */
const COUNTED = ['usage', 'usage_history', 'heartbeat', 'settled_time'];
const LAST_USE = ['last_used_at', 'ban_since', 'ban_until', 'ban_level'];

/** Everything in the database but that. */
function dump(folder: string): readonly string[] {
  using database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  return tables
    .map(({ name }) => String(name))
    .filter((table) => !COUNTED.includes(table))
    .flatMap((table) =>
      database
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => `${table} ${JSON.stringify(Object.entries(row).filter(([column]) => !LAST_USE.includes(column)))}`),
    )
    .toSorted();
}

const filesIn = (folder: string) => readdirSync(join(folder, SITES_FOLDER), { recursive: true }).map(String).toSorted();

interface Customer {
  readonly accountId: string;
  readonly key: string;
}

async function makeCustomer(folder: string): Promise<Customer> {
  const limits = ['--per-minute', '1000000', '--per-day', '1000000'];
  const { accountId } = await commandJson<{ accountId: string }>(folder, [
    ...['accounts', 'create', '--name', 'Busy', '--plan', 'enterprise'],
    ...limits,
  ]);
  const scopes = ['--scopes', 'pets:read,pets:write'];
  const { key } = await commandJson<{ key: string }>(folder, ['keys', 'issue', '--account', accountId, '--name', 'Till', ...scopes]);
  return { accountId, key };
}

async function add({ url }: Pick<ServerProcess, 'url'>, { key }: Customer, name: string) {
  const response = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: petBody({ name, categoryId: 1 }),
  });
  return { name, status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
}

async function list({ url }: Pick<ServerProcess, 'url'>, { key }: Customer): Promise<number> {
  const response = await fetch(`${url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  return response.status;
}

const storageOf = async ({ url }: Pick<ServerProcess, 'url'>) => {
  const response = await fetch(`${url}/readyz`);
  const { checks } = (await response.json()) as { checks: readonly { name: string }[] };
  return [response.status, checks.find(({ name }) => name === 'storage')];
};
const WARNED = [200, { name: 'storage', state: 'warning', reason: 'this installation is being moved: nothing can be changed' }];

test('nothing changes while changes are stopped, readers are served, and nothing that was acknowledged is lost', async () => {
  const folder = testFolder();
  const service = await startTestServer(folder);
  const api = await startTestServer(folder, {}, ['start', '--only', 'api']);
  const customer = await makeCustomer(folder);
  const { projectId } = await commandJson<{ projectId: string }>(folder, [
    ...['projects', 'create', '--account', customer.accountId, '--name', 'Shop'],
  ]);
  await commandJson(folder, ['domains', 'add', 'www.moved.test', '--project', projectId]);
  await commandJson(folder, ['domains', 'verify', 'www.moved.test']);

  await atADayWithTime();
  const answers: (Awaited<ReturnType<typeof add>> & { readonly at: Moment })[] = [];
  const reads: { readonly status: number; readonly at: Moment }[] = [];
  type Moment = 'before' | 'stopped' | 'after';
  let moment: Moment = 'before';
  let isOver = false;
  const count = (at: Moment, status: number) => [...answers, ...reads].filter((each) => each.at === at && each.status === status).length;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const server = client % 4 === 0 ? api : service;
    const write = async () => {
      for (let turn = 0; !isOver; turn += 1) {
        const at = moment;
        const answer = await add(server, customer, `${client}-${turn}`);
        // What is on its way when changes are allowed again may be stored.
        answers.push({ ...answer, at: at === 'stopped' ? moment : at });
        // A client that is refused does not ask again at once.
        if (answer.status !== 201) await sleep(20);
      }
    };
    const read = async () => {
      while (!isOver) {
        const at = moment;
        reads.push({ status: await list(server, customer), at });
      }
    };
    await Promise.all([write(), read()]);
  });
  await expect.poll(() => Math.min(count('before', 201), count('before', 200))).toBeGreaterThan(200);

  const release = lockMove(folder);
  await stopChanges(folder, WHERE);
  moment = 'stopped';
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { timeout: 5_000 });
  // The domain becomes due.
  database.prepare('UPDATE domains SET wake_at = 1').run();
  const [rows, files] = [dump(folder), filesIn(folder)];
  await sleep(STOPPED_MS);
  await expect.poll(() => Math.min(count('stopped', 503), count('stopped', 200))).toBeGreaterThan(200);
  expect(dump(folder)).toEqual(rows);
  expect(filesIn(folder)).toEqual(files);
  expect([await storageOf(service), await storageOf(api)]).toEqual([WARNED, WARNED]);
  moment = 'after';
  allowChanges(folder);
  release();
  await expect.poll(() => Math.min(count('after', 201), count('after', 200))).toBeGreaterThan(200);
  await expect.poll(() => database.prepare('SELECT wake_at FROM domains').get()?.wake_at).not.toBe(1);
  database.close();
  isOver = true;
  await Promise.all(clients);

  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
  for (const { status, retryAfter, body } of answers) if (status === 503) expect([retryAfter, body]).toEqual(['10', STOPPED]);
  expect(answers.filter(({ at, status }) => at === 'stopped' && status !== 503)).toEqual([]);
  const { stdout } = await runCli(folder, ['pets', 'export']);
  const stored = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).name)
    .toSorted();
  expect(stored).toEqual(
    answers
      .filter(({ status }) => status === 201)
      .map(({ name }) => name)
      .toSorted(),
  );
  // Admission has counted all of them, once.
  expect(await commandJson(folder, ['usage', '--account', customer.accountId])).toMatchObject({ day: { used: answers.length + reads.length } });
  for (const server of [service, api]) {
    expect(await server.stop()).toBe(0);
    expect(server.stderr().match(/has accepted no changes|accepts changes again/g)).toEqual(['has accepted no changes', 'accepts changes again']);
    expect(server.stderr()).not.toMatch(/fault|readonly/);
  }
});

test('owners read, and what they change, signing in, and pipelines are refused', async () => {
  const folder = testFolder();
  const { url, stdout, stderr, stop } = await startTestServer(folder);
  const [, email = '', password = ''] = /(\S+@petstore\.test) {2}(\S+)/.exec(stdout()) ?? [];
  const browser = new Browser();
  const tokens = await exchange(url, await codeFor(url, email, password, browser));
  const own = async (method: string, path: string, body?: object, token = tokens.access_token) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: JSON.parse((await response.text()) || 'null') };
  };
  const [{ accountId }] = (await own('GET', '/dashboard/v1/accounts')).body;
  const { projectId } = (await own('POST', `/dashboard/v1/accounts/${accountId}/projects`, { name: 'Shop' })).body;
  const { token } = (await own('POST', `/dashboard/v1/projects/${projectId}/deploy-tokens`, { name: 'CI' })).body;
  const visitor = new Browser();
  const begun = await openSignIn(visitor, url);
  for (let attempt = 0; attempt < 3; attempt += 1) await submit(visitor, begun.page, email, 'a wrong password');
  await stopChanges(folder, WHERE);
  const rows = dump(folder);
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { readOnly: true });
  const failed = database.prepare("SELECT sum(ifnull(details ->> '$.count', 1)) AS count FROM audit WHERE action = 'sign_in.failed'");
  expect(failed.get()).toEqual({ count: 3 });

  const refused = { status: 503, retryAfter: '10', body: STOPPED };
  for (const path of ['/accounts', `/accounts/${accountId}`, `/accounts/${accountId}/keys`, `/projects/${projectId}/domains`])
    expect((await own('GET', `/dashboard/v1${path}`)).status, path).toBe(200);
  expect((await own('GET', `/deploy/v1/projects/${projectId}/deployments`, undefined, token)).status).toBe(200);
  expect(await own('POST', '/dashboard/v1/accounts', { name: 'Another' })).toEqual(refused);
  expect(await own('DELETE', `/dashboard/v1/projects/${projectId}`)).toEqual(refused);
  expect(await own('POST', `/deploy/v1/projects/${projectId}/uploads`, { files: [] }, token)).toEqual(refused);
  expect(await own('PUT', `/dashboard/v1/projects/${projectId}/uploads/dpl_1/files/a`)).toEqual(refused);
  expect((await own('POST', '/dashboard/v1/accounts', { name: 'Another' }, 'unknown')).status).toBe(401);
  expect(await own('POST', '/dashboard/v1/unsubscribe?user=usr_1&kind=domain_live&proof=x')).toEqual(refused);
  expect((await fetch(`${url}/oidc/.well-known/openid-configuration`)).status).toBe(200);
  const renewal = new URLSearchParams({ client_id: 'dashboard', grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  const renewed = await fetch(`${url}/oidc/token`, { method: 'POST', headers: { origin: url }, body: renewal });
  expect([renewed.status, renewed.headers.get('retry-after'), await renewed.json()]).toEqual([503, '10', STOPPED]);
  const pages = [
    await fetch(begun.page, { method: 'POST', headers: { accept: 'text/html' }, body: new URLSearchParams({ email, password }) }),
    await browser.fetch(`${url}/oidc/auth?client_id=dashboard`, { headers: { accept: 'text/html' } }),
  ];
  for (const page of pages) {
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await page.text()).toContain('Try again in a few seconds');
  }
  expect(dump(folder)).toEqual(rows);
  // The database itself takes nothing that has not been thought of.
  expect(database.prepare('SELECT last_used_at FROM deploy_tokens').get()).toEqual({ last_used_at: null });
  database.close();

  allowChanges(folder);
  await expect.poll(async () => (await own('POST', '/dashboard/v1/accounts', { name: 'Another' })).status).toBe(201);
  expect((await submit(visitor, begun.page, email, password)).status).toBe(303);
  expect((await exchange(url, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).access_token).toBeDefined();
  await stop();
  expect(stderr()).not.toMatch(/fault|readonly/);
});

test('the stop outlasts the service, and a service that is killed', async () => {
  const folder = testFolder();
  const first = await startTestServer(folder);
  const customer = await makeCustomer(folder);
  expect((await add(first, customer, 'before')).status).toBe(201);
  await stopChanges(folder, WHERE);
  expect((await add(first, customer, 'stopped')).status).toBe(503);
  await expect.poll(() => first.stderr()).toContain('did not finish; run petstore move again');
  await first.stop('SIGKILL');
  const rows = dump(folder);
  const second = await startTestServer(folder);
  expect(await add(second, customer, 'restarted')).toMatchObject({ status: 503, body: STOPPED });
  expect(await list(second, customer)).toBe(200);
  const remedy = 'did not finish; run petstore move again, or petstore move --undo --yes';
  expect(await storageOf(second)).toMatchObject([200, { state: 'warning', reason: expect.stringContaining(remedy) }]);
  expect(second.stderr()).toContain(remedy);
  await second.stop();
  expect(dump(folder)).toEqual(rows);
  allowChanges(folder);
  const third = await startTestServer(folder);
  expect((await add(third, customer, 'after')).status).toBe(201);
  // It ends while it is asked to stop changes: nothing is left to wait for.
  const stop = stopChanges(folder, WHERE);
  await third.stop('SIGKILL');
  await stop;
});

test('commands that write are refused and say what to do; those that read, and backups, work', async () => {
  const folder = testFolder();
  const service = await startTestServer(folder);
  const { accountId, key } = await makeCustomer(folder);
  const { projectId } = await commandJson<{ projectId: string }>(folder, ['projects', 'create', '--account', accountId, '--name', 'Shop']);
  const place = testFolder();
  const [animals, site, backups] = ['animals.jsonl', 'site', 'backups'].map((name) => join(place, name)) as [string, string, string];
  writeFileSync(animals, petBody({ name: 'Imported', categoryId: 1 }));
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'another');
  const release = lockMove(folder);
  await stopChanges(folder, WHERE);
  const [rows, files] = [dump(folder), filesIn(folder)];
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(folder, args);
    expect([code, stdout], args.join(' ')).toEqual([1, '']);
    expect(stderr, args.join(' ')).toMatch(
      /has accepted no changes since 20\S+Z: its installation is still being moved to PostgreSQL at 10\.0\.0\.5:5432, database petstore\n$/,
    );
  };
  await refused('accounts', 'create', '--name', 'Another', '--plan', 'free');
  await refused('keys', 'issue', '--account', accountId, '--name', 'Another');
  await refused('pets', 'import', animals);
  await refused('users', 'create', 'ann@example.com');
  await refused('projects', 'deploy', projectId, site);
  await refused('domains', 'add', 'www.moved.test', '--project', projectId);
  const [, backup] = [await commandJson<{ folder: string }>(folder, ['backup', backups]), readdirSync(backups).find((name) => !name.startsWith('.'))];
  await refused(
    'keys',
    'revoke',
    (await commandJson<{ keyId: string }[]>(folder, ['keys', 'list', '--account', accountId]))[0]?.keyId ?? '',
    '--yes',
  );
  for (const args of [
    ['accounts', 'list'],
    ['projects', 'list', '--account', accountId],
    ['usage', '--account', accountId],
    ['pets', 'export'],
  ])
    expect((await command(folder, args)).code, args.join(' ')).toBe(0);
  const doctor = await commandJson<{ check: string; state: string }[]>(folder, ['doctor']);
  expect(doctor).toContainEqual(expect.objectContaining({ check: 'changes', state: 'warning', found: expect.stringContaining(WHERE) }));
  expect(doctor.filter(({ state }) => state === 'problem')).toEqual([]);
  expect((await command(folder, ['doctor', '--fix'])).stdout).toMatch(/problem +fix +nothing was changed: .* has accepted no changes since/);
  expect(await list(service, { accountId, key })).toBe(200);
  await service.stop();
  await refused('restore', join(backups, backup ?? ''), '--replace');
  expect(dump(folder)).toEqual(rows);
  expect(filesIn(folder)).toEqual(files);
  expect(readFileSync(join(folder, 'changes-stopped.json'), 'utf8')).toContain(WHERE);
  allowChanges(folder);
  release();
  expect((await command(folder, ['accounts', 'create', '--name', 'Another', '--plan', 'free'])).code).toBe(0);
});
