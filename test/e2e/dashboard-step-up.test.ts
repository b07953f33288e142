// What needs a recent sign-in, in the dashboard: it leads to the sign-in page and back, and what was typed is still there.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, callApi, type Dashboard, expectAccessible, openDashboard, signIn, title } from '../support/dashboard.ts';
import { ageSignIns } from '../support/sign-in.ts';

describe.runIf(chromiumInstalled)('with an old sign-in', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard.close());

  /** Makes the tab's sign-in older than an hour. Its token is renewed with the next request. */
  async function age(page: Page): Promise<void> {
    ageSignIns(dashboard.folder, 3_601);
    await page.evaluate(() => {
      const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:')) ?? '';
      sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key) ?? '{}'), expires_at: 1 }));
    });
  }

  test('a key is created after signing in again, with what was entered before', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const [account] = await callApi<{ accountId: string }[]>(page, 'GET', '/accounts');
    const keys = `${dashboard.url()}/accounts/${account?.accountId}/keys`;
    await page.goto(keys);
    await title(page, 'API keys').waitFor();
    await age(page);
    await button(page, 'Create key').click();
    await page.getByLabel('Name').fill('The till');
    await page.getByLabel('pets:write').uncheck();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('You signed in more than an hour ago, so nothing was changed.').waitFor();
    await expectAccessible(page, 'sign-in-again');
    // The page stays until its user leaves it.
    expect(page.url()).toBe(keys);
    await dialog.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(page, dashboard.demo);
    await title(page, 'API keys').waitFor();
    expect(page.url()).toBe(keys);
    await button(page, 'Create key').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('The till');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await button(page, "I've saved it").click();
    const issued = await callApi<{ name: string; scopes: string[] }[]>(page, 'GET', `/accounts/${account?.accountId}/keys`);
    expect(issued.find(({ name }) => name === 'The till')?.scopes).toEqual(['pets:read']);
    // What was created, or cancelled, is not kept.
    await button(page, 'Create key').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await context.close();
  });

  test('the page about sign-in and security opens after signing in again, and without that if the sign-in is recent', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projects = page.url();
    const open = async () => {
      await button(page, dashboard.demo.email).click();
      await page.getByRole('link', { name: 'Sign-in and security' }).click();
    };
    const security = page.getByRole('heading', { name: 'Sign-in and security' });
    await open();
    await security.waitFor();
    expect(page.url()).toBe(`${dashboard.url()}/oidc/security`);
    await page.goBack();
    await title(page, /./).waitFor();
    expect(page.url()).toBe(projects);
    await age(page);
    await open();
    await signIn(page, dashboard.demo);
    await security.waitFor();
    // The provider has forgotten the user, and the tab's token is recent: neither sends the user back and forth.
    await context.clearCookies();
    await page.goto(`${dashboard.url()}/oidc/security`);
    await signIn(page, dashboard.demo);
    await security.waitFor();
    await context.close();
  });
});
