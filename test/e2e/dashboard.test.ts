// The dashboard in Chromium on the real service: the whole procedure from signing in to a page over TLS on a custom domain, keys, usage,
// and that everybody can use it (axe, in both themes).

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axeCore from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

const HOST = 'www.dashboard.test';
const IMAGES = process.env.DASHBOARD_IMAGES;
const TIMEOUT_MS = 120_000;

describe.runIf(chromiumInstalled)('the dashboard', () => {
  const folder = makeFolder();
  const home = join(folder.path, 'home');
  let server: ServerProcess;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let demo: { email: string; password: string };

  beforeAll(async () => {
    server = await startServerProcess(folder.path);
    const [, email = '', password = ''] = /(\S+@\S+) {2}(\S+)/.exec(server.stdout()) ?? [];
    demo = { email, password };
    const database = `sql:${join(home, '.pki/nssdb')}`;
    mkdirSync(join(home, '.pki/nssdb'), { recursive: true });
    for (const args of [
      ['-N', '--empty-password'],
      ['-A', '-t', 'C,,', '-n', 'petstore', '-i', join(folder.path, 'development-ca.pem')],
    ])
      expect(spawnSync('certutil', ['-d', database, ...args]).status).toBe(0);
    browser = await launchChromium(['--host-resolver-rules=MAP *.test 127.0.0.1'], { HOME: home });
    context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    const [account] = await runCliJson<{ accountId: string }[]>(folder.path, ['accounts', 'list']);
    await runCliJson(folder.path, ['projects', 'create', '--account', account?.accountId ?? '', '--name', 'Corner Shop']);
    page = await context.newPage();
    await signIn();
  }, TIMEOUT_MS);

  async function signIn(): Promise<void> {
    await page.goto(server.url);
    await page.getByLabel('Email address').fill(demo.email);
    await page.getByLabel('Password').fill(demo.password);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  }

  afterAll(async () => {
    await browser.close();
    await server.stop();
    folder.remove();
  });

  /** Another one after each start. */
  const edgePort = () => /custom domains at https:\/\/[\d.]+:(\d+)/.exec(server.stdout())?.[1] ?? '';
  const button = (name: string | RegExp, exact = true) => page.getByRole('button', { name, exact });

  async function axe(): Promise<string[]> {
    await page.evaluate(axeCore.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe.run(),
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  }

  /** Nothing that axe finds, in both themes; and a picture of it for the guide, if wanted. */
  async function accessible(name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      expect(await axe(), `${name}, ${colorScheme}`).toEqual([]);
      if (IMAGES !== undefined) await page.screenshot({ path: join(IMAGES, `${name}-${colorScheme}.png`) });
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }

  test(
    'from signing in to a page over TLS on the domain, and away again',
    async () => {
      const shared = page;
      const fresh = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
      page = await fresh.newPage();
      const problems: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      let clicks = 0;
      const click = async (name: string | RegExp) => {
        clicks += 1;
        await button(name).click();
      };
      await page.goto(server.url);
      await page.getByLabel('Email address').waitFor();
      await accessible('sign-in');
      await page.getByLabel('Email address').fill(demo.email);
      await page.getByLabel('Password').fill(demo.password);
      await click('Sign in');
      await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      await accessible('projects');

      await button('Create project').first().click();
      clicks += 1;
      await page.getByLabel('Name').fill('First Shop');
      await click('Create');
      await page.getByRole('heading', { name: 'First Shop', level: 1 }).waitFor();
      await accessible('project');
      await page.getByRole('link', { name: 'Domains', exact: true }).click();
      clicks += 1;
      await page.getByLabel('Domain or subdomain').fill(HOST);
      await accessible('domains');
      await click('Add domain');
      await page.getByRole('heading', { name: HOST, level: 1 }).waitFor();
      await accessible('domain-added');

      // Nothing is there yet: it says so, and who must act.
      await click('Verify');
      await page.getByText('Who must act:').waitFor({ timeout: 15_000 });
      await accessible('domain-not-found');
      await click('Publish for me');
      await page.getByText('The records are set').waitFor();
      await click('Verify');
      await page.getByText('Live', { exact: true }).first().waitFor({ timeout: 20_000 });
      await accessible('domain-live');
      expect(clicks).toBeLessThanOrEqual(12);

      const visit = await context.newPage();
      const response = await visit.goto(`https://${HOST}:${edgePort()}/`);
      expect([response?.status(), await visit.title()]).toEqual([200, expect.stringContaining('First Shop')]);
      await visit.close();

      await click('Remove');
      await page.getByLabel(`To confirm, type ${HOST}`).fill(HOST);
      await accessible('domain-remove');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('is not served any more').waitFor();
      await page.getByText('No domains yet').waitFor({ timeout: 15_000 });
      const gone = await context.newPage();
      // No handshake; or 421 on the connection that is still open.
      const outcome = await gone.goto(`https://${HOST}:${edgePort()}/`).then(
        (answer) => answer?.status(),
        () => 'no handshake',
      );
      expect([421, 'no handshake']).toContain(outcome);
      await gone.close();
      expect(problems).toEqual([]);
      await fresh.close();
      page = shared;
    },
    TIMEOUT_MS,
  );

  test(
    'a wrong record set at the sandbox is told, with what was seen',
    async () => {
      await page.goto(`${server.url}/sandbox`);
      await page.getByRole('textbox', { name: 'Name' }).fill('www.wrong.test');
      await page.getByRole('textbox', { name: 'Value' }).fill('elsewhere.test');
      await button('Set record').click();
      await page.getByText('The record is set').waitFor();
      await accessible('sandbox');
      await page.goto(server.url);
      await page.getByRole('link', { name: 'Corner Shop' }).click();
      await page.getByRole('link', { name: 'Domains', exact: true }).click();
      await page.getByLabel('Domain or subdomain').fill('www.wrong.test');
      await button('Add domain').click();
      await page.getByRole('heading', { name: 'www.wrong.test' }).waitFor();
      await button('Verify').click();
      await page.getByText('elsewhere.test').first().waitFor({ timeout: 15_000 });
      await page.getByText('You, where the name is registered').waitFor();
    },
    TIMEOUT_MS,
  );

  test(
    'a key is shown once, goes on while it is rotated, and the usage moves',
    async () => {
      await page.goto(server.url);
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.getByRole('row', { name: /Demo/ }).first().waitFor();
      await accessible('keys');
      await button('Issue key').click();
      await page.getByLabel('Name').fill('Till');
      await button('Issue').click();
      const shown = await page.getByText(/^petstore_test_\w+$/).textContent();
      await accessible('key-issued');
      await button('I have kept it').click();
      const ask = async (key: string | null) =>
        (await fetch(`${server.url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status;
      let running = true;
      const statuses: number[] = [];
      const client = (async () => {
        while (running) {
          statuses.push(await ask(shown));
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      })();
      await button('Rotate Till').click();
      await button('Rotate').click();
      const next = await page.getByText(/^petstore_test_\w+$/).textContent();
      await button('I have kept it').click();
      running = false;
      await client;
      expect(next).not.toBe(shown);
      expect([await ask(shown), await ask(next), new Set(statuses)]).toEqual([200, 200, new Set([200])]);

      await page.getByRole('link', { name: 'Usage' }).click();
      await page.getByText('Requests today', { exact: true }).waitFor();
      const used = async () => Number(/([\d,]+) of 10,000/.exec(await page.locator('main').innerText())?.[1]?.replace(',', ''));
      const before = await used();
      for (let n = 0; n < 5; n += 1) await ask(next);
      await expect.poll(used, { timeout: 10_000 }).toBe(before + 5);
      await accessible('usage');
    },
    TIMEOUT_MS,
  );

  test(
    'settings are saved, and refused with a reason',
    async () => {
      await page.goto(server.url);
      await page.getByRole('link', { name: 'Corner Shop' }).click();
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      const text = page.getByLabel('Configuration');
      await text.fill('{"domains":{"primary":"www.elsewhere.test"}}');
      await button('Save').click();
      await page.getByText('allowed: a domain of this project that is live').first().waitFor();
      await text.fill('{');
      await page.getByText('This is not JSON of a configuration.').waitFor();
      expect(await button('Save').isDisabled()).toBe(true);
      await accessible('settings');
    },
    TIMEOUT_MS,
  );

  test(
    'another account’s project is not there, an address that there is not is told',
    async () => {
      await page.goto(`${server.url}/projects/prj_nobody`);
      await page.getByText('no project "prj_nobody" among yours').waitFor();
      await page.goto(`${server.url}/nothing/here`);
      await page.getByText('There is no such page.').waitFor();
    },
    TIMEOUT_MS,
  );

  test(
    'a service that is away is told, and when it is back it goes on by itself',
    async () => {
      await page.goto(server.url);
      await page.getByRole('link', { name: 'Usage' }).click();
      await page.getByText('Requests today', { exact: true }).waitFor();
      const { port } = new URL(server.url);
      await server.stop();
      await page.getByText("The service can't be reached").waitFor({ timeout: 20_000 });
      server = await startServerProcess(folder.path, { PETSTORE_PORT: port });
      await page.getByText("The service can't be reached").waitFor({ state: 'detached', timeout: 20_000 });
      await page.getByText('Requests today', { exact: true }).waitFor();
    },
    TIMEOUT_MS,
  );

  test(
    'on a phone everything fits',
    async () => {
      const phone = await browser.newContext({ viewport: { width: 375, height: 740 }, storageState: await context.storageState() });
      const small = await phone.newPage();
      await small.goto(server.url);
      await small.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      expect(await small.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(true);
      await phone.close();
    },
    TIMEOUT_MS,
  );

  test(
    'a project is created by keyboard alone',
    async () => {
      await page.goto(server.url);
      await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
      for (let tabs = 0; tabs < 40 && (await focused()) !== 'Create project'; tabs += 1) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      // The dialog takes the focus, and gives it back.
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(await focused()).toBe('Create project');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      for (let tabs = 0; tabs < 10 && (await page.evaluate<string>('document.activeElement.tagName')) !== 'INPUT'; tabs += 1)
        await page.keyboard.press('Tab');
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'By keyboard', level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    },
    TIMEOUT_MS,
  );

  test(
    'what is loaded first is small, nothing comes from elsewhere, no token stays',
    async () => {
      const fresh = await browser.newContext({ storageState: await context.storageState() });
      const first = await fresh.newPage();
      const foreign: string[] = [];
      const scripts = new Map<string, number>();
      first.on('response', async (response) => {
        if (!response.url().startsWith(server.url)) foreign.push(response.url());
        if (response.url().endsWith('.js')) scripts.set(response.url(), Number(response.headers()['content-length'] ?? 0));
      });
      await first.goto(server.url);
      await first.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      await first.waitForTimeout(500);
      const paint = await first.evaluate<number>(
        "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))",
      );
      const shift = await first.evaluate<number>(
        "new Promise((resolve) => { let sum = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; }).observe({ type: 'layout-shift', buffered: true }); setTimeout(() => resolve(sum), 200); })",
      );
      expect(foreign).toEqual([]);
      expect(shift).toBeLessThan(0.1);
      const script = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0);
      expect(script).toBeGreaterThan(50_000);
      expect(script).toBeLessThan(350 * 1_024);
      expect(await first.evaluate(() => localStorage.length)).toBe(0);
      console.log(
        `dashboard: ${(script / 1_024).toFixed(0)} KiB script on the first load, largest paint after ${paint.toFixed(0)} ms, layout shift ${shift.toFixed(3)}`,
      );
      await fresh.close();
    },
    TIMEOUT_MS,
  );
});
