// An owner requires a second factor of an account's members; a member without one is shown the way, and gets in with it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpApp, signInWithApp } from '../support/authenticator.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, callApi, type Dashboard, expectAccessible, openDashboard, signIn, type User } from '../support/dashboard.ts';
import { runCliJson } from '../support/processes.ts';

describe.runIf(chromiumInstalled)('an account that requires a second factor', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard.close());

  test('refuses members without one, and shows them the way', async () => {
    const { page, problems } = await dashboard.newSignedInTab();
    const [account] = await callApi<{ accountId: string; name: string }[]>(page, 'GET', '/accounts');
    const members = `${dashboard.url()}/accounts/${account?.accountId}/members`;
    await page.goto(members);
    await page.getByText('Members may sign in with the password alone.').waitFor();
    // With the password alone, an owner would be locked out.
    expect(await button(page, 'Require second factor').getAttribute('aria-disabled')).toBe('true');
    const ben = await runCliJson<User>(dashboard.folder, ['users', 'create', 'ben@petstore.test']);
    await runCliJson(dashboard.folder, ['accounts', 'add-member', account?.accountId ?? '', ben.email]);

    await page.goto(`${dashboard.url()}/security`);
    const code = await setUpApp(page);
    // Only a sign-in with the app has two factors.
    await page.context().clearCookies();
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(members);
    await signInWithApp(page, dashboard.demo, code());
    await button(page, 'Require second factor').click();
    await expectAccessible(page, 'second-factor');
    await page.getByRole('dialog').getByRole('button', { name: 'Require second factor' }).click();
    await page.getByText("Members who signed in with a password alone can't use this account.").waitFor();

    const theirs = await dashboard.newTab();
    await theirs.page.goto(`${dashboard.url()}/accounts/${account?.accountId}/keys`);
    await signIn(theirs.page, ben);
    await theirs.page.getByText(`${account?.name} requires a second factor`).waitFor();
    await theirs.page.getByRole('heading', { name: 'Something went wrong' }).or(theirs.page.getByText('Something went wrong')).first().waitFor();
    await expectAccessible(theirs.page, 'second-factor-missing');
    await theirs.page.getByRole('link', { name: 'Sign-in and security' }).click();
    const bens = await setUpApp(theirs.page);
    await theirs.page.goto(`${dashboard.url()}/accounts/${account?.accountId}/keys`);
    await button(theirs.page, 'Sign in again').click();
    await signInWithApp(theirs.page, ben, bens());
    await theirs.page.getByRole('row', { name: /Demo/ }).waitFor();
    expect(await theirs.page.getByText('requires a second factor').count()).toBe(0);

    await button(page, 'Stop requiring second factor').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop requiring second factor' }).click();
    await page.getByText('Members may sign in with the password alone.').waitFor();
    expect(problems).toEqual([]);
  });
});
