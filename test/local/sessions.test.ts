// Users see where they are signed in, and end it: over HTTP, at the embedded OpenID provider.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, exchange, openSignIn, submit, type Tokens } from '../support/sign-in.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1';
const PASSWORD = 'a password of twelve';

const folder = makeFolder();
let host: ControlHost;

beforeAll(async () => {
  host = await startControlHost(folder.path);
  const stores = openSqliteStores(folder.path);
  const users = createSqliteUserStore(stores.database);
  for (const name of ['ann', 'ben', 'cat', 'dan', 'eve']) await users.add({ id: `usr_${name}`, email: `${name}@petstore.test` }, PASSWORD);
  stores.close();
});

afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

interface Listed {
  readonly canList: boolean;
  readonly accessEndsWithinSeconds: number;
  readonly sessions: readonly { readonly sessionId: string; readonly client: string; readonly agent: string; readonly current: boolean }[];
}

async function call<T>({ access_token }: Tokens, method: string, path: string, body?: unknown) {
  const response = await fetch(`${host.url}/dashboard/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${access_token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
const list = async (tokens: Tokens) => (await call<Listed>(tokens, 'GET', '/me/sessions')).body;
const statusOf = async (tokens: Tokens) => (await call(tokens, 'GET', '/me')).status;
const renew = ({ refresh_token }: Tokens) => exchange(host.url, { grant_type: 'refresh_token', refresh_token });

/** Signs in with a browser. */
async function signInWith(browser: Browser, name: string): Promise<Tokens> {
  const { page, verifier } = await openSignIn(browser, host.url);
  let response = await submit(browser, page, `${name}@petstore.test`, PASSWORD);
  for (let hops = 0; hops < 5; hops += 1) {
    const location = new URL(response.headers.get('location') ?? '', host.url);
    const code = location.searchParams.get('code');
    if (code !== null)
      return exchange(host.url, { grant_type: 'authorization_code', code, redirect_uri: `${host.url}/signed-in`, code_verifier: verifier });
    response = await browser.fetch(location.href);
  }
  throw new Error('no code');
}

const browserWith = (agent: string) => new Browser({ 'user-agent': agent });

test('lists browsers in words, with this one marked, and no address', async () => {
  const laptop = await signInWith(browserWith(FIREFOX), 'ann');
  const phone = await signInWith(browserWith(IPHONE), 'ann');
  await signInWith(browserWith(FIREFOX), 'dan');
  const { canList, accessEndsWithinSeconds, sessions } = await list(laptop);
  expect([canList, accessEndsWithinSeconds]).toEqual([true, 0]);
  const at = { begunAt: expect.stringMatching(/Z$/), usedAt: expect.stringMatching(/Z$/), sessionId: expect.stringMatching(/^[\w-]{43}$/) };
  expect(sessions.toSorted((a, b) => (a.agent < b.agent ? -1 : 1))).toEqual([
    { ...at, client: 'dashboard', agent: 'Firefox on Linux', current: true },
    { ...at, client: 'dashboard', agent: 'Safari on iPhone', current: false },
  ]);
  expect((await list(phone)).sessions.find(({ current }) => current)?.agent).toBe('Safari on iPhone');
  // A renewal is the same session.
  const renewed = await renew(laptop);
  expect((await list(renewed)).sessions.map(({ agent, current }) => [agent, current])[0]).toEqual(['Firefox on Linux', true]);
});

test('a session that is ended is refused at once: its access token, its refresh token, and its browser', async () => {
  const [here, browser] = [await signInWith(browserWith(FIREFOX), 'ben'), browserWith(IPHONE)];
  const there = await signInWith(browser, 'ben');
  const other = await signInWith(browserWith(FIREFOX), 'dan');
  const { sessionId = '' } = (await list(here)).sessions.find(({ agent }) => agent === 'Safari on iPhone') ?? {};
  expect((await call(other, 'POST', '/me/sessions/end', { sessionId })).status).toBe(404);
  expect(await statusOf(there)).toBe(200);
  expect((await call(here, 'POST', '/me/sessions/end', { sessionId })).body).toEqual({ done: true });
  expect((await call(here, 'POST', '/me/sessions/end', { sessionId })).body).toMatchObject({ code: 'not_found' });
  expect([await statusOf(there), await statusOf(here)]).toEqual([401, 200]);
  await expect(renew(there)).rejects.toThrow('invalid_grant');
  // The browser is asked for the password again.
  expect((await openSignIn(browser, host.url)).page).toContain('/oidc/sign-in/');
  expect(await statusOf(await signInWith(browser, 'ben'))).toBe(200);
  expect(await statusOf(other)).toBe(200);
});

test('a sign-out, and a refresh token that is revoked or used twice, end the access token at once, and leave no browser signed in', async () => {
  const signOut = async (browser: Browser) => {
    const page = await (await browser.fetch(`${host.url}/oidc/session/end`)).text();
    const [, xsrf = ''] = /name="xsrf" value="(\w+)"/.exec(page) ?? [];
    const confirmed = await browser.fetch(`${host.url}/oidc/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
    expect(confirmed.status).toBe(303);
  };
  const revoke = async (_browser: Browser, { refresh_token }: Tokens) => {
    const body = new URLSearchParams({ client_id: 'dashboard', token: refresh_token });
    expect((await fetch(`${host.url}/oidc/token/revocation`, { method: 'POST', body })).status).toBe(200);
  };
  const reuse = async (_browser: Browser, tokens: Tokens) => {
    await renew(tokens);
    await expect(renew(tokens)).rejects.toThrow('invalid_grant');
  };
  for (const end of [signOut, revoke, reuse]) {
    const browser = browserWith(FIREFOX);
    const tokens = await signInWith(browser, 'eve');
    expect(await statusOf(tokens)).toBe(200);
    await end(browser, tokens);
    expect(await statusOf(tokens)).toBe(401);
    expect((await openSignIn(browser, host.url)).page).toContain('/oidc/sign-in/');
  }
  expect((await list(await signInWith(browserWith(IPHONE), 'eve'))).sessions).toHaveLength(1);
});

test('all others are ended, and this one goes on', async () => {
  const here = await signInWith(browserWith(FIREFOX), 'cat');
  const others = [await signInWith(browserWith(IPHONE), 'cat'), await signInWith(browserWith(FIREFOX), 'cat')];
  expect((await call(here, 'POST', '/me/sessions/end', {})).body).toEqual({ done: true });
  for (const tokens of others) {
    expect(await statusOf(tokens)).toBe(401);
    await expect(renew(tokens)).rejects.toThrow('invalid_grant');
  }
  expect((await list(await renew(here))).sessions).toMatchObject([{ agent: 'Firefox on Linux', current: true }]);
  for (const body of [{ sessionId: 'x' }, { sessionId: 7 }, { others: true }])
    expect([400, 404]).toContain((await call(here, 'POST', '/me/sessions/end', body)).status);
});
