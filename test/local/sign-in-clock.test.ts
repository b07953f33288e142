// A clock that is set, back or ahead, locks no one out.

import { Secret, TOTP } from 'otpauth';
import { afterEach, expect, test, vi } from 'vitest';
import { createFactorSecrets, newAuthenticator } from '../../adapters/identity/authenticator-app.ts';
import { openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { createSqliteFactors } from '../../adapters/identity/sqlite-factors.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, openSignIn, signIn, submit } from '../support/sign-in.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('after the clock is set back, signed-in users stay signed in or sign in again, without waiting', async () => {
  const folder = makeFolder();
  // Timers keep running; only the current time is set.
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  const host = await startControlHost(folder.path);
  const { email = '', password = '' } = host.demo ?? {};
  const statusOf = async (token: string) => (await fetch(`${host.url}/dashboard/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  const tokens = await signIn(host.url, email, password);
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  expect((await submit(browser, page, email, password)).status).toBe(303);
  // All limits are used up: the attempts of the name and of this device, and the address's requests in this minute.
  const { page: next } = await openSignIn(browser, host.url);
  for (let times = 0; times < 6; times += 1) await submit(browser, next, email, 'wrong');
  const stranger = new Browser();
  const { page: strangersPage } = await openSignIn(stranger, host.url);
  const guesses: number[] = [];
  for (let times = 0; times < 6; times += 1) guesses.push((await submit(stranger, strangersPage, email, 'wrong')).status);
  expect(guesses.at(-1)).toBe(429);
  const minute = await Promise.all(Array.from({ length: 241 }, () => fetch(`${host.url}/oidc/auth`, { redirect: 'manual' })));
  expect(minute.at(-1)?.status).toBe(429);

  for (const back of [3_600_000, 30 * 86_400_000]) {
    vi.setSystemTime(now - back);
    expect(await statusOf(tokens.access_token)).toBe(200);
    const again = await openSignIn(browser, host.url);
    if (again.page.includes('/sign-in/')) expect((await submit(browser, again.page, email, password)).status).toBe(303);
    const fresh = await signIn(host.url, email, password);
    expect(await statusOf(fresh.access_token)).toBe(200);
  }
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

test('after the clock is corrected by weeks, codes of the time that it shows now are accepted, and a sign-in is recent', async () => {
  const folder = makeFolder();
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now });
  const host = await startControlHost(folder.path);
  const { email = '', password = '' } = host.demo ?? {};
  const { database } = openSqliteStores(folder.path);
  const { cookies } = await openProviderKeys(folder.path);
  const userId = String(database.prepare('SELECT id FROM users').get()?.id);
  const { secret } = newAuthenticator(email);
  await createSqliteFactors(database).setTotp(userId, createFactorSecrets(cookies).seal(userId, secret), 0);
  database.close();
  // The work that nothing may undo goes on with the time before, for an hour.
  vi.setSystemTime(now + 30 * 86_400_000);
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  expect((await submit(browser, page, email, password)).headers.get('location')).toContain('/oidc/sign-in/');
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const entered = await browser.fetch(page, { method: 'POST', body: new URLSearchParams({ code }) });
  expect([entered.status, entered.headers.get('location')]).toEqual([303, expect.stringContaining('/oidc/auth/')]);
  await browser.fetch(new URL(entered.headers.get('location') ?? '', host.url).href);
  expect((await browser.fetch(`${host.url}/oidc/security`)).status).toBe(200);
  vi.setSystemTime(now + 30 * 86_400_000 + 3_600_000);
  expect((await browser.fetch(`${host.url}/oidc/security`)).headers.get('location')).toBe(`${host.url}/security`);
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});
