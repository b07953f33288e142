// Failures during a sign-in: their causes, what the user sees, and what is logged.

import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { StoreFault } from '../../core/refusal.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { Browser, openSignIn, signIn, submit } from '../support/sign-in.ts';

const folder = makeFolder();
const printed = { info: vi.spyOn(console, 'info'), warn: vi.spyOn(console, 'warn'), error: vi.spyOn(console, 'error') };
let host: ControlHost;
let database: DatabaseSync;
let faults: number;

beforeAll(async () => {
  host = await startControlHost(folder.path);
  database = new DatabaseSync(join(folder.path, DATABASE_FILE));
});

afterAll(async () => {
  database.close();
  await host.stop();
  folder.remove();
});

beforeEach(() => {
  faults = host.faults.length;
});

afterEach(() => {
  for (const each of Object.values(printed)) expect(each).not.toHaveBeenCalled();
});

const newFaults = () => host.faults.slice(faults);

/** Enters the right password. @returns the address that leads back to the dashboard */
async function enter(browser: Browser, email = host.demo?.email ?? '', password = host.demo?.password ?? ''): Promise<string> {
  const { page } = await openSignIn(browser, host.url);
  const entered = await submit(browser, page, email, password);
  expect(entered.status).toBe(303);
  return new URL(entered.headers.get('location') ?? '', host.url).href;
}

test('a sign-in prints nothing', async () => {
  expect((await signIn(host.url, host.demo?.email ?? '', host.demo?.password ?? '')).access_token).toBeTruthy();
  expect(newFaults()).toEqual([]);
});

test('a revocation, a question from another origin and a sign-out without a way back print nothing', async () => {
  const { refresh_token: token } = await signIn(host.url, host.demo?.email ?? '', host.demo?.password ?? '');
  const body = new URLSearchParams({ token, client_id: 'dashboard' });
  expect((await fetch(`${host.url}/oidc/token/revocation`, { method: 'POST', body })).status).toBe(200);
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
  expect((await fetch(`${host.url}/oidc/token`, { method: 'OPTIONS', headers })).status).toBe(204);
  const foreign = await fetch(`${host.url}/oidc/token`, { method: 'POST', body, headers: { origin: 'https://elsewhere.example' } });
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  const browser = new Browser();
  await browser.fetch(await enter(browser));
  const page = await (await browser.fetch(`${host.url}/oidc/session/end`)).text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const out = await browser.fetch(`${host.url}/oidc/session/end/confirm`, { method: 'POST', body: new URLSearchParams({ xsrf, logout: 'yes' }) });
  const end = await browser.fetch(new URL(out.headers.get('location') ?? '', host.url).href);
  expect([end.status, end.headers.get('content-security-policy'), await end.text()]).toEqual([
    200,
    expect.stringContaining("default-src 'none'"),
    expect.stringContaining('<h1>You are signed out</h1>'),
  ]);
  expect(newFaults()).toEqual([]);
});

test.each(['announced', 'in chunks'])('a form that is too large is refused on a page, and is not a fault: %s', async (how) => {
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  const form = `email=${'a'.repeat(16_384)}`;
  const body = how === 'announced' ? form : new Blob([form]).stream();
  const refused = await browser.fetch(page, { method: 'POST', body, duplex: 'half' } as RequestInit);
  expect([refused.status, refused.headers.get('content-security-policy'), await refused.text()]).toEqual([
    413,
    expect.stringContaining("default-src 'none'"),
    expect.stringContaining('<span>The form is too large: at most 16384 bytes.'),
  ]);
  expect((await submit(browser, page, `${'a'.repeat(2_000)}@petstore.test`, 'x')).status).toBe(401);
  expect(newFaults()).toEqual([]);
});

