// Who got in, and who tried to: in the audit log, and in the list that the user sees.

import { TOTP } from 'otpauth';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { startControlHost } from '../support/control-host.ts';
import { testFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { Browser, openSignIn, signIn, submit } from '../support/sign-in.ts';
import { startSmtpServer } from '../support/smtp.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0';

/** Follows the redirects of a sign-in. */
async function finish(browser: Browser, origin: string, entered: Response): Promise<void> {
  let location = entered.headers.get('location');
  for (let hops = 0; hops < 5 && location?.includes('/oidc/'); hops += 1)
    location = (await browser.fetch(new URL(location, origin).href)).headers.get('location');
}

interface Listed {
  readonly signIns: readonly { readonly outcome: string; readonly count: number }[];
}

test('sign-ins, failures and refusals are recorded with user, browser and address, and what is entered for nobody is not', async () => {
  const folder = testFolder();
  const host = await startControlHost(folder);
  onTestFinished(host.stop);
  const { email = '', password = '' } = host.demo ?? {};
  const stranger = new Browser({ 'user-agent': FIREFOX });
  const { page } = await openSignIn(stranger, host.url);
  const statuses: number[] = [];
  for (let times = 0; times < 6; times += 1) statuses.push((await submit(stranger, page, email, `guess ${times}`)).status);
  statuses.push((await submit(stranger, page, 'my own secret password', 'x')).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 401]);

  const { password: next } = await runCliJson<{ password: string }>(folder, ['users', 'password', email]);
  expect(next).not.toBe(password);
  const { access_token } = await signIn(host.url, email, next);
  const list = async () =>
    ((await (await fetch(`${host.url}/dashboard/v1/me/sessions`, { headers: { authorization: `Bearer ${access_token}` } })).json()) as Listed)
      .signIns;
  const common = { method: 'password', address: '127.0.0.1', at: expect.any(String), count: 1 };
  expect(await list()).toEqual([
    { ...common, outcome: 'succeeded', agent: 'A browser' },
    { ...common, outcome: 'refused', agent: 'Firefox on Linux' },
    { ...common, outcome: 'failed', agent: 'Firefox on Linux' },
  ]);

  // What was counted is recorded at the end.
  await host.stop();
  const stores = openSqliteStores(folder);
  onTestFinished(stores.close);
  const { items } = await stores.audit.entries({}, 100);
  const entries = items.filter(({ action }) => action.startsWith('sign_in.')).toReversed();
  const userId = entries[0]?.subject ?? '';
  const [byStranger, details] = [
    { kind: 'visitor', address: '127.0.0.1' },
    { method: 'password', agent: 'Firefox on Linux' },
  ];
  expect(entries.map(({ id: _, at: __, ...entry }) => entry)).toEqual([
    { action: 'sign_in.failed', subject: userId, actor: byStranger, details },
    { action: 'sign_in.refused', subject: userId, actor: byStranger, details },
    { action: 'sign_in.failed', subject: 'no user', actor: byStranger, details },
    {
      action: 'sign_in.succeeded',
      subject: userId,
      actor: { kind: 'user', id: userId, address: '127.0.0.1' },
      details: { ...details, agent: 'A browser' },
    },
    { action: 'sign_in.failed', subject: userId, actor: byStranger, details: { ...details, count: 4 } },
  ]);
  expect(userId).toMatch(/^usr_/);
  expect(JSON.stringify(items)).not.toContain('secret');
  expect(host.faults).toEqual([]);
});

test('codes and passkeys are recorded as such, and so is a link that was asked for', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(smtp.stop);
  const folder = testFolder();
  const mail = { PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: 'no-reply@pets.example.com' };
  const host = await startControlHost(folder, 0, mail);
  onTestFinished(host.stop);
  const { email = '', password = '' } = host.demo ?? {};
  const browser = new Browser();
  const post = (url: string, body: Record<string, string>) =>
    browser.fetch(url, { method: 'POST', body: new URLSearchParams(body), headers: { origin: host.url } });
  await finish(browser, host.url, await submit(browser, (await openSignIn(browser, host.url)).page, email, password));
  const setUp = await (await post(`${host.url}/oidc/security`, { action: 'set-up-app' })).text();
  const [, sealed = ''] = /name="sealed" value="([^"]+)"/.exec(setUp) ?? [];
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(setUp)?.[1]?.replaceAll(' ', '') ?? '';
  const codeAt = (milliseconds: number) => new TOTP({ secret }).generate({ timestamp: milliseconds });
  expect((await post(`${host.url}/oidc/security`, { action: 'confirm-app', sealed, code: codeAt(Date.now()) })).status).toBe(200);

  const other = new Browser();
  const { page } = await openSignIn(other, host.url);
  const enter = (fields: Record<string, string>) => other.fetch(page, { method: 'POST', body: new URLSearchParams(fields) });
  expect((await enter({ passkey: '{}' })).status).toBe(401);
  expect((await submit(other, page, email, password)).status).toBe(303);
  expect((await enter({ code: '1' })).status).toBe(401);
  expect((await enter({ code: codeAt(Date.now() + 30_000) })).status).toBe(303);
  await browser.fetch(`${host.url}/oidc/forgot`, { method: 'POST', body: new URLSearchParams({ email }) });
  await expect.poll(() => smtp.mails.length).toBe(1);
  await host.stop();
  const stores = openSqliteStores(folder);
  onTestFinished(stores.close);
  const { items } = await stores.audit.entries({}, 100);
  const seen = items.flatMap(({ action, subject, details }) =>
    action.startsWith('sign_in.') ? [[action.slice(8), details?.method, subject === 'no user']] : [],
  );
  expect(seen.toReversed()).toEqual([
    ['succeeded', 'password', false],
    ['failed', 'passkey', true],
    ['failed', 'code', false],
    ['succeeded', 'code', false],
    ['reset_requested', undefined, false],
  ]);
});

