// Every action that ends a user's sessions ends all of them at once, including access tokens for the control API.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli, runCliJson } from '../support/processes.ts';
import { Browser, exchange, openSignIn, signIn, submit, type Tokens } from '../support/sign-in.ts';

const folder = makeFolder();
let host: ControlHost;

beforeAll(async () => {
  host = await startControlHost(folder.path);
});

afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

const statusOf = async ({ access_token }: Tokens) =>
  (await fetch(`${host.url}/dashboard/v1/me`, { headers: { authorization: `Bearer ${access_token}` } })).status;

/** A new user who is signed in: with tokens, in a browser, and with the password entered but the redirect not yet followed. */
async function signedInUser(name: string) {
  const email = `${name}@petstore.test`;
  const { password, userId } = await runCliJson<{ password: string; userId: string }>(folder.path, ['users', 'create', email]);
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  const entered = await submit(browser, page, email, password);
  await browser.fetch(new URL(entered.headers.get('location') ?? '', host.url).href);
  const waiting = new Browser();
  const { page: waitingPage, verifier } = await openSignIn(waiting, host.url);
  const held = new URL((await submit(waiting, waitingPage, email, password)).headers.get('location') ?? '', host.url).href;
  return { email, userId, password, browser, waiting, held, verifier, tokens: await signIn(host.url, email, password) };
}

async function expectSignedOut({ tokens, browser, waiting, held, verifier }: Awaited<ReturnType<typeof signedInUser>>): Promise<void> {
  expect(await statusOf(tokens)).toBe(401);
  await expect(exchange(host.url, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).rejects.toThrow('invalid_grant');
  expect((await openSignIn(browser, host.url)).page).toContain('/oidc/sign-in/');
  const code = new URL((await waiting.fetch(held)).headers.get('location') ?? '', host.url).searchParams.get('code');
  if (code !== null) {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: `${host.url}/signed-in`, code_verifier: verifier };
    await expect(exchange(host.url, fields)).rejects.toThrow('invalid_grant');
  }
}

test('a new password ends sessions, tokens and incomplete sign-ins', async () => {
  const user = await signedInUser('ann');
  const bystander = await signedInUser('bob');
  expect(await statusOf(user.tokens)).toBe(200);
  const { password } = await runCliJson<{ password: string }>(folder.path, ['users', 'password', user.email]);
  await expectSignedOut(user);
  expect(await statusOf(await signIn(host.url, user.email, password))).toBe(200);
  expect(await statusOf(bystander.tokens)).toBe(200);
  await exchange(host.url, { grant_type: 'refresh_token', refresh_token: bystander.tokens.refresh_token });
});

test('the command "users sign-out" also ends them, and keeps the password', async () => {
  const user = await signedInUser('carol');
  expect(await runCliJson(folder.path, ['users', 'sign-out', 'Carol@petstore.test'])).toEqual({ userId: user.userId, email: user.email });
  await expectSignedOut(user);
  expect(await statusOf(await signIn(host.url, user.email, user.password))).toBe(200);
  expect((await runCli(folder.path, ['users', 'sign-out', 'nobody@petstore.test'])).stderr).toContain('no user');
});

test('the command "users remove" also ends them, and frees the address and the memberships', async () => {
  const user = await signedInUser('dave');
  const { accountId } = await runCliJson<{ accountId: string }>(folder.path, ['accounts', 'create', '--name', 'D', '--plan', 'free']);
  await runCliJson(folder.path, ['accounts', 'add-member', accountId, user.userId]);
  expect(await runCliJson(folder.path, ['users', 'remove', user.email, '--yes'])).toEqual({
    ...{ userId: user.userId, email: user.email, accountsWithoutOwner: [accountId] },
  });
  expect(await statusOf(user.tokens)).toBe(401);
  await expect(exchange(host.url, { grant_type: 'refresh_token', refresh_token: user.tokens.refresh_token })).rejects.toThrow('invalid_grant');
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  expect((await submit(browser, page, user.email, user.password)).status).toBe(401);
  expect((await openSignIn(user.browser, host.url)).page).toContain('/oidc/sign-in/');
  expect((await runCli(folder.path, ['users', 'remove', user.email, '--yes'])).stderr).toContain('no user');
});
