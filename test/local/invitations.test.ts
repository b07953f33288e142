// Invitations over HTTP: handed over where the service sends no mail, and mailed, which also lets a person without a user sign up.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { sampleAccount } from '../../testing/samples.ts';
import { startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, openSignIn, signIn, submit } from '../support/sign-in.ts';
import { startSmtpServer } from '../support/smtp.ts';

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  readonly body: any;
  readonly headers: Headers;
}

const PASSWORD = 'a password of twelve';

/** A service with users, whose account is that of the first. */
async function makeWorld(settings: Readonly<Record<string, string>>, names: readonly string[]) {
  const folder = makeFolder();
  const server = await startControlHost(folder.path, 0, settings);
  const stores = openSqliteStores(folder.path);
  const users = createSqliteUserStore(stores.database);
  for (const name of names) await users.add({ id: `usr_${name}`, email: `${name}@petstore.test` }, PASSWORD);
  const bearerOf = async (name: string) => (await signIn(server.url, `${name}@petstore.test`, PASSWORD)).access_token;
  const call = async (bearer: string, method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${server.url}/dashboard/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  const owner = await bearerOf(names[0] ?? '');
  const { accountId } = (await call(owner, 'POST', '/accounts', { name: 'Corner <Shop>' })).body;
  const end = async () => {
    expect(server.faults).toEqual([]);
    stores.close();
    await server.stop();
    folder.remove();
  };
  return { folder, server, stores, users, bearerOf, call, owner, accountId, invitations: `/accounts/${accountId}/invitations`, end };
}

describe('without mail', () => {
  let world: Awaited<ReturnType<typeof makeWorld>>;

  beforeAll(async () => {
    world = await makeWorld({}, ['ann', 'ben', 'eve']);
  });
  // An account for each test.
  beforeEach(async () => {
    const account = { ...sampleAccount(), name: 'Corner <Shop>' };
    await world.stores.accounts.createAccount(account);
    await world.stores.members.addMember(account.id, 'usr_ann', 'owner');
    world = { ...world, accountId: account.id, invitations: `/accounts/${account.id}/invitations` };
  });
  afterAll(() => world.end());

  const invite = (email: string, more: object = {}) => world.call(world.owner, 'POST', world.invitations, { email, ...more });
  const tokenIn = ({ body: { link } }: Answer) => String(link).replace(/^\/invitation#/, '');

  test('the owner gets the link once, and its user accepts it once', async () => {
    const { call, owner, invitations } = world;
    const sent = await invite('Ben@Petstore.test', { role: 'owner' });
    expect([sent.status, sent.body]).toEqual([
      201,
      {
        invitationId: expect.stringMatching(/^inv_/),
        ...{ email: 'ben@petstore.test', role: 'owner', mailed: false, invitedBy: { userId: 'usr_ann', email: 'ann@petstore.test' } },
        ...{ createdAt: expect.any(String), expiresAt: expect.any(String), link: expect.stringMatching(/^\/invitation#petstore_invite_\w{58}$/) },
      },
    ]);
    const { link: _, ...listed } = sent.body;
    expect((await call(owner, 'GET', invitations)).body).toEqual([listed]);
    const token = tokenIn(sent);
    // Only a digest is stored, also of the answer that is kept for repeated requests.
    for (const file of [DATABASE_FILE, `${DATABASE_FILE}-wal`])
      expect(readFileSync(join(world.folder.path, file)).includes(token.slice(16))).toBe(false);

    const [ben, eve] = [await world.bearerOf('ben'), await world.bearerOf('eve')];
    const shown = { accountName: 'Corner <Shop>', role: 'owner', email: 'ben@petstore.test', invitedBy: 'ann@petstore.test', member: false };
    expect((await call(ben, 'POST', '/invitations/view', { token })).body).toMatchObject({ ...shown, forYou: true });
    expect((await call(eve, 'POST', '/invitations/view', { token })).body).toMatchObject({ ...shown, forYou: false });
    expect((await call(eve, 'POST', '/invitations/accept', { token })).body).toEqual({
      code: 'forbidden',
      message: 'this invitation is for ben@petstore.test; sign in as the user with this address',
      status: 403,
    });
    const accepted = await Promise.all([1, 2, 3].map(() => call(ben, 'POST', '/invitations/accept', { token })));
    expect(accepted.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect(accepted.find(({ status }) => status === 200)?.body).toMatchObject({ accountId: world.accountId, role: 'owner' });
    expect((await call(ben, 'GET', `/accounts/${world.accountId}`)).body.role).toBe('owner');
    expect((await call(owner, 'GET', invitations)).body).toEqual([]);
    // A second one for a member: it changes nothing.
    const again = tokenIn(await invite('ben@petstore.test'));
    expect((await call(ben, 'POST', '/invitations/view', { token: again })).body).toMatchObject({ member: true });
    expect((await call(ben, 'POST', '/invitations/accept', { token: again })).body).toMatchObject({ code: 'conflict' });
  });

  test('what can’t be used is refused with the same words, whatever the reason', async () => {
    const { call, owner, invitations, stores } = world;
    const eve = await world.bearerOf('eve');
    const withdrawn = await invite('eve@petstore.test');
    expect((await call(owner, 'DELETE', `${invitations}/${withdrawn.body.invitationId}`)).body).toEqual({ done: true });
    const replaced = await invite('eve@petstore.test');
    const expired = await invite('eve@petstore.test');
    stores.database.prepare('UPDATE invitations SET expires_at = ?').run(Date.now());
    const tokens = [...[withdrawn, replaced, expired].map(tokenIn), 'junk', '', `${tokenIn(expired)}x`, 'petstore_invite_0'];
    const answers = await Promise.all(
      tokens.flatMap((token) =>
        ['view', 'accept'].map(async (path) => JSON.stringify((await call(eve, 'POST', `/invitations/${path}`, { token })).body)),
      ),
    );
    expect([...new Set(answers)]).toEqual([expect.stringContaining('ask for a new invitation')]);
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ code: 'not_found', status: 404 });
    expect((await call(owner, 'GET', invitations)).body).toEqual([]);
  });

  test('a repeated request sends no second invitation, and gets the same link', async () => {
    const key = { 'idempotency-key': 'one' };
    const first = await world.call(world.owner, 'POST', world.invitations, { email: 'cat@petstore.test' }, key);
    const second = await world.call(world.owner, 'POST', world.invitations, { email: 'cat@petstore.test' }, key);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    for (const body of [{ email: 'cat' }, { email: 'cat@petstore.test', role: 'chief' }, {}])
      expect((await world.call(world.owner, 'POST', world.invitations, body)).status).toBe(400);
  });

  test('a link that was not mailed lets nobody sign up: it does not show that the address is theirs', async () => {
    const token = tokenIn(await invite('new@petstore.test'));
    const post = (fields: Record<string, string>) =>
      fetch(`${world.server.url}/oidc/sign-up`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
    for (const fields of [{ token }, { token, password: PASSWORD }]) {
      const answer = await post(fields as Record<string, string>);
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('can ask the operator to register new@petstore.test.')]);
    }
    expect(world.users.byEmail('new@petstore.test')).toBeUndefined();
    const useless = await post({ token: 'junk' });
    expect([useless.status, await useless.text()]).toEqual([404, expect.stringContaining('Ask for a new invitation.')]);
  });
});

describe('with mail', () => {
  let world: Awaited<ReturnType<typeof makeWorld>>;
  let smtp: Awaited<ReturnType<typeof startSmtpServer>>;

  beforeAll(async () => {
    smtp = await startSmtpServer();
    world = await makeWorld({ PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: 'no-reply@pets.example.com' }, ['ann', 'ben']);
  });
  afterAll(async () => {
    await world.end();
    await smtp.stop();
  });

  /** Invites, and waits for the mail. @returns the token in it */
  async function invite(email: string): Promise<string> {
    const before = smtp.mails.length;
    const { body } = await world.call(world.owner, 'POST', world.invitations, { email });
    expect(body).toMatchObject({ mailed: true, link: null });
    await expect.poll(() => smtp.mails.length).toBe(before + 1);
    const mail = smtp.mails.at(-1);
    expect(mail?.to).toEqual([email]);
    const link = /http:\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    expect(link).toContain(`${world.server.url}/invitation#petstore_invite_`);
    return new URL(link).hash.slice(1);
  }
  const signUp = (fields: Record<string, string>, browser = new Browser()) =>
    browser.fetch(`${world.server.url}/oidc/sign-up`, { method: 'POST', body: new URLSearchParams(fields) });

  test('a person without a user chooses a password, signs in and accepts', async () => {
    const token = await invite('new@petstore.test');
    const page = await signUp({ token });
    const text = await page.text();
    expect([page.status, text]).toEqual([200, expect.stringContaining('value="new@petstore.test"')]);
    expect(text).toContain('Corner &lt;Shop&gt;');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const short = await signUp({ token, password: 'short' });
    expect([short.status, await short.text()]).toEqual([400, expect.stringContaining('This password has 5 characters; choose one with 12 to 256.')]);
    const created = await Promise.all([1, 2].map(() => signUp({ token, password: PASSWORD })));
    expect(created.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await created.find(({ status }) => status === 200)?.text()).toContain(`href="${world.server.url}/invitation?sign-in"`);
    expect(world.users.list().filter(({ email }) => email === 'new@petstore.test')).toHaveLength(1);
    const bearer = await world.bearerOf('new');
    expect((await world.call(bearer, 'POST', '/invitations/accept', { token })).status).toBe(200);
    // Its use is over, for sign-up as well.
    expect((await signUp({ token, password: PASSWORD })).status).toBe(404);
    await expect.poll(() => smtp.mails.filter(({ subject }) => subject === 'An account has a new member').length).toBe(2);
  });

  test('a link changes no password: who has a user, or is signed in, is sent on to sign in', async () => {
    const token = await invite('ben@petstore.test');
    const known = await signUp({ token });
    expect([known.status, known.headers.get('location')]).toEqual([303, `${world.server.url}/invitation?sign-in`]);
    const late = await signUp({ token, password: 'another password' });
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('ben@petstore.test already has a password.')]);
    expect(await world.users.check('ben@petstore.test', PASSWORD)).toMatchObject({ id: 'usr_ben' });
    const browser = new Browser();
    const { page } = await openSignIn(browser, world.server.url);
    const entered = await submit(browser, page, 'ben@petstore.test', PASSWORD);
    await browser.fetch(new URL(entered.headers.get('location') ?? '', world.server.url).href);
    expect((await signUp({ token: await invite('other@petstore.test') }, browser)).status).toBe(303);
  });

  test('the page takes only forms, and only small ones', async () => {
    const get = await fetch(`${world.server.url}/oidc/sign-up`, { redirect: 'manual' });
    expect([get.status, get.headers.get('location')]).toEqual([303, `${world.server.url}/`]);
    expect((await signUp({ token: 'x'.repeat(20_000) })).status).toBe(413);
  });
});
