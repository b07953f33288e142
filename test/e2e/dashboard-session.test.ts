// The dashboard's sessions and its connection to the service: signing in and out, tokens that expire, a service that is unreachable or faulty; and
// the size of the initial load.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, type Dashboard, expectAccessible, layoutShift, openDashboard, signIn, title } from '../support/dashboard.ts';

const SCRIPT_BYTES = 320_000;

describe.runIf(chromiumInstalled)('dashboard session', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  /** The transferred size with gzip: browsers may get something smaller. */
  async function gzipBytes(url: string): Promise<number> {
    const { headers } = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers.get('content-encoding')).toBe('gzip');
    return Number(headers.get('content-length'));
  }

  /** What oidc-client-ts stores about the user. */
  const storedUser = (page: Page) =>
    page.evaluate<Record<string, unknown>>(
      "JSON.parse(sessionStorage.getItem(Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'))))",
    );
  const changeStoredUser = (page: Page, fields: Record<string, unknown>) =>
    page.evaluate((changed) => {
      const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:')) ?? '';
      sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key) ?? '{}'), ...changed }));
    }, fields);
  const secondsSince1970 = () => Math.floor(Date.now() / 1_000);

  test('begins at the requested page, even after a wrong password, and ends completely', async () => {
    const { page, context } = await dashboard.newTab();
    await page.goto(`${dashboard.url()}/sandbox`);
    await signIn(page, { ...dashboard.demo, password: 'wrong' });
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Password').getAttribute('aria-describedby')).toBe(await page.getByRole('alert').getAttribute('id'));
    await expectAccessible(page, 'sign-in-refused');
    await signIn(page, dashboard.demo);
    await title(page, 'Sandbox DNS').waitFor();
    expect(page.url()).toBe(`${dashboard.url()}/sandbox`);
    await page.reload();
    await title(page, 'Sandbox DNS').waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);

    await button(page, dashboard.demo.email).click();
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
    await expectAccessible(page, 'sign-out');
    await button(page, 'Sign out').click();
    await page.getByLabel('Password').waitFor();
    // After that, neither this tab nor a new one gets in without the password.
    await page.goto(`${dashboard.url()}/sandbox`);
    await page.getByLabel('Password').waitFor();
    const another = await context.newPage();
    await another.goto(dashboard.url());
    await another.getByLabel('Password').waitFor();
    await context.close();
  });

  test.each(['//evil.test/x', '/\\evil.test/x'])(
    'begins at the start page if the requested address is %s, which could be that of another host',
    async (path) => {
      const { page, context } = await dashboard.newTab();
      const elsewhere: string[] = [];
      page.on('request', (request) => void (new URL(request.url()).origin === dashboard.url() || elsewhere.push(request.url())));
      await page.goto(`${dashboard.url()}${path}`);
      await signIn(page, dashboard.demo);
      await title(page, 'Projects').waitFor();
      expect([new URL(page.url()).origin, elsewhere]).toEqual([dashboard.url(), []]);
      await context.close();
    },
  );

  test('gets a new token before the old one expires, without leaving the page', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const before = await storedUser(page);
    let documents = 0;
    page.on('request', (request) => {
      if (request.resourceType() === 'document') documents += 1;
    });
    await changeStoredUser(page, { expires_at: secondsSince1970() + 5 });
    // The next call uses a new token.
    await page.getByRole('link', { name: 'API keys' }).click();
    await title(page, 'API keys').waitFor();
    await page.getByRole('row', { name: /Demo/ }).waitFor();
    const renewed = await storedUser(page);
    expect(renewed.access_token).not.toBe(before.access_token);
    // Refresh tokens are valid once, so the next renewal needs the one in the answer.
    await changeStoredUser(page, { expires_at: secondsSince1970() + 5 });
    await page.getByRole('link', { name: 'Usage' }).click();
    await expect.poll(async () => (await storedUser(page)).refresh_token).not.toBe(renewed.refresh_token);
    expect(renewed.refresh_token).not.toBe(before.refresh_token);
    expect(documents).toBe(0);
    await context.close();
  });

  test('is not ended by a duplicated tab, which gets a sign-in of its own', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const copied = JSON.stringify(await page.evaluate<object>('({ ...sessionStorage })'));
    const copy = await context.newPage();
    await copy.addInitScript(`if (sessionStorage.length === 0 && history.length < 3) Object.assign(sessionStorage, ${copied})`);
    await copy.goto(`${dashboard.url()}/sandbox`);
    await title(copy, 'Sandbox DNS').waitFor();
    const tokens = await Promise.all([page, copy].map(async (tab) => (await storedUser(tab)).refresh_token));
    expect(new Set([...tokens, undefined]).size).toBe(3);
    for (const tab of [page, copy, page, copy]) {
      await changeStoredUser(tab, { expires_at: secondsSince1970() + 5 });
      const renewed = tab.waitForResponse((response) => response.url().endsWith('/oidc/token'));
      await tab.reload();
      expect((await renewed).status()).toBe(200);
      await title(tab, /^(Projects|Sandbox DNS)$/).waitFor();
    }
    await context.close();
  });

  test('does not end if the provider does not respond', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    let documents = 0;
    page.on('request', (request) => {
      if (request.resourceType() === 'document') documents += 1;
    });
    await page.route('**/oidc/token', (route) => route.abort());
    await changeStoredUser(page, { expires_at: secondsSince1970() + 5 });
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText("The service can't be reached. What you see may be out of date").waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('row', { name: /Demo/ }).waitFor();
    expect(documents).toBe(0);
    await context.close();
  });

  test('with a refused token returns to the same page through the provider’s session', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    await page.goto(`${dashboard.url()}/sandbox`);
    await title(page, 'Sandbox DNS').waitFor();
    await changeStoredUser(page, { access_token: 'junk' });
    await page.evaluate("sessionStorage.removeItem('petstore.signed-in-at')");
    await page.reload();
    await title(page, 'Sandbox DNS').waitFor();
    await page.getByRole('heading', { name: /^Records/ }).waitFor();
    expect((await storedUser(page)).access_token).not.toBe('junk');
    // If the provider's session has expired as well, the password is required.
    await context.clearCookies();
    await changeStoredUser(page, { expires_at: secondsSince1970() - 5, refresh_token: 'junk' });
    await page.reload();
    await page.getByLabel('Password').waitFor();
    await signIn(page, dashboard.demo);
    await title(page, 'Sandbox DNS').waitFor();
    await context.close();
  });

  test('with a repeatedly refused token shows an error, and stops trying', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    await page.route('**/dashboard/v1/**', (route) =>
      route.fulfill({ status: 401, json: { code: 'unauthorized', message: 'sign in first', status: 401 } }),
    );
    await page.goto(`${dashboard.url()}/sandbox`);
    await page.getByText('sign in first').first().waitFor();
    expect(page.url()).toBe(`${dashboard.url()}/sandbox`);
    await context.close();
  });

  test('reports an unreachable service on an idle page and after navigation, and everything recovers automatically', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const { page: second } = await dashboard.newSignedInTab();
    const away = "The service can't be reached. What you see may be out of date";
    await page.mouse.move(100, 100);
    // The other pages are loaded on the first user input.
    await expect
      .poll(() => page.evaluate<number>("performance.getEntriesByType('resource').filter(({ name }) => /usage-.*js/.test(name)).length"))
      .toBe(1);
    await dashboard.stopService();
    try {
      await page.getByText(away).first().waitFor();
      await page.getByRole('link', { name: 'API keys' }).click();
      await title(page, 'API keys').waitFor();
      await page.getByText('Something went wrong').waitFor();
      await page.getByRole('link', { name: 'Projects', exact: true }).click();
      await button(page, 'Create project').first().click();
      await page.getByLabel('Name').fill('Into the void');
      await button(page, 'Create').click();
      await page.getByText('The change may have been made').waitFor();
      // A page whose code has not been loaded before.
      await second.evaluate("history.pushState(null, '', '/sandbox')");
      await second.evaluate("dispatchEvent(new PopStateEvent('popstate'))");
      await title(second, 'Page not loaded').waitFor();
    } finally {
      await dashboard.startService();
    }
    await page.getByText(away).first().waitFor({ state: 'detached' });
    await button(page, 'Create').click();
    await title(page, 'Into the void').waitFor();
    await title(second, 'Sandbox DNS').waitFor();
    await context.close();
  });

  test('reports a fault in the service, keeps loaded data, and recovers automatically', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('Requests today', { exact: true }).waitFor();
    const answer = { status: 503, json: { code: 'unavailable', message: 'storage does not answer; try again', status: 503 } };
    await page.route('**/dashboard/v1/**', (route) => route.fulfill(answer));
    await page.getByText('The service is having problems').waitFor();
    await page.getByText('Requests today', { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('The service is having problems').waitFor({ state: 'detached' });
    await context.close();
  });

  test('has a small initial load, and only from this host', async () => {
    const { context } = await dashboard.newSignedInTab();
    const first = await context.newPage();
    const foreign: string[] = [];
    const scripts = new Set<string>();
    first.on('response', (response) => {
      if (!response.url().startsWith(dashboard.url())) foreign.push(response.url());
      if (response.url().endsWith('.js')) scripts.add(response.url());
    });
    await first.goto(dashboard.url());
    await title(first, 'Projects').waitFor();
    await first.waitForLoadState('networkidle');
    const paint = await first.evaluate<number>(
      "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))",
    );
    const shift = await layoutShift(first);
    expect(foreign).toEqual([]);
    const script = (await Promise.all([...scripts].map(gzipBytes))).reduce((sum, bytes) => sum + bytes, 0);
    expect(script).toBeGreaterThan(50_000);
    expect(script).toBeLessThan(SCRIPT_BYTES);
    console.log(
      `dashboard: ${(script / 1_000).toFixed(0)} KB script, gzip, on the first load, largest paint after ${paint.toFixed(0)} ms, layout shift ${shift.toFixed(3)}`,
    );
    await context.close();
  });
});
