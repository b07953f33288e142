// The provider's pages about passwords, passkeys and codes. Plain HTML; only passkeys need a script.

import type { Factors } from '../../core/identity/factors.ts';
import { PASSWORD_LENGTH, type User } from '../../core/identity/user.ts';
import type { NewAuthenticator } from './authenticator-app.ts';
import { alert, CHECK, describedBy, escaped, PASSKEY_ELEMENT, type PasskeyForm, page, passkeyForm } from './sign-in-page.ts';

/** Path of the page where users manage their password and other factors. */
export const SECURITY_PATH = '/oidc/security';
/** Path of the page that sets a password with a link. */
export const RESET_PATH = '/oidc/reset';

const newPassword = (problem: string | undefined) => `<label for="password">New password, ${PASSWORD_LENGTH.min} characters or more</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${PASSWORD_LENGTH.min}" maxlength="${PASSWORD_LENGTH.max}"${describedBy(problem)}>`;

/** Renders a page with a message and a link to continue. */
export function messagePage(title: string, text: string, [url, label]: readonly [url: string, label: string]): string {
  return page(`${title} – Petstore`, `<h1>${title}</h1>\n<p>${escaped(text)}</p>\n<p><a href="${escaped(url)}">${label}</a></p>`);
}

export interface SecondStep {
  readonly problem: string | undefined;
  /** Whether an authenticator app is set up. */
  readonly hasApp: boolean;
  readonly passkey: PasskeyForm | undefined;
  /** URL where signing in begins. */
  readonly start: string;
}

/** Renders the page that asks for the second factor. */
export function secondStepPage(action: string, { problem, hasApp, passkey, start }: SecondStep): string {
  return page(
    'Confirm that it’s you – Petstore',
    `<h1>Confirm that it’s you</h1>
${alert(problem)}${passkey === undefined ? '' : passkeyForm(action, passkey, 'Use a passkey')}
<form method="post" action="${escaped(action)}">
<label for="code">${hasApp ? 'Code from your authenticator app, or a recovery code' : 'Recovery code'}</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required maxlength="20"${passkey === undefined ? ' autofocus' : ''}${describedBy(problem)}>
<button type="submit">Continue</button>
</form>
<p><a href="${escaped(start)}">Sign in as another user</a></p>
${passkey === undefined ? '' : PASSKEY_ELEMENT}`,
  );
}

/** Renders the page that asks where to send a link for a new password. */
export function forgotPage(action: string, start: string): string {
  return page(
    'Forgot your password? – Petstore',
    `<h1>Forgot your password?</h1>
<p>We’ll email you a link to choose a new one.</p>
<form method="post" action="${escaped(action)}">
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<button type="submit">Send link</button>
</form>
<p><a href="${escaped(start)}">Back to sign-in</a></p>`,
  );
}

/** Takes the token from the URL's fragment, which browsers don't send to servers, and removes it from the history. */
export const RESET_SCRIPT = `
const field = document.querySelector('input[name=token]');
if (location.hash !== '') {
  field.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}
`;

/** Renders the form that sets a password with a link. @param token of the link; empty if it is in the page's address */
export function resetPage(token: string, problem?: string): string {
  return page(
    'Choose a new password – Petstore',
    `<h1>Choose a new password</h1>
<p>Setting a new password signs you out everywhere. Then sign in with the new password.</p>
${alert(problem)}<form method="post" action="${RESET_PATH}">
<input type="hidden" name="token" value="${escaped(token)}">
${newPassword(problem)}
<button type="submit">Set password</button>
</form>
<script>${RESET_SCRIPT}</script>`,
  );
}

export interface SecurityPage {
  readonly user: User;
  readonly factors: Factors;
  readonly creation: PasskeyForm | undefined;
  /** URL of the dashboard. */
  readonly start: string;
  readonly problem?: string | undefined;
}

const action = (name: string) => `<input type="hidden" name="action" value="${name}">`;
const button = (name: string, label: string, fields = '', kind = '') =>
  `<form method="post" action="${SECURITY_PATH}">${action(name)}${fields}<button type="submit" class="second${kind}">${label}</button></form>`;
const day = (at: number) => new Date(at).toISOString().slice(0, 10);
/** Renders a card with its buttons. @param isOn whether the factor protects the sign-in. @default no state is shown */
const section = (title: string, isOn: boolean | undefined, actions: string, content: string) =>
  `<section>\n<div class="head"><h2>${title}</h2>${isOn === undefined ? '' : `<span class="${isOn ? 'on' : 'off'}">${isOn ? `${CHECK}On` : 'Off'}</span>`}</div>\n${content}\n${actions && `<div class="actions">${actions}</div>\n`}</section>`;

