// An authenticator app, set up in the browser.

import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { button, signIn, title, type User } from './dashboard.ts';

const PERIOD_MS = 30_000;

/** Sets up an authenticator app from the page that is shown. @returns what confirms a sign-in: codes work once */
export async function setUpApp(page: Page): Promise<() => string> {
  await title(page, 'Sign-in and security').waitFor();
  await button(page, 'Set up an app').click();
  const app = new TOTP({ secret: Secret.fromBase32(((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')) });
  let timestamp = Date.now() - PERIOD_MS;
  const next = () => {
    const code = app.generate({ timestamp });
    timestamp += PERIOD_MS;
    return code;
  };
  await page.getByRole('textbox', { name: 'Code' }).fill(next());
  await button(page, 'Confirm').click();
  await title(page, 'Recovery codes').waitFor();
  return next;
}

/** Signs in with the password and a code of the app. */
export async function signInWithApp(page: Page, user: User, code: string): Promise<void> {
  await signIn(page, user);
  await page.getByRole('textbox', { name: /Code from your authenticator app/ }).fill(code);
  await button(page, 'Continue').click();
}
