// Limits on requests to the OpenID provider, for anonymous and for signed-in users.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, codeFor, exchange, openSignIn, signIn, submit, type Tokens } from '../support/sign-in.ts';

const folder = makeFolder();
let host: ControlHost;

beforeAll(async () => {
  host = await startControlHost(folder.path, 0, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' });
});

afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

function authorize(address: string, fields: Readonly<Record<string, string>> = {}, browser = new Browser()): Promise<Response> {
  const query = new URLSearchParams({
    client_id: 'dashboard',
    response_type: 'code',
    redirect_uri: `${host.url}/signed-in`,
    scope: 'openid email',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    ...fields,
  });
  return browser.fetch(`${host.url}/oidc/auth?${query}`, { headers: { 'x-forwarded-for': address } });
}

test('3,000 anonymous requests leave less than 1 MB on disk', async () => {
  const bytes = () =>
    ['', '-wal'].reduce((sum, suffix) => sum + (statSync(join(folder.path, DATABASE_FILE + suffix), { throwIfNoEntry: false })?.size ?? 0), 0);
  const before = bytes();
  for (let n = 0; n < 3_000; n += 50) {
    const batch = Array.from({ length: 50 }, (_, i) =>
      authorize(`198.51.${Math.floor((n + i) / 250)}.${(n + i) % 250}`, { state: 'x'.repeat(1_000) }),
    );
    expect(new Set((await Promise.all(batch)).map(({ status }) => status))).toEqual(new Set([303]));
  }
  expect(bytes() - before).toBeLessThan(1_000_000);
});

const PASSWORD = 'a password of theirs';

/** A new user for this test, with a separate request limit. @returns the email address */
async function newUser(name: string): Promise<string> {
  const stores = openSqliteStores(folder.path);
  await createSqliteUserStore(stores.database).add({ id: `usr_${name}`, email: `${name}@petstore.test` }, PASSWORD);
  stores.close();
  return `${name}@petstore.test`;
}

async function signedInBrowser(email: string): Promise<Browser> {
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  const entered = await submit(browser, page, email, PASSWORD);
  expect((await browser.fetch(new URL(entered.headers.get('location') ?? '', host.url).href)).headers.get('location')).toContain('code=');
  return browser;
}

test('an address, or an IPv6 /64, has 120 requests a minute; signed-in users have a separate limit', async () => {
  const browser = await signedInBrowser(await newUser('ann'));
  // The minute may end during the test, so it sends two minutes' worth: more than any single minute allows.
  const statuses: number[] = [];
  let refused: Response | undefined;
  for (let n = 0; n < 241; n += 1) {
    const response = await authorize(`2001:db8:7:7::${n.toString(16)}`);
    statuses.push(response.status);
    if (response.status === 429) refused = response;
  }
  expect(new Set(statuses)).toEqual(new Set([303, 429]));
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await authorize('2001:db8:7:8::1')).status).toBe(303);
  expect((await authorize('2001:db8:7:7::1', {}, browser)).headers.get('location')).toContain('code=');
});

test('a user has 120 requests a minute, across all browsers and addresses', async () => {
  const email = await newUser('bob');
  const browsers = [await signedInBrowser(email), await signedInBrowser(email)];
  const answers: Response[] = [];
  for (let n = 0; n < 241; n += 1) answers.push(await authorize(`203.0.113.${n}`, {}, browsers[n % 2]));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeLessThanOrEqual(240);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await authorize('203.0.113.250')).status).toBe(303);
  // The signature proves whose session it is. Without it, the address is counted, and no one else can use up the user's requests.
  const session = browsers[0]?.cookie('_session');
  for (const signature of ['', `; _session.sig=${'x'.repeat(27)}`]) {
    const forged = { cookie: `_session=${session}${signature}`, 'x-forwarded-for': '203.0.113.251' };
    expect((await fetch(`${host.url}/oidc/session/end`, { headers: forged })).status).toBe(200);
  }
});

test('a signed-in user leaves a limited number of codes and tokens', async () => {
  const email = await newUser('carol');
  const browser = await signedInBrowser(email);
  let { refresh_token } = await signIn(host.url, email, PASSWORD);
  for (let n = 0; n < 60; n += 1) {
    if (n < 30) await authorize('198.51.100.7', { nonce: 'x'.repeat(1_000) }, browser);
    const body = new URLSearchParams({ client_id: 'dashboard', grant_type: 'refresh_token', refresh_token });
    const response = await fetch(`${host.url}/oidc/token`, { method: 'POST', body, headers: { 'x-forwarded-for': `198.51.101.${n}` } });
    ({ refresh_token } = (await response.json()) as Tokens);
  }
  const database = new DatabaseSync(join(folder.path, DATABASE_FILE), { readOnly: true });
  const rows = (model: string) =>
    Number(database.prepare('SELECT count(*) AS n FROM oidc WHERE model = ? AND user_id = ?').get(model, 'usr_carol')?.n);
  const counts = { codes: rows('AuthorizationCode'), tokens: rows('RefreshToken') };
  database.close();
  // With the used ones: the code of the sign-in, and fifty tokens.
  expect(counts).toEqual({ codes: 11, tokens: 51 });
});

