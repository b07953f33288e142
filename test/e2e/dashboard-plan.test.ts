// How owners ask for another plan in the dashboard, and learn what became of it.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, type Dashboard, expectAccessible, openDashboard, title } from '../support/dashboard.ts';
import { runCliJson } from '../support/processes.ts';

describe.runIf(chromiumInstalled)('plans in the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  /** The card of a plan, once it has these texts in this order. */
  const card = (page: Page, texts: RegExp) => page.getByRole('list', { name: 'Plans' }).getByRole('listitem').filter({ hasText: texts });
  const petstore = <T>(...args: string[]) => runCliJson<T>(dashboard.folder, args);

  test('the Free plan says before the form what it lacks; its owner asks for a larger one, withdraws, asks again and gets it', async () => {
    const made = await petstore<{ userId: string; email: string; password: string }>('users', 'create', 'ann@petstore.test');
    const { accountId } = await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Corner', '--plan', 'free');
    await petstore('accounts', 'add-member', accountId, made.userId);
    const { projectId } = await petstore<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Site');
    const { page, problems } = await dashboard.newSignedInTab(made);

    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await page.getByText('The Free plan has no custom domains').waitFor();
    expect(await button(page, 'Add domain').count()).toBe(0);
    await expectAccessible(page, 'domains-free');
    await page.getByRole('link', { name: 'See plans' }).click();
    await title(page, 'Plan').waitFor();
    await card(page, /Free ?Your plan.*60.*0 of 1,000.*1 of 5.*none.*1,000 files, 100\s?MiB/).waitFor();
    await card(page, /Enterprise.*as agreed.*as agreed/).waitFor();

    await button(page, 'Request Pro').click();
    await page.getByLabel('Note').fill('for spring');
    await expectAccessible(page, 'plan-ask');
    await button(page, 'Request').click();
    await page.getByText('You have asked for Pro').waitFor();
    await page.getByText('with your note: for spring').waitFor();
    await expectAccessible(page, 'plan-asked');
    expect(await petstore('plan-requests', 'list')).toMatchObject([{ accountId, wanted: 'pro', note: 'for spring' }]);
    await button(page, 'Withdraw').click();
    await page.getByText('You have asked for Pro').waitFor({ state: 'detached' });
    expect(await petstore('plan-requests', 'list')).toEqual([]);

    await button(page, 'Request Business').click();
    await button(page, 'Request').click();
    await page.getByText('You have asked for Business').waitFor();
    await petstore('plan-requests', 'decline', accountId, '--reason', 'please start with Pro');
    await page.reload();
    await page.getByText('Business was declined').waitFor();
    await page.getByText('Message from the operator: please start with Pro').waitFor();
    await button(page, 'Request Pro').click();
    await button(page, 'Request').click();
    await page.getByText('You have asked for Pro').waitFor();
    await petstore('plan-requests', 'approve', accountId);
    await page.reload();
    await page.getByText('You are on Pro now').waitFor();
    await card(page, /Pro ?Your plan.*1 of 50.*0 of 100/).waitFor();
    await expectAccessible(page, 'plan-decided');
    await button(page, 'Dismiss').click();
    await page.getByText('You are on Pro now').waitFor({ state: 'detached' });
    await petstore('domains', 'add', 'corner.test', '--project', projectId, '--both');
    await page.reload();
    await card(page, /Pro ?Your plan.*1 of 50.*2 of 100/).waitFor();
    await petstore('accounts', 'set-plan', accountId, '--plan', 'free');
    await page.reload();
    await card(page, /Free ?Your plan.*1 of 5.*2 of 0/).waitFor();
    expect(problems).toEqual([]);
  });

  test('a suspended account says why on each page; its owner deletes it, once it has no projects', async () => {
    const made = await petstore<{ userId: string; email: string; password: string }>('users', 'create', 'cleo@petstore.test');
    const { accountId } = await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Brief', '--plan', 'pro');
    await petstore('accounts', 'add-member', accountId, made.userId);
    const { projectId } = await petstore<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Site');
    await petstore('accounts', 'suspend', accountId, '--reason', 'unpaid since May');
    const { page, problems } = await dashboard.newSignedInTab(made);
    for (const path of [`accounts/${accountId}/keys`, `projects/${projectId}`]) {
      await page.goto(`${dashboard.url()}/${path}`);
      await page.getByText('Brief is suspended').waitFor();
      await page.getByText('Message from the operator: unpaid since May').waitFor();
    }
    await expectAccessible(page, 'suspended');
    await page.goto(`${dashboard.url()}/accounts/${accountId}/settings`);
    await page.getByText('First delete its project.').waitFor();
    expect(await button(page, 'Delete account').isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'its project' }).click();
    await page.getByRole('link', { name: 'Site', exact: true }).click();
    await button(page, 'Delete').first().click();
    await page.getByLabel('To confirm, type Site').fill('Site');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Site is deleted.').waitFor();
    await page.goto(`${dashboard.url()}/accounts/${accountId}/settings`);
    await button(page, 'Delete account').click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('To confirm, type Brief').fill('Brief');
    await expectAccessible(page, 'account-delete');
    await confirm.click();
    await page.getByText('Brief is deleted.').waitFor();
    // The user has no account left, and is asked to create one.
    await title(page, 'Create account').waitFor();
    expect(problems).toEqual([]);
  });

  test('a member sees the plans, and that only an owner can ask', async () => {
    const made = await petstore<{ userId: string; email: string; password: string }>('users', 'create', 'ben@petstore.test');
    const { accountId } = await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Theirs', '--plan', 'pro');
    await petstore('accounts', 'add-member', accountId, made.userId, '--role', 'member');
    const { page } = await dashboard.newSignedInTab(made);
    await page.goto(`${dashboard.url()}/accounts/${accountId}/plan`);
    await page.getByText('Only an owner of the account can ask for a plan.').waitFor();
    expect(await button(page, /^Ask for/).count()).toBe(0);
    await expectAccessible(page, 'plan-member');
  });
});
