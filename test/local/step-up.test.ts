// What needs a sign-in within the last hour (RFC 9470), over HTTP, at the embedded OpenID provider.

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { ageSignIns, Browser, codeFor, exchange, openSignIn, type Tokens } from '../support/sign-in.ts';

const folder = makeFolder();
const user = { email: '', password: '' };
let host: ControlHost;

beforeAll(async () => {
  host = await startControlHost(folder.path);
  Object.assign(user, host.demo);
});
afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

const signIn = async (browser: Browser, more = {}) => exchange(host.url, await codeFor(host.url, user.email, user.password, browser, more));
const renew = ({ refresh_token }: Tokens) => exchange(host.url, { grant_type: 'refresh_token', refresh_token });

async function call<T>({ access_token }: Tokens, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${access_token}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(`${host.url}/dashboard/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: response.status, challenge: response.headers.get('www-authenticate'), body: (await response.json()) as T };
}

test('a renewed token has the time of the sign-in, so an hour later it issues no key; who signs in again goes on, in the same session', async () => {
  const browser = new Browser();
  const first = await signIn(browser);
  const [account] = (await call<{ accountId: string }[]>(first, 'GET', '/accounts')).body;
  const issue = async (tokens: Tokens) => call(tokens, 'POST', `/accounts/${account?.accountId}/keys`, { name: 'Till' });
  expect((await issue(first)).status).toBe(201);
  ageSignIns(folder.path, 3_500);
  const renewed = await renew(first);
  expect(decodeJwt(renewed.access_token).auth_time).toBe(Number(decodeJwt(first.access_token).auth_time) - 3_500);
  expect((await issue(renewed)).status).toBe(201);
  ageSignIns(folder.path, 101);
  const old = await renew(renewed);
  const { status, challenge, body } = await issue(old);
  expect([status, challenge]).toEqual([401, 'Bearer error="insufficient_user_authentication", max_age=3600']);
  expect(body).toEqual({
    code: 'insufficient_user_authentication',
    message: 'this needs a sign-in within the last hour, and yours is older; sign in again',
    status: 401,
  });
  expect((await call(old, 'GET', `/accounts/${account?.accountId}/keys`)).status).toBe(200);
  const again = await signIn(browser, { max_age: '3600', prompt: 'login' });
  expect((await issue(again)).status).toBe(201);
  expect(decodeJwt(again.access_token).session_id).toBe(decodeJwt(first.access_token).session_id);
});

test('other sessions are not ended by an old sign-in', async () => {
  const mine = await signIn(new Browser());
  ageSignIns(folder.path, 3_601);
  const old = await renew(mine);
  for (const [path, body] of [['/me/sign-out'], ['/me/sessions/end', {}]] as const) expect((await call(old, 'POST', path, body)).status).toBe(401);
  expect((await call(old, 'GET', '/me')).status).toBe(200);
});

test('the page about sign-in and security asks for a sign-in where it is too old, and what the dashboard asks for is enough', async () => {
  const browser = new Browser();
  const open = async () => {
    const response = await browser.fetch(`${host.url}/oidc/security`);
    return response.headers.get('location') ?? response.status;
  };
  expect(await open()).toBe(`${host.url}/security`);
  await signIn(browser);
  expect(await open()).toBe(200);
  // What the dashboard asks for is answered without a sign-in while the page shows, and never afterwards: they would send each other the user.
  for (const seconds of [3_500, 45, 50, 10]) {
    ageSignIns(folder.path, seconds);
    const { page } = await openSignIn(browser, host.url, { max_age: '3540' });
    if ((await open()) !== 200) expect(page).toContain('/oidc/sign-in/');
  }
  expect(await open()).toBe(`${host.url}/security`);
  await signIn(browser, { max_age: '3540' });
  expect(await open()).toBe(200);
});
