// How many passwords can be tried, from where, and how many at once: over HTTP, with a separate host for each test.

import { expect, test } from 'vitest';
import { startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, openSignIn, submit } from '../support/sign-in.ts';

test('behind a trusted proxy, attempts count against the address that the proxy names', async () => {
  const own = makeFolder();
  const proxied = await startControlHost(own.path, 0, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' });
  const browser = new Browser();
  const { page } = await openSignIn(browser, proxied.url);
  const tryFrom = async (address: string, email: string) =>
    (await browser.fetch(page, { method: 'POST', body: new URLSearchParams({ email, password: 'x' }), headers: { 'x-forwarded-for': address } }))
      .status;
  const guess = (n: number) => tryFrom(`198.51.100.1, 2001:db8:1:2::${n}`, `nobody-${n}@petstore.test`);
  for (let n = 0; n < 50; n += 2) expect(await Promise.all([guess(n), guess(n + 1)])).toEqual([401, 401]);
  expect(await guess(50)).toBe(429);
  expect(await tryFrom('2001:db8:1:3::1', 'nobody-51@petstore.test')).toBe(401);
  expect(await tryFrom('198.51.100.1', 'nobody-52@petstore.test')).toBe(401);
  expect(proxied.faults).toEqual([]);
  await proxied.stop();
  own.remove();
}, 60_000);

test("without a trusted proxy, attempts count against the peer's address, whatever the header says", async () => {
  const own = makeFolder();
  const direct = await startControlHost(own.path);
  const browser = new Browser();
  const { page } = await openSignIn(browser, direct.url);
  const guess = async (n: number) => {
    const body = new URLSearchParams({ email: `nobody-${n}@petstore.test`, password: 'x' });
    return (await browser.fetch(page, { method: 'POST', body, headers: { 'x-forwarded-for': `198.51.100.${n}` } })).status;
  };
  for (let n = 0; n < 50; n += 2) await Promise.all([guess(n), guess(n + 1)]);
  expect(await guess(50)).toBe(429);
  await direct.stop();
  own.remove();
}, 60_000);

test('out of 200 concurrent guesses for one name, at most five are checked', async () => {
  const own = makeFolder();
  const direct = await startControlHost(own.path, 0, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' });
  const browser = new Browser();
  const { page } = await openSignIn(browser, direct.url);
  const guess = async (n: number, address: string) => {
    const body = new URLSearchParams({ email: direct.demo?.email ?? '', password: `guess ${n}` });
    return (await browser.fetch(page, { method: 'POST', body, headers: { 'x-forwarded-for': address } })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 200 }, (_, n) => guess(n, `198.51.100.${n}`)));
  expect(statuses).toContain(503);
  // One guess is checked at a time; the others may try again until five have been checked.
  while (statuses.at(-1) !== 429) statuses.push(await guess(statuses.length, '192.0.2.1'));
  expect([statuses.filter((status) => status === 401).length, new Set(statuses)]).toEqual([5, new Set([401, 429, 503])]);
  await direct.stop();
  own.remove();
});

test('strangers cannot lock a user out of a browser used before, not even after a restart', async () => {
  const own = makeFolder();
  const first = await startControlHost(own.path);
  const { email = '', password = '' } = first.demo ?? {};
  const browser = new Browser();
  const { page } = await openSignIn(browser, first.url);
  expect((await submit(browser, page, email, password)).status).toBe(303);
  await first.stop();
  const host = await startControlHost(own.path);
  const stranger = new Browser();
  const { page: strangersPage } = await openSignIn(stranger, host.url);
  for (let times = 0; times < 5; times += 1) await submit(stranger, strangersPage, email, `guess ${times}`);
  expect((await submit(stranger, strangersPage, email, password)).status).toBe(429);
  // The session's cookies are gone, as if they had expired.
  browser.forget('_session');
  const { page: again } = await openSignIn(browser, host.url);
  const statuses: number[] = [];
  for (let times = 0; times < 4; times += 1) statuses.push((await submit(browser, again, email, `mistyped ${times}`)).status);
  statuses.push((await submit(browser, again, email, password)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 303]);
  await host.stop();
  own.remove();
});

test('if there are more concurrent attempts than can be checked, the rest quickly get a 503', async () => {
  const own = makeFolder();
  const busy = await startControlHost(own.path);
  const browser = new Browser();
  const { page } = await openSignIn(browser, busy.url);
  const answers = await Promise.all(Array.from({ length: 45 }, (_, n) => submit(browser, page, `nobody-${n}@petstore.test`, 'x')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
  const refused = answers.find(({ status }) => status === 503);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused?.text()).toContain('role="alert"');
  expect(busy.faults).toEqual([]);
  await busy.stop();
  own.remove();
});
