// The operator's page: decides requests, finds, suspends and resumes accounts, and shows what is in trouble.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { setUpApp, signInWithApp } from '../support/authenticator.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import {
  act,
  button,
  callApi,
  type Dashboard,
  expectAccessible,
  expectOperableByKeyboard,
  openDashboard,
  title,
  type User,
} from '../support/dashboard.ts';
import { runCliJson } from '../support/processes.ts';

describe.runIf(chromiumInstalled)("the operator's page", () => {
  const settings: Record<string, string> = {};
  let dashboard: Dashboard;
  let operator: Page;
  let owner: Page;
  let accountId = '';
  let problems: string[] = [];

  beforeAll(async () => {
    dashboard = await openDashboard(settings);
    const ben = await runCliJson<User>(dashboard.folder, ['users', 'create', 'ben@petstore.test']);
    const users = await runCliJson<{ userId: string; email: string }[]>(dashboard.folder, ['users', 'list']);
    await dashboard.stopService();
    settings.PETSTORE_OPERATORS = users.find(({ email }) => email === dashboard.demo.email)?.userId ?? '';
    await dashboard.startService();
    ({ page: owner } = await dashboard.newTab());
    await owner.goto(dashboard.url());
    await owner.getByLabel('Email address').fill(ben.email);
    await owner.getByLabel('Password').fill(ben.password);
    await button(owner, 'Sign in').click();
    await title(owner, 'Welcome').or(title(owner, 'Create account')).first().waitFor();
    ({ accountId } = await callApi<{ accountId: string }>(owner, 'POST', '/accounts', { name: 'Bens Bikes' }));
    ({ page: operator, problems } = await dashboard.newSignedInTab());
  });
  afterAll(() => dashboard.close());

  const dialog = () => operator.getByRole('dialog');
  const press = async (name: string) => dialog().getByRole('button', { name, exact: true }).click();

  test('decides requests, finds, suspends and resumes accounts', async () => {
    await owner.goto(`${dashboard.url()}/operator`);
    await owner.getByText('This page is for operators.').waitFor();
    expect(await owner.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Operator' }).count()).toBe(0);

    await operator.getByRole('link', { name: 'Operator' }).click();
    await operator.getByText('Set up a passkey or an authenticator app').waitFor();
    await operator.getByRole('main').getByRole('link', { name: 'Sign-in and security' }).click();
    const code = await setUpApp(operator);
    await operator.context().clearCookies();
    await operator.evaluate(() => sessionStorage.clear());
    await callApi(owner, 'PUT', `/accounts/${accountId}/plan-request`, { plan: 'enterprise', note: 'We have grown' });
    await operator.goto(`${dashboard.url()}/operator`);
    await signInWithApp(operator, dashboard.demo, code());
    await operator.getByRole('row', { name: /Bens Bikes.*We have grown/ }).waitFor();
    await expectAccessible(operator, 'operator');
    await expectOperableByKeyboard(operator, 'operator');

    await button(operator, new RegExp(`^Approve: Bens Bikes .${accountId}`)).click();
    await expectAccessible(operator, 'operator-approve');
    await dialog().getByLabel('Requests a minute').fill('0');
    await dialog().getByLabel('Requests a day').fill('1000000');
    await press('Approve');
    await dialog()
      .getByText(/an integer from 1/)
      .waitFor();
    await dialog().getByLabel('Requests a minute').fill('5000');
    await press('Approve');
    await operator.getByText('Bens Bikes is on Enterprise now.').waitFor();
    await operator.getByText('No open requests.').waitFor();
    await operator.getByText('5,000 a minute, 1,000,000 a day').waitFor();

    const menu = new RegExp(`^Actions for Bens Bikes .${accountId}`);
    await operator.getByLabel('Find accounts').fill('ben@petstore.test');
    await button(operator, 'Find').click();
    await operator.getByRole('row', { name: /Demo/ }).waitFor({ state: 'detached' });
    await act(operator, menu, 'Details');
    await dialog().getByRole('listitem').filter({ hasText: 'ben@petstore.test owner' }).waitFor();
    await expectAccessible(operator, 'operator-details');
    await dialog().locator('footer').getByRole('button', { name: 'Close' }).click();

    await act(operator, menu, 'Suspend');
    await dialog().getByLabel('Reason').fill('Unpaid since May');
    await expectAccessible(operator, 'operator-suspend');
    await press('Suspend');
    await operator.getByText('Bens Bikes is suspended.').waitFor();
    await owner.goto(`${dashboard.url()}/accounts/${accountId}/projects`);
    await owner.getByText('Message from the operator: Unpaid since May').waitFor();
    await act(operator, menu, 'Resume');
    await press('Resume');
    await operator.getByText('Bens Bikes is active again.').waitFor();

    await act(operator, menu, 'Change plan');
    await dialog().getByLabel('Plan').selectOption('Free');
    await dialog().getByText('Free has no custom domains').waitFor();
    await dialog().getByLabel('Plan').selectOption('Business');
    await press('Change plan');
    await operator.getByText('Bens Bikes is on Business now.').waitFor();

    const { projectId } = await callApi<{ projectId: string }>(owner, 'POST', `/accounts/${accountId}/projects`, { name: 'Site' });
    const { domainId } = await callApi<{ domainId: string }>(owner, 'POST', `/projects/${projectId}/domains`, { host: 'www.bens-bikes.test' });
    const { domains, close } = openSqliteStores(dashboard.folder);
    const added = (await domains.getDomain(domainId)) as Domain;
    const [since, nextCheckAt] = [Date.now(), Date.now() + 3_600_000];
    const state = { name: 'certificate_failed', since, failure: 'name_refused', detail: 'policy forbids it', checks: 0, nextCheckAt };
    expect(await domains.saveDomain({ ...added, state } as unknown as Domain, added)).toBe('saved');
    close();
    await operator.reload();
    await operator.getByRole('row', { name: /www\.bens-bikes\.test.*Site, Bens Bikes.*No certificate/ }).waitFor();
    await expectAccessible(operator, 'operator-trouble');
    expect(problems.filter((each) => !each.includes('400'))).toEqual([]);
  });
});