test.each(['the sign-in page', '/oidc/token'])('a form whose sender disconnects is not a fault: %s', async (path) => {
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  const target = path.startsWith('/') ? path : new URL(page).pathname;
  const cookies = ['_interaction', '_interaction.sig'].map((name) => `${name}=${browser.cookie(name)}`).join('; ');
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    `POST ${target} HTTP/1.1`,
    `Host: ${new URL(host.url).host}`,
    `Cookie: ${cookies}`,
    'Content-Type: application/x-www-form-urlencoded',
  ];
  socket.write(`${[...head, 'Content-Length: 100'].join('\r\n')}\r\n\r\nabc`);
  // Sent on another connection: by the time it is answered, the form is being read.
  await browser.fetch(page);
  socket.end();
  socket.resume();
  await once(socket, 'close');
  await browser.fetch(page);
  expect(newFaults()).toEqual([]);
});

test('a sign-in starts again if its user is removed before the redirect is followed', async () => {
  const email = 'gone@petstore.test';
  const { password } = await runCliJson<{ password: string }>(folder.path, ['users', 'create', email]);
  const browser = new Browser();
  const back = await enter(browser, email, password);
  await runCliJson(folder.path, ['users', 'remove', email, '--yes']);
  const answer = await browser.fetch(back);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${host.url}/`]);
  expect((await openSignIn(browser, host.url)).page).toContain('/oidc/sign-in/');
  expect(newFaults()).toEqual([]);
});

test('a full disk results in a page that asks the user to try again', async () => {
  const browser = new Browser();
  const back = await enter(browser);
  for (const change of ['INSERT', 'UPDATE', 'DELETE'])
    database.exec(`CREATE TRIGGER full_${change} BEFORE ${change} ON oidc BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  const refused = await browser.fetch(back);
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0, await refused.text()]).toEqual([
    503,
    true,
    expect.stringContaining('<span>Sign-in is temporarily unavailable. Try again in a few seconds.'),
  ]);
  for (const change of ['INSERT', 'UPDATE', 'DELETE']) database.exec(`DROP TRIGGER full_${change}`);
  expect(newFaults()).toEqual([expect.any(StoreFault)]);
  expect((await signIn(host.url, host.demo?.email ?? '', host.demo?.password ?? '')).access_token).toBeTruthy();
});

test('a code that cannot be exchanged because the disk is full can be exchanged later', async () => {
  const browser = new Browser();
  const { page, verifier } = await openSignIn(browser, host.url);
  const entered = await submit(browser, page, host.demo?.email ?? '', host.demo?.password ?? '');
  const back = await browser.fetch(new URL(entered.headers.get('location') ?? '', host.url).href);
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const body = () => new URLSearchParams({ ...fields, code });
  const fields = { grant_type: 'authorization_code', client_id: 'dashboard', redirect_uri: `${host.url}/signed-in`, code_verifier: verifier };
  database.exec(`CREATE TRIGGER full_UPDATE BEFORE UPDATE ON oidc BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  const refused = await fetch(`${host.url}/oidc/token`, { method: 'POST', body: body() });
  database.exec('DROP TRIGGER full_UPDATE');
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0, await refused.json()]).toEqual([
    503,
    true,
    expect.objectContaining({ error: 'server_error' }),
  ]);
  expect((await fetch(`${host.url}/oidc/token`, { method: 'POST', body: body() })).status).toBe(200);
  expect(newFaults()).toEqual([expect.any(StoreFault)]);
});

test.each([
  ['users', 'the sign-in page'],
  ['oidc', 'the sign-in of a known browser'],
])("if storage can't be read, a page asks the user to try again: %s, at %s", async (table) => {
  const browser = new Browser();
  await browser.fetch(await enter(browser));
  const stranger = new Browser();
  const { page } = await openSignIn(stranger, host.url);
  database.exec(`ALTER TABLE ${table} RENAME TO broken`);
  const refused = table === 'oidc' ? await browser.fetch(`${host.url}/oidc/auth`) : await submit(stranger, page, 'ann@petstore.test', 'x');
  database.exec(`ALTER TABLE broken RENAME TO ${table}`);
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0, await refused.text()]).toEqual([
    503,
    true,
    expect.stringContaining('<span>Sign-in is temporarily unavailable.'),
  ]);
  expect(newFaults()).toEqual([expect.any(StoreFault)]);
});
