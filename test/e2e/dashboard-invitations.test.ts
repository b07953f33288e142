// Invitations in the dashboard: an owner invites, sends again and withdraws; who has the link signs in, or signs up, and accepts.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import {
  act,
  button,
  callApi,
  type Dashboard,
  expectAccessible,
  expectOperableByKeyboard,
  openDashboard,
  signIn,
  title,
} from '../support/dashboard.ts';
import { runCliJson } from '../support/processes.ts';
import { startSmtpServer } from '../support/smtp.ts';

async function openMembers(page: Page, dashboard: Dashboard): Promise<string> {
  const [account] = await callApi<{ accountId: string }[]>(page, 'GET', '/accounts');
  await page.goto(`${dashboard.url()}/accounts/${account?.accountId}/members`);
  await title(page, 'Members').waitFor();
  return account?.accountId ?? '';
}

async function invite(page: Page, email: string, role = 'Member'): Promise<void> {
  await button(page, 'Invite').click();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('combobox', { name: 'Role' }).selectOption(role);
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
}

describe.runIf(chromiumInstalled)('invitations without mail', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard.close());

  test('are handed over as a link, replaced, withdrawn, and accepted by the user of the address only', async () => {
    const [ben, eve] = [
      await runCliJson<{ email: string; password: string }>(dashboard.folder, ['users', 'create', 'ben@petstore.test']),
      await runCliJson<{ email: string; password: string }>(dashboard.folder, ['users', 'create', 'eve@petstore.test']),
    ];
    const { page, problems } = await dashboard.newSignedInTab();
    await openMembers(page, dashboard);
    await page.getByText('No open invitations.').waitFor();
    await expectAccessible(page, 'invitations-none');
    await button(page, 'Invite').click();
    await page.getByLabel('Email address').fill('not an address@x');
    await expectAccessible(page, 'invite');
    await page.keyboard.press('Enter');
    await page.getByText('Enter an email address, such as ann@example.com.').waitFor();
    await page.keyboard.press('Escape');
    await invite(page, 'a-long-name-of-a-future-member@a-long-name-of-a-company.example');
    await page.getByText('/invitation#petstore_invite_').waitFor();
    await expectAccessible(page, 'invitation-link');
    await button(page, 'Done').click();
    await invite(page, 'Ben@petstore.test', 'Owner');
    await button(page, 'Done').click();
    await page.getByRole('row', { name: /ben@petstore\.test.*owner.*by demo@petstore\.test.*in 7 days/ }).waitFor();
    await expectAccessible(page, 'invitations');
    await expectOperableByKeyboard(page, 'invitations');
    await act(page, /^Actions for a-long-name/, 'Withdraw');
    await expectAccessible(page, 'invitation-withdraw');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('row', { name: /a-long-name/ }).waitFor({ state: 'detached' });
    await act(page, 'Actions for ben@petstore.test', 'New link');
    await page.getByRole('dialog').getByRole('button', { name: 'New link' }).click();
    const link = (await page.getByText('/invitation#petstore_invite_').textContent()) ?? '';
    await button(page, 'Done').click();

    // Another user opens it, in a tab of their own.
    const theirs = await dashboard.newTab();
    const requested: string[] = [];
    theirs.page.on('request', (request) => void requested.push(request.url()));
    await theirs.page.goto(link);
    // The link was not mailed: a person without a user learns what to do.
    await theirs.page.getByText('To accept this invitation').or(theirs.page.getByLabel('Password')).waitFor();
    await theirs.page.goto(`${dashboard.url()}/invitation?sign-in`);
    await signIn(theirs.page, eve);
    await title(theirs.page, 'Invitation').waitFor();
    await theirs.page.getByText('This invitation is for another address').waitFor();
    await expectAccessible(theirs.page, 'invitation-not-yours');
    await theirs.page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
    await button(theirs.page, 'Sign out').click();
    await theirs.page.getByLabel('Password').waitFor();
    await signIn(theirs.page, ben);
    await title(theirs.page, 'Invitation').waitFor();
    await button(theirs.page, 'Accept').waitFor();
    expect(theirs.page.url()).toBe(`${dashboard.url()}/invitation`);
    await expectAccessible(theirs.page, 'invitation');
    await expectOperableByKeyboard(theirs.page, 'invitation');
    await button(theirs.page, 'Accept').click();
    await title(theirs.page, 'Projects').waitFor();
    await theirs.page.getByText('You are now a member of Demo.').waitFor();
    expect(await callApi(theirs.page, 'GET', '/accounts')).toMatchObject([{ name: 'Demo', role: 'owner' }]);
    expect(requested.filter((url) => url.includes('petstore_invite_') && !url.includes('#'))).toEqual([]);

    // The link is used up, and says so.
    await theirs.page.goto(link);
    await theirs.page.getByText("This invitation can't be used").waitFor();
    await expectAccessible(theirs.page, 'invitation-useless');
    await page.reload();
    await page.getByText('No open invitations.').waitFor();
    // The browser reports the refusals that were expected.
    expect(problems.filter((problem) => !/status of 400/.test(problem))).toEqual([]);
    expect(theirs.problems.filter((problem) => !/status of 40[34]/.test(problem))).toEqual([]);
  });
});

describe.runIf(chromiumInstalled)('invitations by mail', () => {
  let dashboard: Dashboard;
  let smtp: Awaited<ReturnType<typeof startSmtpServer>>;

  beforeAll(async () => {
    smtp = await startSmtpServer();
    dashboard = await openDashboard({ PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: 'no-reply@pets.example.com' });
  });
  afterAll(async () => {
    await dashboard.close();
    await smtp.stop();
  });

  test('lead a person without a user from the mail to the account', async () => {
    const { page, problems } = await dashboard.newSignedInTab();
    await openMembers(page, dashboard);
    await invite(page, 'new@petstore.test');
    await page.getByRole('row', { name: /new@petstore\.test.*member/ }).waitFor();
    await button(page, 'Actions for new@petstore.test').click();
    await button(page, 'Resend').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => smtp.mails.length).toBe(1);
    const link = /http:\S+/.exec(smtp.mails[0]?.text ?? '')?.[0] ?? '';

    const theirs = await dashboard.newTab();
    await theirs.page.goto(link);
    await title(theirs.page, 'You are invited').waitFor();
    await theirs.page.getByText('Demo').waitFor();
    await expectAccessible(theirs.page, 'sign-up');
    await theirs.page.getByLabel(/^New password/).fill('a password of twelve');
    await button(theirs.page, 'Set password').click();
    await title(theirs.page, 'Password set').waitFor();
    await theirs.page.getByText('Sign in as new@petstore.test').waitFor();
    await theirs.page.getByRole('link', { name: 'Sign in' }).click();
    await button(theirs.page, 'Sign in').waitFor();
    await signIn(theirs.page, { email: 'new@petstore.test', password: 'a password of twelve' });
    await button(theirs.page, 'Not now').waitFor();
    await button(theirs.page, 'Accept').click();
    await title(theirs.page, 'Projects').waitFor();
    expect(await callApi(theirs.page, 'GET', '/accounts')).toMatchObject([{ name: 'Demo', role: 'member' }]);
    // Members don't see who else is invited.
    await openMembers(theirs.page, dashboard);
    expect(await button(theirs.page, 'Invite').count()).toBe(0);
    expect([...problems, ...theirs.problems]).toEqual([]);
  });
});
