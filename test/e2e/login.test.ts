// `petstore login` with a real browser: the page that it opens, and where it leads.

import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect } from '../support/children.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { type Dashboard, expectAccessible, openDashboard, signIn, type User } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson, startCli } from '../support/processes.ts';

const TIMEOUT_MS = 90_000;

describe.runIf(chromiumInstalled)('petstore login in a browser', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  }, TIMEOUT_MS);

  afterAll(() => dashboard.close());

  async function logIn(page: Page, user: User): Promise<unknown> {
    const child = startCli('/nonexistent', ['login', '--url', dashboard.url(), '--no-browser', '--json'], { XDG_CONFIG_HOME: makeFolder().path });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const closed = once(child, 'close');
    await expect.poll(stderr, { timeout: 30_000 }).toContain('/oidc/auth?');
    await page.goto(/https?:\S+/.exec(stderr())?.[0] ?? '');
    await page.getByText('petstore command line').waitFor();
    await expectAccessible(page, 'sign-in-command-line');
    await signIn(page, user);
    await page.getByText('You are signed in. You can close this page.').waitFor();
    await closed;
    return JSON.parse(stdout());
  }

  test(
    'leads back to the command, also in a browser that somebody else is signed in with',
    async () => {
      const { email, password } = await runCliJson<{ email: string; password: string }>(dashboard.folder, ['users', 'create', 'ben@petstore.test']);
      const { page, problems } = await dashboard.newSignedInTab();
      expect(await logIn(page, dashboard.demo)).toMatchObject({ email: dashboard.demo.email });
      expect(await logIn(page, { email, password })).toMatchObject({ email });
      expect(problems.filter((problem) => !problem.includes('favicon'))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
