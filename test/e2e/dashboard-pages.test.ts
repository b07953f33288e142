// Every page of the dashboard at its URL: it is accessible and laid out properly on screens from a phone to a wide monitor, and does not shift its
// layout while it loads; and another account's resources are not found.

import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import {
  callApi,
  type Dashboard,
  expectAccessible,
  expectOperableByKeyboard,
  layoutShift,
  openDashboard,
  title,
  type User,
} from '../support/dashboard.ts';
import { runCliJson } from '../support/processes.ts';

const HOST = 'www.a-rather-long-name-of-a-shop-for-animals.test';

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
  });

  afterAll(() => dashboard.close());

  const PAGES = [
    ['/accounts/{accountId}/projects', 'Projects', 'Corner Shop', 'projects'],
    ['/accounts/{accountId}/keys', 'API keys', 'petstore_test_', 'keys-one'],
    ['/accounts/{accountId}/usage', 'Usage', 'Requests today', 'usage-quiet'],
    ['/accounts/{accountId}/usage?window=month', 'Usage', 'Days are UTC, like quotas', 'usage-quiet-month'],
    ['/accounts/{accountId}/members', 'Members', '(you)', 'members'],
    ['/accounts/{accountId}/plan', 'Plan', 'Requests a minute', 'plan'],
    ['/accounts/{accountId}/activity', 'Activity', 'created the project Corner Shop', 'activity-first'],
    ['/accounts/{accountId}/settings', 'Account settings', 'Account ID', 'account-settings'],
    ['/accounts/new', 'Create account', 'Account name', 'account-new'],
    ['/projects/{projectId}', 'Corner Shop', 'Deployments', 'project'],
    ['/projects/{projectId}/domains', 'Domains', HOST, 'domains'],
    ['/projects/{projectId}/domains/{domainId}', HOST, 'Remove all A and AAAA records', 'domain-conflict'],
    ['/projects/{projectId}/settings', 'Redirects and tokens', 'Primary domain', 'settings-empty'],
    ['/notifications', 'Notifications', 'This service sends no emails yet.', 'notifications'],
    ['/sessions', "Where you're signed in", '(this one)', 'sessions'],
    ['/invitation', 'Invitation', 'No invitation found.', 'invitation-none'],
    ['/sandbox', 'Sandbox DNS', '192.0.2.1', 'sandbox'],
    ['/nothing/here', 'Not found', 'This page does not exist.', 'not-found'],
  ] as const;
  const addressOf = (path: string) => dashboard.url() + path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '');

  test.each(PAGES)('%s', async (path, heading, content, name) => {
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
    await expectOperableByKeyboard(page, name);
    expect(problems).toEqual([]);
    await page.close();
  });

  test.each(PAGES.filter(([path]) => path.includes('{')))('do not show %s of another account', async (path) => {
    const page = await theirs.newPage();
    await page.goto(addressOf(path));
    await page
      .getByRole('alert')
      .filter({ hasText: /This (account|project|domain) does not exist, or belongs to another account\./ })
      .first()
      .waitFor();
    expect(await page.getByText(/Corner Shop|a-rather-long-name/).count()).toBe(0);
    await page.close();
  });

  test('have a navigation menu that opens on a phone, and closes after a choice', async () => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 375, height: 740 });
    await page.goto(addressOf('/accounts/{accountId}/projects'));
    await title(page, 'Projects').waitFor();
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('button', { name: 'Close navigation' }).click();
    await page.getByRole('link', { name: 'API keys' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    await title(page, 'API keys').waitFor();
    await page.getByRole('link', { name: 'Usage' }).waitFor({ state: 'hidden' });
    await page.close();
  });

  test('fit beside the navigation on the narrowest screen that has it', async () => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 961, height: 1_024 });
    for (const [path, heading, content] of PAGES) {
      await page.goto(addressOf(path));
      await title(page, heading).waitFor();
      await page.getByRole('main').getByText(content).first().waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(961);
    }
    await page.close();
  });

  test("show items on a phone as stacked rows, each label above its value or beside it, and a copy button at the end of a record's row", async () => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 320, height: 740 });
    await page.goto(addressOf('/projects/{projectId}/domains/{domainId}'));
    const rows = page.getByRole('list', { name: 'Record to set' });
    const value = rows.getByRole('definition').filter({ has: page.getByRole('button', { name: /^Copy the value/ }) });
    const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    for (const width of [320, 768]) {
      await page.setViewportSize({ width, height: 740 });
      await rows.waitFor();
      expect(await rows.getByRole('term').allTextContents()).toEqual(['Type', 'Name', 'Value']);
      const [label, below, copy] = await Promise.all([
        boxOf(rows.getByRole('term').filter({ hasText: 'Value' })),
        boxOf(value),
        boxOf(value.getByRole('button', { name: /^Copy the value/ })),
      ]);
      // Beside it where the value fits there.
      if (width === 320) expect([label.x, label.y + label.height]).toEqual([below.x, below.y]);
      else expect([label.y < below.y + below.height, label.x + label.width < below.x]).toEqual([true, true]);
      expect([copy.x + copy.width, copy.height >= 44]).toEqual([below.x + below.width, true]);
    }
    await value.getByRole('button').click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^\w+\.edge\.petstore\.test$/);
    await page.setViewportSize({ width: 961, height: 740 });
    await page.getByRole('table', { name: 'Record to set' }).waitFor();
    await page.close();
  });

  test('announce what is new, and not the same again each time they are read', async () => {
    const page = await context.newPage();
    for (const [path, content] of [
      ['/projects/{projectId}/domains/{domainId}', 'Remove all A and AAAA records'],
      ['/accounts/{accountId}/usage', 'Requests today'],
    ] as const) {
      await page.goto(addressOf(path));
      await page.getByText(content, { exact: false }).first().waitFor();
      await page.waitForTimeout(1_000);
      let reads = 0;
      page.on('response', (response) => {
        if (response.url().includes('/dashboard/v1/')) reads += 1;
      });
      const changes = page.evaluate<string[]>(
        `new Promise((resolve) => {
            const regions = document.querySelectorAll('[role=status], [role=alert], [aria-live]:not([aria-live=off])');
            const changes = [];
            const observer = new MutationObserver((records) => changes.push(...records.map(({ target }) => target.textContent)));
            for (const region of regions) observer.observe(region, { subtree: true, childList: true, characterData: true });
            // Someone looks at the page again, twice.
            for (const ms of [2_500, 5_000]) setTimeout(() => dispatchEvent(new Event('visibilitychange')), ms);
            setTimeout(() => resolve([String(regions.length > 0), ...changes]), 6_500);
          })`,
      );
      expect(await changes, path).toEqual(['true']);
      expect(reads, path).toBeGreaterThanOrEqual(2);
    }
    await page.getByRole('status').first().waitFor({ state: 'attached' });
    await page.close();
  });

  test('begin with a link that skips to the content', async () => {
    const page = await context.newPage();
    await page.goto(addressOf('/projects/{projectId}/domains'));
    await title(page, 'Domains').waitFor();
    const skip = page.getByRole('link', { name: 'Skip to content' });
    await page.keyboard.press('Tab');
    expect(await skip.evaluate((link) => link === link.ownerDocument.activeElement && link.getBoundingClientRect().top >= 0)).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    // The first link of the content, and the same address.
    expect(await page.evaluate<string>('document.activeElement.closest("nav").getAttribute("aria-label")')).toBe('Breadcrumbs');
    expect(page.url()).toBe(addressOf('/projects/{projectId}/domains'));
    await page.close();
  });

  test('guide a new user to creating a first account', async () => {
    const page = await theirs.newPage();
    await page.goto(dashboard.url());
    await title(page, 'Create account').waitFor();
    await page.getByLabel('Account name').fill('Corner shop of another');
    await page.getByRole('main').getByRole('button', { name: 'Create account' }).click();
    await title(page, 'Projects').waitFor();
    await page.getByText('Corner shop of another, free plan').waitFor();
    await page.getByText('No projects yet.').waitFor();
    expect(
      await page
        .getByRole('listitem')
        .filter({ hasText: /^(Create a project|Publish a folder|Add your domain)/ })
        .count(),
    ).toBe(3);
    await page.close();
  });
});
