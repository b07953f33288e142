// A client that sends many sign-in requests delays only itself: over HTTP, behind a proxy that names its address.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { Browser, openSignIn, signIn, submit } from '../support/sign-in.ts';

const folder = makeFolder();
const ANN = { email: 'ann@petstore.test', password: 'the password of ann' };
const BOB = { email: 'bob@petstore.test', password: 'the password of bob' };
let host: ControlHost;

beforeAll(async () => {
  host = await startControlHost(folder.path, 0, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' });
  const stores = openSqliteStores(folder.path);
  const users = createSqliteUserStore(stores.database);
  await users.add({ id: 'usr_ann', email: ANN.email }, ANN.password);
  await users.add({ id: 'usr_bob', email: BOB.email }, BOB.password);
  stores.close();
});

afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

const browserAt = (address: string) => new Browser({ 'x-forwarded-for': address });

test('an address with many passwords to check does not keep other addresses from signing in', async () => {
  const flooder = browserAt('2001:db8:1:1::1');
  const owner = browserAt('2001:db8:1:2::1');
  const { page } = await openSignIn(flooder, host.url);
  const { page: ownersPage } = await openSignIn(owner, host.url);
  const flood = Array.from({ length: 40 }, (_, n) => submit(flooder, page, `nobody-${n}@petstore.test`, 'x'));
  const refused = await Promise.any(flood.map(async (each) => ((await each).status === 503 ? each : Promise.reject())));
  const entered = await submit(owner, ownersPage, ANN.email, ANN.password);
  await Promise.all(flood);
  expect(entered.status).toBe(303);
  expect([Number(refused.headers.get('retry-after')) > 0, await refused.text()]).toEqual([true, expect.stringContaining('role="alert"')]);
});

test("a name's password is checked only once at a time, across all addresses", async () => {
  const guessers = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const browser = browserAt(`198.51.100.${n}`);
      return { browser, page: (await openSignIn(browser, host.url)).page };
    }),
  );
  const checks = Promise.all(guessers.map(({ browser, page }) => submit(browser, page, BOB.email, BOB.password)));
  const statuses = (await checks).map(({ status }) => status);
  // All attempts have the right password, so only the share can refuse one.
  expect(new Set(statuses)).toEqual(new Set([303, 503]));
});

test('after a successful sign-in, its page checks no further passwords', async () => {
  const browser = browserAt('198.51.100.101');
  const { page } = await openSignIn(browser, host.url);
  const entered = await submit(browser, page, ANN.email, ANN.password);
  expect(entered.status).toBe(303);
  const again = await submit(browser, page, ANN.email, 'not the password');
  expect([again.status, again.headers.get('location')]).toEqual([303, entered.headers.get('location')]);
  const other = await submit(browser, page, BOB.email, BOB.password);
  expect([other.status, other.headers.get('location')]).toEqual([303, `${host.url}/`]);
});

test.each(['GET', 'POST'])('an address has 120 requests a minute to the sign-in page, with or without a known session: %s', async (method) => {
  const address = method === 'GET' ? '203.0.113.1' : '203.0.113.2';
  const browser = browserAt(address);
  const { page } = await openSignIn(browser, host.url);
  const entered = await submit(browser, page, ANN.email, ANN.password);
  await browser.fetch(new URL(entered.headers.get('location') ?? '', host.url).href);
  // The minute may end during the test, so it sends two minutes' worth: more than any single minute allows.
  const answers: Response[] = [];
  for (let n = 0; n < 241; n += 1) answers.push(await browser.fetch(page, { method }));
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect([refused?.headers.get('content-security-policy'), await refused?.text()]).toEqual([
    expect.stringContaining("default-src 'none'"),
    expect.stringMatching(/<span>Too many requests from this address\. Try again in \d+ seconds?\./),
  ]);
  // Other pages have a separate limit.
  expect((await signIn(host.url, BOB.email, BOB.password)).access_token).toBeTruthy();
});

test('a new password set by the operator works, after any number of guesses at the old one', async () => {
  const { email } = await runCliJson<{ email: string; password: string }>(folder.path, ['users', 'create', 'eve@petstore.test']);
  const guesser = browserAt('192.0.2.1');
  const { page } = await openSignIn(guesser, host.url);
  for (let times = 0; times < 5; times += 1) expect((await submit(guesser, page, email, `guess ${times}`)).status).toBe(401);
  const barred = await submit(guesser, page, email, 'guess');
  expect([barred.status, await barred.text()]).toEqual([429, expect.stringMatching(/Too many attempts\. Try again in (\d+ seconds?|1 minute)\./)]);
  const { password } = await runCliJson<{ password: string }>(folder.path, ['users', 'password', email]);
  expect((await submit(guesser, page, email, password)).status).toBe(303);
});
