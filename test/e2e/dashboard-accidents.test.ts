// What happens to people who use the dashboard: an answer is lost, a button is clicked twice, a dialog is used without a mouse, a name is as long as names
// may be.

import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, callApi, type Dashboard, expectAccessible, newLiveDomain, newProject, openDashboard, title } from '../support/dashboard.ts';

describe.runIf(chromiumInstalled)('accidents in the dashboard', () => {
  let dashboard: Dashboard;
  let page: Page;
  let context: BrowserContext;
  let accountId: string;
  let projectId: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    ({ page, context } = await dashboard.newSignedInTab());
    const [account] = await callApi<{ accountId: string }[]>(page, 'GET', '/accounts');
    accountId = account?.accountId ?? '';
    projectId = await newProject(page, 'Corner Shop');
  });

  afterAll(async () => {
    await context.close();
    await dashboard.close();
  });

  const list = (path: string) => callApi<readonly Record<string, unknown>[]>(page, 'GET', path);
  const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

  /** How each kind of thing is created: where, what is entered, with which button, what is shown then, and where it is listed. */
  const CREATIONS = {
    'an account': {
      path: () => '/accounts/new',
      enter: (name: string) => page.getByLabel('Account name').fill(name),
      submit: () => page.getByRole('main').getByRole('button', { name: 'Create account' }),
      shown: () => title(page, 'Projects').waitFor(),
      listed: () => '/accounts',
    },
    'a project': {
      path: () => `/accounts/${accountId}/projects`,
      enter: async (name: string) => {
        await button(page, 'Create project').click();
        await page.getByLabel('Name').fill(name);
      },
      submit: () => inDialog('Create'),
      shown: (name: string) => title(page, name).waitFor(),
      listed: () => `/accounts/${accountId}/projects`,
    },
    'a key': {
      path: () => `/accounts/${accountId}/keys`,
      enter: async (name: string) => {
        await button(page, 'Create key').click();
        await page.getByLabel('Name').fill(name);
      },
      submit: () => inDialog('Create'),
      shown: async () => {
        await page.getByText(/^petstore_test_\w+$/).waitFor();
        await button(page, "I've saved it").click();
      },
      listed: () => `/accounts/${accountId}/keys`,
    },
    'the successor of a key': {
      path: () => `/accounts/${accountId}/keys`,
      enter: async () => {
        await button(page, /^Actions for /)
          .first()
          .click();
        await button(page, 'Rotate').click();
      },
      submit: () => inDialog('Rotate'),
      shown: async () => {
        await page.getByText(/^petstore_test_\w+$/).waitFor();
        await button(page, "I've saved it").click();
      },
      listed: () => `/accounts/${accountId}/keys`,
    },
    'a deploy token': {
      path: () => `/projects/${projectId}/settings`,
      enter: async (name: string) => {
        await button(page, 'Create token').click();
        await page.getByLabel('Name').fill(name);
      },
      submit: () => inDialog('Create token'),
      shown: async () => {
        await page.getByText(/^petstore_deploy_\w+$/).waitFor();
        await button(page, "I've saved it").click();
      },
      listed: () => `/projects/${projectId}/deploy-tokens`,
    },
    'a domain': {
      path: () => `/projects/${projectId}/domains`,
      enter: (name: string) => page.getByLabel('Domain or subdomain').fill(`${name}.accidents.test`),
      submit: () => button(page, 'Add domain'),
      shown: (name: string) => title(page, `${name}.accidents.test`).waitFor(),
      listed: () => `/projects/${projectId}/domains`,
    },
    'an invitation': {
      path: () => `/accounts/${accountId}/members`,
      enter: async (name: string) => {
        await button(page, 'Invite').click();
        await page.getByLabel('Email address').fill(`${name}@example.com`);
      },
      submit: () => inDialog('Invite'),
      shown: async () => {
        await page.getByRole('heading', { name: 'Send this link' }).waitFor();
        await button(page, 'Done').click();
      },
      listed: () => `/accounts/${accountId}/invitations`,
    },
  } as const;

  test.each(Object.entries(CREATIONS))(
    'make %s once, and show it, if the answer is lost, and if the button is clicked twice',
    async (kind, { path, enter, submit, shown, listed }) => {
      for (const accident of ['lost', 'twice'] as const) {
        const name = `${kind.replace(/\W/g, '')}${accident}`.toLowerCase();
        const before = (await list(listed())).length;
        await page.goto(dashboard.url() + path());
        await enter(name);
        let answers = 0;
        await page.route('**/dashboard/v1/**', async (route) => {
          if (route.request().method() !== 'POST') return route.continue();
          answers += 1;
          if (accident === 'twice' || answers > 1) return route.continue();
          await route.fetch();
          await route.abort();
        });
        if (accident === 'lost') await submit().click();
        else
          await submit().evaluate((element) => {
            element.click();
            element.click();
          });
        await shown(name);
        await page.unrouteAll({ behavior: 'wait' });
        expect([accident, (await list(listed())).length - before]).toEqual([accident, 1]);
        expect([accident, answers]).toEqual([accident, accident === 'lost' ? 2 : 1]);
      }
    },
  );

  /** Holds back the answers to these requests. @returns a function that lets them pass */
  async function held(tab: Page, requests: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await tab.route(requests, async (route) => {
      await promise;
      await route.continue();
    });
    return resolve;
  }

  test('no button disappears, with a click in progress, while the projects of a new account load', async () => {
    const { accountId: newId } = await callApi<{ accountId: string }>(page, 'POST', '/accounts', { name: 'New' });
    const tab = await context.newPage();
    await tab.addInitScript(`window.removed = [];
      new MutationObserver((changes) => {
        for (const { removedNodes } of changes) for (const node of removedNodes)
          for (const each of node.matches?.('button') ? [node] : node.querySelectorAll?.('button') ?? []) removed.push(each.textContent);
      }).observe(document, { childList: true, subtree: true });`);
    const answer = await held(tab, `**/v1/accounts/${newId}/projects*`);
    await tab.goto(`${dashboard.url()}/accounts/${newId}/projects`);
    await title(tab, 'Projects').waitFor();
    answer();
    await tab.getByRole('heading', { name: 'Your first project' }).waitFor();
    expect(await tab.evaluate('removed')).toEqual([]);
    await tab.close();
  });

  test('the button that creates a key works as soon as it is shown', async () => {
    const tab = await context.newPage();
    const answer = await held(tab, '**/v1/me');
    await tab.goto(`${dashboard.url()}/accounts/${accountId}/keys`);
    await title(tab, 'API keys').waitFor();
    setTimeout(answer, 1_000);
    await button(tab, 'Create key').focus();
    await tab.keyboard.press('Enter');
    await tab.getByRole('dialog').waitFor();
    await tab.close();
  });

  test.each(['a key', 'the successor of a key', 'a deploy token', 'an invitation'] as const)(
    'the secret of %s is shown although its dialog was closed before, and stays however often Escape is pressed',
    async (kind) => {
      const { path, enter, submit, shown } = CREATIONS[kind];
      await page.goto(dashboard.url() + path());
      await enter(`closed-${kind.replace(/\W/g, '')}`);
      const { promise, resolve: answer } = Promise.withResolvers<void>();
      await page.route('**/dashboard/v1/**', async (route) => {
        if (route.request().method() === 'POST') await promise;
        await route.continue();
      });
      await submit().click();
      await expect.poll(() => submit().getAttribute('aria-busy')).toBe('true');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      answer();
      await page.getByRole('dialog').waitFor();
      for (let times = 0; times < 4; times += 1) await page.keyboard.press('Escape');
      await shown();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.unrouteAll();
    },
  );

  test('a menu that is higher than the screen is scrolled by the keyboard; the page that moves below it closes it', async () => {
    const tab = await context.newPage();
    // 1280 × 1024 pixels at 400 % (WCAG 2.2, 1.4.10).
    await tab.setViewportSize({ width: 320, height: 256 });
    await tab.goto(`${dashboard.url()}/accounts/${accountId}/keys`);
    await button(tab, /^Actions for Demo/)
      .first()
      .focus();
    await tab.keyboard.press('Enter');
    for (let tabs = 0; tabs < 9; tabs += 1) {
      await tab.keyboard.press('Tab');
      if ((await tab.evaluate<string>('document.activeElement.textContent')) === 'Revoke') break;
    }
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: /^Revoke / }).waitFor();
    await tab.keyboard.press('Escape');
    await button(tab, /^Actions for Demo/)
      .first()
      .click();
    await button(tab, 'Revoke').waitFor();
    await tab.evaluate('scrollTo(0, 0); scrollTo(0, 99)');
    await button(tab, 'Revoke').waitFor({ state: 'hidden' });
    await tab.close();
  });

  test('a name with several spaces can be typed as it is shown', async () => {
    const spaced = await newProject(page, 'Two  spaces');
    await page.goto(`${dashboard.url()}/projects/${spaced}`);
    await button(page, 'Delete').click();
    await page.getByLabel('To confirm, type').fill('Two spaces');
    await inDialog('Delete').click();
    await title(page, 'Projects').waitFor();
  });

  test('every dialog takes what is typed, or begins at the button that changes nothing; Escape closes it, and the focus is where it was', async () => {
    await newLiveDomain(page, projectId, 'www.dialogs.test');
    const emptyId = await newProject(page, 'Empty');
    const projects = `/accounts/${accountId}/projects`;
    const keys = `/accounts/${accountId}/keys`;
    const members = `/accounts/${accountId}/members`;
    const settings = `/projects/${projectId}/settings`;
    const DIALOGS: readonly (readonly [path: string, opener: string | RegExp, typesInto: string | undefined, action?: string])[] = [
      [projects, 'Create project', 'Name'],
      [keys, 'Create key', 'Name'],
      [keys, /^Actions for /, 'Both keys work for', 'Rotate'],
      [keys, /^Actions for /, 'Name', 'Edit'],
      [keys, /^Actions for /, undefined, 'Pause'],
      [keys, /^Actions for /, undefined, 'Revoke'],
      [members, 'Invite', 'Email address'],
      [members, /^Actions for /, undefined, 'Sign-ins'],
      [`/accounts/${accountId}/plan`, 'Request Business', 'Note'],
      [settings, 'Create token', 'Name'],
      [settings, /^Actions for /, undefined, 'Revoke'],
      [`/projects/${projectId}`, 'Rename', 'Name'],
      [`/projects/${emptyId}`, 'Delete', 'To confirm, type Empty'],
      [`/sessions`, 'Sign out everywhere', undefined],
    ];
    await callApi(page, 'POST', `/projects/${projectId}/deploy-tokens`, { name: 'dialog' });
    const hasFocus = (locator: Locator) => locator.evaluate((element) => element === element.ownerDocument.activeElement);
    const active = () =>
      page.evaluate<string>(
        "[document.activeElement.closest('dialog') !== null, document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent].join()",
      );
    for (const [path, opener, typesInto, action] of DIALOGS) {
      await page.goto(dashboard.url() + path);
      const opening = button(page, opener).first();
      await opening.focus();
      await page.keyboard.press('Enter');
      if (action !== undefined) {
        await button(page, action).focus();
        await page.keyboard.press('Enter');
      }
      await page.getByRole('dialog').waitFor();
      await expect
        .poll(active, { message: `${path} ${opener}` })
        .toMatch(typesInto === undefined ? /^true,(Cancel|Close|Copy)?$/ : `true,${typesInto}`);
      if (typesInto !== undefined && typesInto !== 'Both keys work for') {
        await page.keyboard.press('Control+A');
        await page.keyboard.type('typed');
        expect(await page.getByRole('dialog').getByLabel(typesInto).inputValue(), `${path} ${opener}`).toBe('typed');
      }
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expect.poll(() => hasFocus(opening), { message: `${path} ${opener}` }).toBe(true);
    }
    // From one dialog to the next: the secret has the focus, and Enter opens nothing over it.
    for (const [path, opener, submit] of [
      [keys, 'Create key', 'Create'],
      [settings, 'Create token', 'Create token'],
    ] as const) {
      await page.goto(dashboard.url() + path);
      await button(page, opener).first().focus();
      await page.keyboard.press('Enter');
      await expect.poll(active).toBe('true,Name');
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Enter');
      await button(page, "I've saved it").waitFor();
      await expect
        .poll(() => page.evaluate<string>("document.activeElement.getAttribute('aria-label')"), { message: submit })
        .toMatch(/^Copy the (key|token)$/);
      await page.keyboard.press('Enter');
      expect(await page.getByRole('dialog').count()).toBe(1);
      await button(page, "I've saved it").focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expect.poll(() => hasFocus(button(page, opener).first())).toBe(true);
    }
  });

  test('an item that goes with its own button leaves the focus in its list', async () => {
    await page.goto(`${dashboard.url()}/accounts/${accountId}/keys`);
    await callApi(page, 'POST', `/accounts/${accountId}/keys`, { name: 'Leaving' });
    await page.reload();
    await button(page, /^Actions for Leaving/).focus();
    await page.keyboard.press('Enter');
    await button(page, 'Revoke').focus();
    await page.keyboard.press('Enter');
    await inDialog('Revoke').focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Leaving \(.*\) is revoked\.$/).waitFor();
    await button(page, /^Actions for Leaving/).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate<boolean>("document.activeElement.closest('section.card') !== null")).toBe(true);
  });

  test('the longest names fit every screen', async () => {
    const label = 'abcdefghijklmnopqrstuvwxyz'.repeat(3).slice(0, 63);
    const host = `${[label, label, label].join('.')}.${label.slice(0, 55)}.test`;
    const name = `متجر الحيوانات الأليفة ${label}`;
    const long = await newProject(page, name);
    for (const each of [host, `${label}.test`]) await callApi(page, 'POST', `/projects/${long}/domains`, { host: each });
    const [first] = await callApi<{ domainId: string }[]>(page, 'GET', `/projects/${long}/domains`);
    await callApi(page, 'POST', `/accounts/${accountId}/keys`, { name: `${name.slice(0, 80)}` });
    await callApi(page, 'POST', `/accounts/${accountId}/invitations`, { email: `${label}@${label}.${label}.example.com` });
    for (const [path, content] of [
      [`/accounts/${accountId}/projects`, 'متجر'],
      [`/accounts/${accountId}/keys`, 'متجر'],
      [`/accounts/${accountId}/members`, 'example.'],
      [`/accounts/${accountId}/activity`, 'created the project'],
      [`/projects/${long}`, 'Deployments'],
      [`/projects/${long}/domains`, 'Waiting for DNS'],
      [`/projects/${long}/domains/${first?.domainId}`, 'to set'],
      [`/projects/${long}/settings`, 'Primary domain'],
    ] as const) {
      await page.goto(dashboard.url() + path);
      await page.getByRole('main').getByText(content).first().waitFor();
      await expectAccessible(page, `long names: ${path}`, /^broken: "[a-z@]{50,}"/);
    }
  });
});