test('if the log cannot be written, nobody is signed in', async () => {
  const folder = testFolder();
  const host = await startControlHost(folder);
  onTestFinished(host.stop);
  const { email = '', password = '' } = host.demo ?? {};
  const stores = openSqliteStores(folder);
  onTestFinished(stores.close);
  stores.database.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  expect((await submit(browser, page, email, password)).status).toBe(503);
  stores.database.exec('DROP TRIGGER full');
  expect((await submit(browser, page, email, password)).status).toBe(303);
});

test('owners see the sign-ins of those who are members, from when they became members; others see none', async () => {
  const folder = testFolder();
  const host = await startControlHost(folder);
  onTestFinished(host.stop);
  const { email = '', password = '' } = host.demo ?? {};
  const ben = { email: 'ben@petstore.test', password: 'the password of Ben' };
  const { userId } = await runCliJson<{ userId: string }>(folder, ['users', 'create', ben.email, '--password-stdin'], ben.password);
  const owner = (await signIn(host.url, email, password)).access_token;
  const bens = (await signIn(host.url, ben.email, ben.password)).access_token;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  const call = async (bearer: string, method: string, path: string, body?: object): Promise<{ status: number; body: any }> => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const response = await fetch(`${host.url}/dashboard/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  };
  const { accountId } = (await call(owner, 'GET', '/accounts')).body[0];
  const { accountId: own } = (await call(bens, 'POST', '/accounts', { name: 'Own' })).body;
  const path = `/accounts/${accountId}/members/${userId}`;
  const joins = async () => {
    const { link } = (await call(owner, 'POST', `/accounts/${accountId}/invitations`, { email: ben.email })).body;
    expect((await call(bens, 'POST', '/invitations/accept', { token: link.split('#')[1] })).status).toBe(200);
  };
  const fails = async () => {
    const browser = new Browser({ 'user-agent': FIREFOX });
    expect((await submit(browser, (await openSignIn(browser, host.url)).page, ben.email, 'a guess')).status).toBe(401);
  };
  const seen = async (bearer = owner) => {
    const { status, body } = await call(bearer, 'GET', `${path}/sign-ins`);
    return status === 200 ? body : [status, body.code];
  };

  expect(await seen()).toEqual([404, 'not_found']);
  await joins();
  expect(await seen()).toEqual({ canList: true, signIns: [] });
  await signIn(host.url, ben.email, ben.password);
  await fails();
  const common = { method: 'password', address: '127.0.0.1', at: expect.any(String), count: 1 };
  await expect
    .poll(() => seen())
    .toEqual({
      canList: true,
      signIns: [
        { ...common, outcome: 'failed', agent: 'Firefox on Linux' },
        { ...common, outcome: 'succeeded', agent: 'A browser' },
      ],
    });
  // As the user sees them, who sees earlier ones, too.
  const { signIns } = (await call(bens, 'GET', '/me/sessions')).body;
  expect([signIns.slice(0, 2), signIns.length]).toEqual([(await seen()).signIns, 3]);

  expect(await seen(bens)).toEqual([403, 'forbidden']);
  const of = async (bearer: string, account: string, user: string) =>
    (await call(bearer, 'GET', `/accounts/${account}/members/${user}/sign-ins`)).status;
  const { userId: demo } = (await call(owner, 'GET', '/me')).body;
  expect([await of(bens, accountId, demo), await of(bens, own, demo), await of(owner, own, userId), await of(bens, own, userId)]).toEqual([
    403, 404, 404, 200,
  ]);

  expect((await call(owner, 'DELETE', path)).status).toBe(200);
  expect([await seen(), await seen(bens)]).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
  ]);
  await joins();
  expect(await seen()).toEqual({ canList: true, signIns: [] });
  expect(host.faults).toEqual([]);
});
