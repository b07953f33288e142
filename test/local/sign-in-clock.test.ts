// A clock that is set back locks no one out.

import { afterEach, expect, test, vi } from 'vitest';
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
