// `petstore login` with a real browser: the page that it opens, and where it leads.

import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpApp } from '../support/authenticator.ts';
import { collect } from '../support/children.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { type Dashboard, expectAccessible, openDashboard, signIn, type User } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson, startCli } from '../support/processes.ts';

describe.runIf(chromiumInstalled)('petstore login in a browser', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  /** @param secondStep what a user with a second factor does after the password */
  async function logIn(page: Page, user: User, secondStep: () => Promise<void> = async () => {}): Promise<unknown> {
    const child = startCli('/nonexistent', ['login', '--url', dashboard.url(), '--no-browser', '--json'], { XDG_CONFIG_HOME: makeFolder().path });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const closed = once(child, 'close');
    await expect.poll(stderr).toContain('/oidc/auth?');
    await page.goto(/https?:\S+/.exec(stderr())?.[0] ?? '');
    await page.getByText('petstore command line').waitFor();
    await expectAccessible(page, 'sign-in-command-line');
    await signIn(page, user);
    await secondStep();
    await page.getByText('You are signed in. You can close this page.').waitFor();
    await closed;
    return JSON.parse(stdout());
  }

  test('leads back to the command, also in a browser that somebody else is signed in with', async () => {
    const { email, password } = await runCliJson<{ email: string; password: string }>(dashboard.folder, ['users', 'create', 'ben@petstore.test']);
    const { page, problems } = await dashboard.newSignedInTab();
    expect(await logIn(page, dashboard.demo)).toMatchObject({ email: dashboard.demo.email });
    expect(await logIn(page, { email, password })).toMatchObject({ email });
    expect(problems.filter((problem) => !problem.includes('favicon'))).toEqual([]);
  });

  test('asks for the code of an authenticator app, too', async () => {
    const user = await runCliJson<User>(dashboard.folder, ['users', 'create', 'ann@petstore.test']);
    const { page, context } = await dashboard.newSignedInTab(user);
    await page.goto(`${dashboard.url()}/oidc/security`);
    const code = await setUpApp(page);
    await context.clearCookies();
    const secondStep = async () => {
      await page.getByLabel(/^Code from your authenticator app/).fill(code());
      await page.keyboard.press('Enter');
    };
    expect(await logIn(page, user, secondStep)).toMatchObject({ email: user.email });
  });
});
