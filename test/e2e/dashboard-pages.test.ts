// Every page of the dashboard at its URL: it is accessible (axe, in both themes), fits screens from a phone to a wide monitor, and does not shift
// its layout while it loads; and another account's resources are not found.

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { callApi, type Dashboard, expectAccessible, layoutShift, openDashboard, title, type User } from '../support/dashboard.ts';
import { runCliJson } from '../support/processes.ts';

const TIMEOUT_MS = 60_000;
const HOST = 'www.a-rather-long-name-of-a-shop-for-animals.test';
/** Starts with the narrowest width that WCAG 2.2 (1.4.10) requires. */
const WIDTHS = [320, 375, 768, 1_920];

describe.runIf(chromiumInstalled)('dashboard pages', () => {
  let dashboard: Dashboard;
  let ids: Record<string, string>;
  let context: BrowserContext;
  let signedIn: Page;
  let theirs: BrowserContext;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const other = await runCliJson<User>(dashboard.folder, ['users', 'create', 'other@petstore.test']);
    ({ context: theirs } = await dashboard.newSignedInTab(other));
    ({ page: signedIn, context } = await dashboard.newSignedInTab());
    const [account] = await callApi<{ accountId: string }[]>(signedIn, 'GET', '/accounts');
    const accountId = account?.accountId ?? '';
    const { projectId } = await callApi<{ projectId: string }>(signedIn, 'POST', `/accounts/${accountId}/projects`, { name: 'Corner Shop' });
    const { domainId } = await callApi<{ domainId: string }>(signedIn, 'POST', `/projects/${projectId}/domains`, { host: HOST });
    await callApi(signedIn, 'PUT', '/sandbox/records', { name: HOST, type: 'A', value: '192.0.2.1' });
    await callApi(signedIn, 'POST', `/projects/${projectId}/domains/${domainId}/verify`);
    ids = { accountId, projectId, domainId };
  }, TIMEOUT_MS);

  afterAll(() => dashboard.close());

  const PAGES = [
    ['/accounts/{accountId}/projects', 'Projects', 'Corner Shop', 'projects'],
    ['/accounts/{accountId}/keys', 'API keys', 'Rotate', 'keys-one'],
    ['/accounts/{accountId}/usage', 'Usage', 'Requests today', 'usage-quiet'],
    ['/accounts/new', 'Create account', 'Account name', 'account-new'],
    ['/projects/{projectId}', 'Corner Shop', 'Deployments', 'project'],
    ['/projects/{projectId}/domains', 'Domains', HOST, 'domains'],
    ['/projects/{projectId}/domains/{domainId}', HOST, 'Who must act:', 'domain-conflict'],
    ['/projects/{projectId}/settings', 'Settings', 'Primary domain', 'settings-empty'],
    ['/sandbox', 'Sandbox DNS', '192.0.2.1', 'sandbox'],
    ['/nothing/here', 'Not found', 'This page does not exist.', 'not-found'],
  ] as const;
  const addressOf = (path: string) => dashboard.url() + path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '');

  test.each(PAGES)(
    '%s',
    async (path, heading, content, name) => {
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
      page.on('pageerror', (error) => problems.push(error.message));
      // A new tab has no token: the provider's session signs it in, and the requested address is kept.
      await page.goto(addressOf(path));
      await title(page, heading).waitFor();
      await page.getByRole('main').getByText(content).first().waitFor();
      expect([page.url(), await page.title()]).toEqual([addressOf(path), `${heading} · Petstore`]);
      await page.waitForTimeout(500);
      expect(await layoutShift(page)).toBeLessThan(0.05);
      await expectAccessible(page, name);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 740 });
        await page.waitForTimeout(200);
        const fits = await page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
        expect(fits, `${width} pixels wide`).toBe(true);
      }
      expect(problems).toEqual([]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test.each(PAGES.filter(([path]) => path.includes('{')))(
    'do not show %s of another account',
    async (path) => {
      const page = await theirs.newPage();
      await page.goto(addressOf(path));
      await page
        .getByRole('alert')
        .or(page.getByText(/no (account|project|domain) ".+" among yours/))
        .first()
        .waitFor();
      expect(await page.getByText(/no (account|project|domain) ".+" among yours/).count()).toBeGreaterThan(0);
      expect(await page.getByText(/Corner Shop|a-rather-long-name/).count()).toBe(0);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    'have a navigation menu that opens on a phone, and closes after a choice',
    async () => {
      const page = await context.newPage();
      await page.setViewportSize({ width: 375, height: 740 });
      await page.goto(addressOf('/accounts/{accountId}/projects'));
      await title(page, 'Projects').waitFor();
      await page.getByRole('button', { name: 'Open navigation' }).click();
      await page.getByRole('link', { name: 'API keys' }).click();
      await title(page, 'API keys').waitFor();
      await page.getByRole('link', { name: 'Usage' }).waitFor({ state: 'hidden' });
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    'guide a new user to creating a first account',
    async () => {
      const page = await theirs.newPage();
      await page.goto(dashboard.url());
      await title(page, 'Create account').waitFor();
      await page.getByLabel('Account name').fill('Corner shop of another');
      await page.getByRole('main').getByRole('button', { name: 'Create account' }).click();
      await title(page, 'Projects').waitFor();
      await page.getByText('Corner shop of another, free plan').waitFor();
      await page.getByText('No projects yet.').waitFor();
      await page.close();
    },
    TIMEOUT_MS,
  );
});