/** Renders the page where users manage their password and other factors. */
export function securityPage({ user, factors: { passkeys, totp, recoveryCodes }, creation, start, problem }: SecurityPage): string {
  const protectedBy = passkeys.length > 0 || totp !== undefined;
  const rows = passkeys.map(({ id, name, createdAt, usedAt }) => {
    const used = usedAt === undefined ? 'never used' : `last used on ${day(usedAt)}`;
    const label = `Remove <span class="name">${escaped(name)}</span>`;
    return `<li><span><strong>${escaped(name)}</strong>, added on ${day(createdAt)}, ${used}</span>\n${button('remove-passkey', label, `<input type="hidden" name="id" value="${escaped(id)}">`, ' risky')}</li>`;
  });
  const passkeyName = `${action('add-passkey')}<label for="name">Name of the new passkey</label>
<input id="name" name="name" required maxlength="100" placeholder="My phone">
`;
  const appActions = `${button('set-up-app', totp === undefined ? 'Set up an app' : 'Set up another app')}${totp === undefined ? '' : button('remove-app', 'Remove the app', '', ' risky')}`;
  return page(
    'Sign-in and security – Petstore',
    `<nav><a href="${escaped(start)}">Back to the dashboard</a></nav>
<h1>Sign-in and security</h1>
<p>${escaped(user.email)}</p>
${alert(problem)}${section(
  'Password',
  undefined,
  '',
  `<form method="post" action="${SECURITY_PATH}">
${action('password')}<input name="username" type="email" autocomplete="username" value="${escaped(user.email)}" readonly hidden>
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" required>
${newPassword(undefined)}
<button type="submit">Change password</button>
</form>`,
)}
${section(
  'Passkeys',
  passkeys.length > 0,
  '',
  `<p>A passkey signs you in with your fingerprint, your face or your device’s PIN, without the password. It also confirms a sign-in with the password.</p>
<ul>
${rows.join('\n')}
</ul>
${creation === undefined ? '<p>Passkeys need a host name: they can’t be used at an IP address.</p>' : passkeyForm(SECURITY_PATH, creation, 'Add a passkey', passkeyName)}`,
)}
${section('Authenticator app', totp !== undefined, appActions, `<p>${totp === undefined ? 'If you set up an app on your phone, sign-in also asks for a code from it.' : 'After the password, sign-in asks for a second factor, such as a code from your app.'}</p>`)}
${section('Recovery codes', undefined, protectedBy ? button('recovery-codes', 'Generate new codes') : '', `<p>${protectedBy ? `${recoveryCodes} left. Each works for one sign-in, in place of a passkey or the app.` : 'You get them when you add your first passkey or app.'}</p>`)}
${creation === undefined ? '' : PASSKEY_ELEMENT}`,
  );
}

/** Renders the page that sets up an authenticator app. @param sealed the secret, for the next step */
export function appPage({ secret, svg }: NewAuthenticator, sealed: string, problem?: string): string {
  const spaced = secret.replace(/.{4}(?=.)/g, '$& ');
  return page(
    'Set up an authenticator app – Petstore',
    `<h1>Set up an authenticator app</h1>
<p>Scan the code with the app, or enter the key in it. Then enter the six digits that it shows.</p>
<div role="img" aria-label="QR code with the key">${svg}</div>
<p>Key: <code>${spaced}</code></p>
${alert(problem)}<form method="post" action="${SECURITY_PATH}">
${action('confirm-app')}<input type="hidden" name="sealed" value="${escaped(sealed)}">
<label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="10" autofocus${describedBy(problem)}>
<button type="submit">Confirm</button>
</form>
<p><a href="${SECURITY_PATH}">Cancel</a></p>`,
  );
}

/** Copies the recovery codes. */
export const COPY_SCRIPT = `
const button = document.querySelector('button');
button.hidden = navigator.clipboard === undefined;
button.onclick = async () => {
  const text = [...document.querySelectorAll('code')].map((code) => code.textContent).join('\\n');
  const outcome = await navigator.clipboard.writeText(text).then(() => 'Copied', () => 'This browser did not copy them. Download them.');
  document.querySelector('[role=status]').textContent = outcome;
};
`;

/** Renders the page that shows recovery codes. */
export function codesPage(codes: readonly string[]): string {
  return page(
    'Recovery codes – Petstore',
    `<h1>Recovery codes</h1>
<p>Keep them where you can find them without this device. They are shown only once. Each code works for one sign-in. Any earlier codes no longer work.</p>
<ul>
${codes.map((code) => `<li><code>${code}</code></li>`).join('\n')}
</ul>
<button type="button" class="second" hidden>Copy</button>
<p><a href="data:text/plain,${codes.join('%0A')}%0A" download="petstore-recovery-codes.txt">Download</a></p>
<p role="status"></p>
<form action="${SECURITY_PATH}"><button type="submit">I have saved them</button></form>
<script>${COPY_SCRIPT}</script>`,
  );
}