test('reuse of a refresh token revokes all tokens from the same grant', async () => {
  const { refresh_token } = await signIn(host.url, await newUser('dave'), PASSWORD);
  const next = await exchange(host.url, { grant_type: 'refresh_token', refresh_token });
  for (const token of [refresh_token, next.refresh_token])
    await expect(exchange(host.url, { grant_type: 'refresh_token', refresh_token: token })).rejects.toThrow('invalid_grant');
});

test('a code that is sent again revokes what it gave (OAuth 2.1, section 4.1.3)', async () => {
  const code = await codeFor(host.url, await newUser('erin'), PASSWORD);
  const { access_token, refresh_token } = await exchange(host.url, code);
  const ask = async () => (await fetch(`${host.url}/dashboard/v1/me`, { headers: { authorization: `Bearer ${access_token}` } })).status;
  expect(await ask()).toBe(200);
  // Who has the code alone learns nothing, and ends nothing.
  await expect(exchange(host.url, { ...code, code_verifier: 'x'.repeat(43) })).rejects.toThrow('invalid_grant');
  expect(await ask()).toBe(200);
  await expect(exchange(host.url, code)).rejects.toThrow('invalid_grant');
  expect(await ask()).toBe(401);
  await expect(exchange(host.url, { grant_type: 'refresh_token', refresh_token })).rejects.toThrow('invalid_grant');
});

test('of a code that is sent ten times at once, nothing is left', async () => {
  const code = await codeFor(host.url, await newUser('fred'), PASSWORD);
  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => exchange(host.url, code)));
  const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  expect(given.length).toBeLessThanOrEqual(1);
  for (const { refresh_token } of given)
    await expect(exchange(host.url, { grant_type: 'refresh_token', refresh_token })).rejects.toThrow('invalid_grant');
});

test('a resource that is not the control API is an invalid target (RFC 8707, section 2)', async () => {
  const answer = await authorize('198.51.100.30', { resource: 'urn:somebody-else' });
  expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_target');
  const known = await authorize('198.51.100.30', { resource: 'urn:petstore-control' });
  expect(known.headers.get('location')).toContain('/oidc/sign-in/');
  const { refresh_token } = await signIn(host.url, await newUser('gina'), PASSWORD);
  const fields = { grant_type: 'refresh_token', refresh_token };
  await expect(exchange(host.url, { ...fields, resource: 'urn:somebody-else' })).rejects.toThrow('invalid_target');
});

test('many anonymous sign-ins from a few addresses displace only each other', async () => {
  const browser = new Browser({ 'x-forwarded-for': '198.18.0.1' });
  const { page } = await openSignIn(browser, host.url);
  for (let n = 0; n < 5_100; n += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => authorize(`198.19.0.${(n + i) % 50}`)));
  expect((await browser.fetch(page)).status).toBe(200);
});

test.each(['state', 'nonce', 'login_hint', 'ui_locales', 'anything'])('a %s longer than 1,024 characters is refused', async (name) => {
  expect((await authorize('192.0.2.1', { [name]: 'x'.repeat(1_024) })).status).toBe(303);
  const refused = await authorize('192.0.2.1', { [name]: 'x'.repeat(1_025) });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(`${name}: got 1025 characters; allowed: at most 1024`)]);
});

test.each([
  ['redirect_uri', 'https://elsewhere.example/signed-in'],
  ['redirect_uri', `http://127.0.0.1/signed-in/../other`],
  ['code_challenge_method', 'plain'],
  ['code_challenge', ''],
  ['response_type', 'token'],
  ['response_type', 'code id_token'],
  ['scope', 'openid email everything'],
  ['client_id', 'another'],
])('a request with the %s %s gets no code', async (name, value) => {
  const answer = await authorize('198.51.100.40', { [name]: value });
  const location = answer.headers.get('location') ?? '';
  const isLimited = name === 'scope' && location.includes('/oidc/sign-in/');
  expect(isLimited || answer.status === 400 || /[?#&]error=/.test(location)).toBe(true);
  expect(location).not.toContain('elsewhere.example');
});

test.each(['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'])('there is no grant %s', async (grant) => {
  await expect(exchange(host.url, { grant_type: grant, username: 'ann', password: PASSWORD })).rejects.toThrow('unsupported_grant_type');
});

test('pushed authorization requests are not supported (RFC 9126)', async () => {
  const known = (await (await fetch(`${host.url}/oidc/.well-known/openid-configuration`)).json()) as Record<string, unknown>;
  expect(known.pushed_authorization_request_endpoint).toBeUndefined();
  const pushed = await fetch(`${host.url}/oidc/request`, { method: 'POST', headers: { 'x-forwarded-for': '192.0.2.3' } });
  expect(pushed.status).toBe(404);
});

test('a sign-in expires after ten minutes', async () => {
  const begun = Date.now();
  const cookie = (await authorize('192.0.2.4')).headers.getSetCookie().find((line) => line.startsWith('_interaction='));
  const end = Date.parse(/expires=([^;]+)/i.exec(cookie ?? '')?.[1] ?? '');
  expect(end).toBeLessThanOrEqual(Date.now() + 600_000);
  expect(end).toBeGreaterThan(begun);
});
