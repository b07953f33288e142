// Members and deploy tokens in the dashboard.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { act, button, type Dashboard, expectAccessible, openDashboard, title } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli, runCliJson } from '../support/processes.ts';

interface MadeUser {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

describe.runIf(chromiumInstalled)('members in the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  const petstore = <T>(...args: string[]) => runCliJson<T>(dashboard.folder, args);

  test('an owner hands the account over and leaves; the only owner cannot', async () => {
    const [ann, ben] = [
      await petstore<MadeUser>('users', 'create', 'ann@petstore.test'),
      await petstore<MadeUser>('users', 'create', 'ben@petstore.test'),
    ];
    const { accountId } = await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Corner', '--plan', 'pro');
    await petstore('accounts', 'add-member', accountId, ann.userId);
    await petstore('accounts', 'add-member', accountId, ben.userId, '--role', 'member');

    const theirs = await dashboard.newSignedInTab(ben);
    await theirs.page.goto(`${dashboard.url()}/accounts/${accountId}/members`);
    await theirs.page.getByRole('row', { name: /ben@petstore\.test.*\(you\).*member/ }).waitFor();
    await button(theirs.page, 'Actions for ben@petstore.test').click();
    expect(await button(theirs.page, /^(Make|Remove|Sign-ins)/).count()).toBe(0);
    expect(await button(theirs.page, /^Leave/).count()).toBe(1);
    await theirs.page.keyboard.press('Escape');
    await expectAccessible(theirs.page, 'members-as-member');

    const { page, problems } = await dashboard.newSignedInTab(ann);
    await page.goto(`${dashboard.url()}/accounts/${accountId}/members`);
    await title(page, 'Members').waitFor();
    await button(page, 'Actions for ann@petstore.test').click();
    expect(await button(page, /^Leave/).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await expectAccessible(page, 'members-as-owner');
    await act(page, 'Actions for ben@petstore.test', 'Sign-ins');
    await page.getByRole('row', { name: /Signed in with the password Chrome on Linux 127\.0\.0\.1/ }).waitFor();
    await expectAccessible(page, 'member-sign-ins');
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await act(page, 'Actions for ben@petstore.test', 'Make owner');
    await expectAccessible(page, 'member-make-owner');
    await page.getByRole('dialog').getByRole('button', { name: 'Make owner' }).click();
    await page.getByRole('row', { name: /ben@petstore\.test.*owner/ }).waitFor();
    await act(page, 'Actions for ann@petstore.test', 'Leave');
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await title(page, 'Create account').waitFor();
    expect(await petstore('accounts', 'members', accountId)).toEqual([{ userId: ben.userId, email: ben.email, role: 'owner' }]);
    expect(problems).toEqual([]);
  });

  test('a deploy token is created, shown once, works, shows its use, and is revoked', async () => {
    const { page, problems } = await dashboard.newSignedInTab();
    const accounts = await petstore<{ accountId: string; name: string }[]>('accounts', 'list');
    const { accountId = '' } = accounts.find(({ name }) => name === 'Demo') ?? {};
    const { projectId } = await petstore<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Pipeline');
    await page.goto(`${dashboard.url()}/projects/${projectId}/settings`);
    await button(page, 'Create token').click();
    await page.getByLabel('Name').fill('CI');
    await expectAccessible(page, 'token-create');
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    const token = (await page.getByText(/^petstore_deploy_\w+$/).textContent()) ?? '';
    await page.keyboard.press('Escape');
    await page.getByText(/^petstore_deploy_\w+$/).waitFor();
    await expectAccessible(page, 'token-created');
    const command = (await page.getByText(/^petstore --url /).textContent()) ?? '';
    await button(page, "I've saved it").click();
    await page.getByRole('row', { name: /CI.*active.*Never used/ }).waitFor();
    // The command that was shown.
    const args = command.replace('FOLDER', 'docs/decisions').split(' ').slice(1);
    const published = await runCli('/nonexistent', args, '', { PETSTORE_DEPLOY_TOKEN: token, XDG_CONFIG_HOME: makeFolder().path });
    expect([published.code, published.stdout]).toEqual([0, expect.stringContaining('Published')]);
    await page.reload();
    await page.getByRole('row', { name: /CI.*active/ }).waitFor();
    expect(await page.getByRole('row', { name: /CI.*Never used/ }).count()).toBe(0);
    await act(page, /^Actions for CI/, 'Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No deploy tokens.').waitFor();
    expect(problems).toEqual([]);
  });
});
