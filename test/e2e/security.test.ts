// What users sign in with: changing and forgetting a password, an authenticator app, recovery codes, and passkeys (with Chromium's virtual authenticator).

import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { authenticatorCodes } from '../support/authenticator.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, callApi, type Dashboard, expectAccessible, openDashboard, signIn, tabTo, title, type User } from '../support/dashboard.ts';
import { freePort } from '../support/ports.ts';
import { runCliJson } from '../support/processes.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp.ts';

describe.runIf(chromiumInstalled)('sign-in and security', () => {
  let dashboard: Dashboard;
  let smtp: TestSmtpServer;
  let url: string;
  let users = 0;

  beforeAll(async () => {
    smtp = await startSmtpServer();
    const port = await freePort();
    url = `http://localhost:${port}`;
    dashboard = await openDashboard({
      PETSTORE_PORT: String(port),
      PETSTORE_URL: url,
      PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      PETSTORE_MAIL_FROM: 'petstore@example.com',
    });
  });
  afterAll(async () => {
    await dashboard?.close();
    await smtp?.stop();
  });

  const newUser = (): Promise<User> => {
    users += 1;
    return runCliJson<User>(dashboard.folder, ['users', 'create', `user-${users}@petstore.test`]);
  };

  async function newTab(): Promise<{ page: Page; context: BrowserContext }> {
    const { page, context } = await dashboard.newTab();
    onTestFinished(() => context.close());
    return { page, context };
  }

  /** Signs a user in with the password, as far as it goes. */
  async function enter(page: Page, user: User): Promise<void> {
    await page.goto(url);
    await signIn(page, user);
  }

  const isSignedIn = (page: Page, { email }: User) => page.getByText(email).first().waitFor({ state: 'attached' });

  async function openSecurity(page: Page, user: User): Promise<void> {
    await enter(page, user);
    await isSignedIn(page, user);
    await page.goto(`${url}/oidc/security`);
    await title(page, 'Sign-in and security').waitFor();
  }

  /** Sets up an authenticator app, with the key that the page shows. @returns what makes its next code, and the recovery codes */
  async function setUpApp(page: Page): Promise<{ readonly nextCode: () => string; readonly codes: readonly string[] }> {
    await button(page, 'Set up an app').click();
    const nextCode = authenticatorCodes((await page.locator('code').textContent()) ?? '');
    await expectAccessible(page, 'security-app');
    await page.getByRole('textbox', { name: 'Code' }).fill('000000');
    await button(page, 'Confirm').click();
    await page.getByRole('alert').getByText('This code is incorrect.').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(nextCode());
    await button(page, 'Confirm').click();
    await title(page, 'Recovery codes').waitFor();
    await expectAccessible(page, 'security-codes');
    const codes = await page.locator('code').allTextContents();
    await button(page, 'Copy').click();
    await page.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(codes.join('\n'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
    expect([download.suggestedFilename(), await readFile(await download.path(), 'utf8')]).toEqual([
      'petstore-recovery-codes.txt',
      `${codes.join('\n')}\n`,
    ]);
    return { nextCode, codes };
  }

  /** A virtual authenticator that knows its user (WebDriver, Virtual Authenticators). */
  async function addAuthenticator(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true } as const;
    await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, automaticPresenceSimulation: true } });
  }

  test('a password is changed with the old one, which ends all sessions', async () => {
    const user = await newUser();
    const [{ page }, other] = [await newTab(), await newTab()];
    await enter(other.page, user);
    await isSignedIn(other.page, user);
    await openSecurity(page, user);
    await expectAccessible(page, 'security');
    const change = async (current: string, password: string) => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password, 12 characters or more').fill(password);
      await tabTo(page, 'button', 'Change password');
      await page.keyboard.press('Enter');
    };
    await change('not the password', 'a new password of mine');
    await page.getByRole('alert').getByText('The current password is incorrect.').waitFor();
    await change(user.password, '1q2w3e4r5t6y');
    await page.getByRole('alert').getByText('This password is among the most common passwords').waitFor();
    await change(user.password, `${user.email}1`);
    await page.getByRole('alert').getByText('This password is little more than the email address or the name Petstore').waitFor();
    await change(user.password, 'a new password of mine');
    await title(page, 'Password changed').waitFor();
    await expect(callApi(other.page, 'GET', '/me')).rejects.toThrow('unauthorized');
    // Within ten seconds of a sign-in, the dashboard does not ask for another one.
    await page.evaluate('sessionStorage.clear()');
    await enter(page, { ...user, password: 'a new password of mine' });
    await isSignedIn(page, user);
  });

  test('a forgotten password is replaced with a link, once, and addresses without a user get the same answer', async () => {
    const user = await newUser();
    const { page } = await newTab();
    await page.goto(url);
    const ask = async (email: string) => {
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByLabel('Email address').fill(email);
      await page.keyboard.press('Enter');
      await title(page, 'Check your email').waitFor();
      const answer = await page.content();
      await page.getByRole('link', { name: 'Back to sign-in' }).click();
      await button(page, 'Sign in').waitFor();
      return answer;
    };
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await expectAccessible(page, 'forgot');
    await page.goBack();
    const before = smtp.mails.length;
    expect(await ask('unknown@petstore.test')).toBe(await ask(user.email));
    await expect.poll(() => smtp.mails.length).toBe(before + 1);
    const mail = smtp.mails[before];
    expect(mail?.to).toEqual([user.email]);
    const link = /http:\/\/localhost:\d+\/oidc\/reset#[\w-]{32}/.exec(mail?.text ?? '')?.[0] ?? '';
    await page.goto(link);
    await title(page, 'Choose a new password').waitFor();
    expect(page.url()).toBe(`${url}/oidc/reset`);
    await expectAccessible(page, 'reset');
    await page.getByLabel('New password, 12 characters or more').fill('123456654321');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This password is among the most common passwords').waitFor();
    await page.getByLabel('New password, 12 characters or more').fill('remembered this time');
    await page.keyboard.press('Enter');
    await title(page, 'Password set').waitFor();
    await page.goto(`${url}/oidc/forgot`);
    await page.goto(link);
    await page.getByLabel('New password, 12 characters or more').fill('and a third password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This link has expired, has already been used').waitFor();
    await enter(page, { ...user, password: 'remembered this time' });
    await isSignedIn(page, user);
  });

  test('an authenticator app is asked for after the password; its codes and the recovery codes work once', async () => {
    const user = await newUser();
    const { page } = await newTab();
    await openSecurity(page, user);
    const other = await newTab();
    await enter(other.page, user);
    await isSignedIn(other.page, user);
    const { nextCode, codes } = await setUpApp(page);
    expect(codes).toHaveLength(10);
    // It may be someone who knew the password.
    await expect(callApi(other.page, 'GET', '/me')).rejects.toThrow('unauthorized');
    const attempt = async (code: string) => {
      const tab = await newTab();
      await enter(tab.page, user);
      await title(tab.page, 'Confirm that it’s you').waitFor();
      await tab.page.getByLabel(/^Code from your authenticator app/).fill(code);
      await tab.page.keyboard.press('Enter');
      return tab.page;
    };
    const refused = (each: Page) => each.getByRole('alert').getByText('This code is incorrect or has already been used.').waitFor();
    const wrong = await attempt('000000');
    await refused(wrong);
    await expectAccessible(wrong, 'second-step');
    const code = nextCode();
    await isSignedIn(await attempt(code), user);
    await refused(await attempt(code));
    const [first = '', second = ''] = codes;
    await isSignedIn(await attempt(first.toUpperCase().replace('-', ' ')), user);
    await refused(await attempt(first));
    await isSignedIn(await attempt(second), user);
    await page.goto(`${url}/oidc/security`);
    await page.getByText('8 left.').waitFor();
    await button(page, 'Remove the app').click();
    await button(page, 'Set up an app').waitFor();
    const last = await newTab();
    await enter(last.page, user);
    await isSignedIn(last.page, user);
  });

  test('a passkey signs in without the password, and confirms a sign-in with it', async () => {
    const user = await newUser();
    const { page, context } = await newTab();
    await addAuthenticator(page);
    await openSecurity(page, user);
    await page.getByLabel('Name of the new passkey').fill('My <b>laptop</b>');
    await button(page, 'Add a passkey').click();
    await title(page, 'Recovery codes').waitFor();
    await button(page, 'I have saved them').click();
    await page.getByText('My <b>laptop</b>').first().waitFor();
    await expectAccessible(page, 'security-passkey');
    await page.getByLabel('Name of the new passkey').fill('Again');
    await button(page, 'Add a passkey').click();
    await page.getByText('This device already has a passkey for you.').waitFor();

    const forget = async () => {
      await context.clearCookies();
      // A page that leads nowhere by itself.
      await page.goto(`${url}/oidc/forgot`);
      await page.evaluate('sessionStorage.clear()');
      await page.goto(url);
    };
    await forget();
    await tabTo(page, 'button', 'Sign in with a passkey');
    await page.keyboard.press('Enter');
    await isSignedIn(page, user);
    await forget();
    await signIn(page, user);
    await title(page, 'Confirm that it’s you').waitFor();
    await expectAccessible(page, 'second-step-passkey');
    await button(page, 'Use a passkey').click();
    await isSignedIn(page, user);
    await page.goto(`${url}/oidc/security`);
    await page.getByRole('button', { name: /^Remove My/ }).click();
    await page.getByText('You get them when you add your first passkey or app.').waitFor();
    await forget();
    await button(page, 'Sign in with a passkey').click();
    await page.getByRole('alert').getByText('This passkey was not accepted.').waitFor();
  });

  test('a form of another page changes nothing', async () => {
    const user = await newUser();
    const { page, context } = await newTab();
    await openSecurity(page, user);
    const cookies = (await context.cookies(`${url}/oidc/security`)).map(({ name, value }) => `${name}=${value}`).join('; ');
    const body = new URLSearchParams({ action: 'recovery-codes' });
    for (const headers of [
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:1' },
      { origin: 'null' },
    ]) {
      const answer = await fetch(`${url}/oidc/security`, { method: 'POST', body, headers: { ...headers, cookie: cookies }, redirect: 'manual' });
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('nothing was changed')]);
    }
  });
});
