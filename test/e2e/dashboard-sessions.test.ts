// Where the user is signed in: other browsers are listed and signed out, one by one and all at once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, type Dashboard, expectAccessible, openDashboard, title } from '../support/dashboard.ts';

describe.runIf(chromiumInstalled)('sessions in the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard.close());

  test('are listed and ended, and the browser that was signed out asks for the password', async () => {
    const { page, problems } = await dashboard.newSignedInTab();
    const theirs = [await dashboard.newSignedInTab(), await dashboard.newSignedInTab()];
    await page.getByRole('button', { name: /demo@petstore\.test/ }).click();
    await page.getByRole('link', { name: "Where you're signed in" }).click();
    await title(page, "Where you're signed in").waitFor();
    await page.getByRole('row', { name: /Chrome on Linux \(this one\)/ }).waitFor();
    expect(await button(page, /^Sign out: /).count()).toBe(2);
    expect(await page.getByRole('row', { name: /Signed in with the password Chrome on Linux 127\.0\.0\.1/ }).count()).toBe(3);
    await page.getByText('Owners of your accounts see this list, too').waitFor();
    await expectAccessible(page, 'sessions-three');
    await button(page, /^Sign out: /)
      .first()
      .click();
    await expectAccessible(page, 'session-end');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => button(page, /^Sign out: /).count()).toBe(1);
    await button(page, 'Sign out all others').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out all others' }).click();
    await expect.poll(() => button(page, /^Sign out: /).count()).toBe(0);
    for (const { page: other } of theirs) {
      // A token that is refused within ten seconds of the sign-in is not renewed.
      await other.evaluate(() => sessionStorage.removeItem('petstore.signed-in-at'));
      await other.reload();
      await other.getByLabel('Password').waitFor();
    }
    await page.reload();
    await page.getByRole('row', { name: /\(this one\)/ }).waitFor();
    await button(page, 'Sign out everywhere').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page
      .getByLabel('Password')
      .or(page.getByRole('heading', { name: 'Sign out?' }))
      .waitFor();
    expect(problems).toEqual([]);
  });
});
