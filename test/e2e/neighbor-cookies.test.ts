// Cookies that a page of a sibling name sets for the registered domain: they sign nobody in, change no one's session, and lock no one out.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { signIn, trustAuthority, type User } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { runCli, type ServerProcess, startServerProcess } from '../support/processes.ts';

const DOMAIN = 'neighbors.test';
const ATTACKER: User = { email: 'mallory@example.com', password: 'a password of the attacker' };

describe.runIf(chromiumInstalled)('a page of a sibling name', () => {
  const folder = makeFolder();
  let url: string;
  let ca: string;
  let server: ServerProcess;
  let browser: Browser;
  let victim: User;

  beforeAll(async () => {
    const https = await freePort();
    url = `https://pets.${DOMAIN}:${https}`;
    server = await startServerProcess(folder.path, {
      PETSTORE_URL: url,
      PETSTORE_EDGE_HTTP_PORT: String(await freePort()),
      PETSTORE_EDGE_HTTPS_PORT: String(https),
    });
    const [, email = '', password = ''] = /(\S+@\S+) {2}(\S+)/.exec(server.stdout()) ?? [];
    victim = { email, password };
    await runCli(folder.path, ['users', 'create', ATTACKER.email, '--password-stdin'], ATTACKER.password);
    ca = readFileSync(join(folder.path, 'development-ca.pem'), 'utf8');
    const home = join(folder.path, 'home');
    trustAuthority(home, join(folder.path, 'development-ca.pem'));
    browser = await launchChromium(['--host-resolver-rules=MAP *.test 127.0.0.1'], { HOME: home });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  async function newTab(): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return { page: await context.newPage(), context };
  }

  /** Visits a page of the neighbor, which sets these cookies (RFC 6265, section 5.2) for the whole registered domain. */
  async function visitNeighbor(page: Page, cookies: readonly string[]): Promise<void> {
    const neighbor = `https://shop.${DOMAIN}/`;
    await page.route(neighbor, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Shop</title>' }));
    await page.goto(neighbor);
    await page.evaluate(`for (const line of ${JSON.stringify(cookies)}) document.cookie = line`);
  }

  /** The cookies as the neighbor sets them: by their names and by those that they would have without a prefix, with every path that might be first. */
  const tossed = (cookies: readonly Cookie[]): readonly string[] =>
    cookies.flatMap(({ name, value, path }) =>
      [name, name.replace(/^__(?:Host|Secure)-/, '')].flatMap((each) =>
        ['/', '/oidc', '/oidc/auth', '/oidc/sign-in', path].map((to) => `${each}=${value}; Domain=${DOMAIN}; Path=${to}; Secure`),
      ),
    );

  /** Submits the attacker's sign-in form. @returns where it leads */
  function submitted(form: string, cookies: readonly Cookie[]): Promise<string> {
    const { hostname, port, pathname: path } = new URL(form);
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const headers = { host: `${hostname}:${port}`, cookie, 'content-type': 'application/x-www-form-urlencoded' };
    return new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, servername: hostname, ca, method: 'POST', path, headers }, (response) => {
        response.resume();
        resolve(response.headers.location ?? `status ${response.statusCode}`);
      })
        .once('error', reject)
        .end(String(new URLSearchParams({ ...ATTACKER })));
    });
  }

  const signInForm = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true });

  async function signedIn(page: Page, user: User): Promise<void> {
    await page.goto(url);
    await signIn(page, user);
    await page.getByText(user.email).first().waitFor({ state: 'attached' });
  }

  test('can neither sign a visitor in, nor exchange the session of one who is signed in', async () => {
    const attacker = await newTab();
    await signedIn(attacker.page, ATTACKER);
    const cookies = tossed(await attacker.context.cookies());
    expect(cookies.length).toBeGreaterThan(0);

    const stranger = await newTab();
    await visitNeighbor(stranger.page, cookies);
    await stranger.page.goto(url);
    await signInForm(stranger.page).waitFor();

    const user = await newTab();
    await signedIn(user.page, victim);
    await visitNeighbor(user.page, cookies);
    const tab = await user.context.newPage();
    await tab.goto(url);
    await tab.getByText(victim.email).first().waitFor({ state: 'attached' });
    expect(await tab.content()).not.toContain(ATTACKER.email);
  });

  test("can't hand over a sign-in that the attacker has begun", async () => {
    const attacker = await newTab();
    await attacker.page.goto(url);
    await signInForm(attacker.page).waitFor();
    // The browser would follow the redirect that the neighbor's page leaves to its visitor.
    const resume = await submitted(attacker.page.url(), await attacker.context.cookies());
    expect(resume).toContain('/oidc/auth/');
    const cookies = await attacker.context.cookies();

    const stranger = await newTab();
    await visitNeighbor(stranger.page, tossed(cookies));
    await stranger.page.goto(resume);
    await stranger.page.goto(url);
    await signInForm(stranger.page).waitFor();
  });

  test("can't lock visitors out with more cookies than a request may have", async () => {
    const { page } = await newTab();
    await visitNeighbor(
      page,
      Array.from({ length: 40 }, (_, n) => `flood${n}=${'x'.repeat(3_800)}; Domain=${DOMAIN}; Path=/; Secure`),
    );
    expect((await page.goto(url))?.status()).toBe(431);
    await signedIn(page, victim);
  });
});
