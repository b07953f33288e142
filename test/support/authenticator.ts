// An authenticator app, set up in the browser.

import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { button, signIn, title, type User } from './dashboard.ts';

const PERIOD_MS = 30_000;

/**
 * Returns what makes the next code for a key: of this period, or of the one after the code before, because codes work once. The service accepts a code
 * a period early or late, so that two in succession are good for half a minute at least.
 */
export function authenticatorCodes(key: string): () => string {
  const app = new TOTP({ secret: Secret.fromBase32(key.replaceAll(' ', '')) });
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last + PERIOD_MS, Date.now());
    return app.generate({ timestamp: last });
  };
}

/** Sets up an authenticator app from the page that is shown. @returns what makes its next code */
export async function setUpApp(page: Page): Promise<() => string> {
  await title(page, 'Sign-in and security').waitFor();
  await button(page, 'Set up an app').click();
  const next = authenticatorCodes((await page.locator('code').textContent()) ?? '');
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
