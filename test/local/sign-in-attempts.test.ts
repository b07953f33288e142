// How many passwords can be tried, from where, and how many at once: over HTTP, with a separate host for each test.

import { expect, onTestFinished, test, vi } from 'vitest';
import { startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, openSignIn, submit } from '../support/sign-in.ts';
import { startSmtpServer } from '../support/smtp.ts';

// Hundreds of passwords are checked here: each as if it were a fiftieth of the work.
vi.mock('../../adapters/identity/passwords.ts', async (load) => ({
  ...(await load<object>()),
  PASSWORD_COST: { N: 2 ** 11, r: 8, p: 1, maxmem: 2 ** 22 },
}));

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
});

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
});

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

test('strangers who use up every attempt at a name cannot keep its user out of a new browser: a link by email lets them in', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(smtp.stop);
  const own = makeFolder();
  onTestFinished(own.remove);
  const mail = { PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: 'no-reply@pets.example.com' };
  const host = await startControlHost(own.path, 0, mail);
  onTestFinished(host.stop);
  const { email = '', password = '' } = host.demo ?? {};
  const [stranger, browser] = [new Browser(), new Browser()];
  const { page: strangersPage } = await openSignIn(stranger, host.url);
  const guess = async () => (await submit(stranger, strangersPage, email, 'guess')).status;
  const { page } = await openSignIn(browser, host.url);
  for (let times = 0; times < 5; times += 1) expect(await guess()).toBe(401);
  expect((await submit(browser, page, email, password)).status).toBe(429);

  const post = (path: string, body: Record<string, string>) => browser.fetch(host.url + path, { method: 'POST', body: new URLSearchParams(body) });
  expect((await post('/oidc/forgot', { email })).status).toBe(200);
  await expect.poll(() => smtp.mails.length).toBe(1);
  const token = /\/oidc\/reset#([\w-]+)/.exec(smtp.mails[0]?.text ?? '')?.[1] ?? '';
  expect((await post('/oidc/reset', { token, password: 'a password nobody guesses' })).status).toBe(200);
  for (let times = 0; times < 5; times += 1) expect(await guess()).toBe(401);
  expect(await guess()).toBe(429);
  expect((await submit(browser, page, email, 'a password nobody guesses')).status).toBe(303);
  expect(host.faults).toEqual([]);
});

test('attempts at a name without a user are slowed down in the same words', async () => {
  const own = makeFolder();
  onTestFinished(own.remove);
  const host = await startControlHost(own.path);
  onTestFinished(host.stop);
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  const answers = async (email: string) => {
    const all: string[] = [];
    for (let times = 0; times < 6; times += 1) {
      const answer = await submit(browser, page, email, 'guess');
      all.push(`${answer.status} ${(await answer.text()).replaceAll(email, '').replace(/in (\d+ seconds?|1 minute)\./, 'in a while.')}`);
    }
    return all;
  };
  const [known, unknown] = [await answers(host.demo?.email ?? ''), await answers('nobody@petstore.test')];
  expect(known.map((answer) => answer.slice(0, 3))).toEqual(['401', '401', '401', '401', '401', '429']);
  const withoutChallenge = (answer: string) => answer.replace(/challenge[^,]+,/g, '');
  expect(unknown.map(withoutChallenge)).toEqual(known.map(withoutChallenge));
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
