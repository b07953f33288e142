// The embedded OpenID provider's pages for signing in and out. Plain HTML that also works without its scripts.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { OPENER_POLICY } from '../../core/dashboard-policy.ts';

/** Returns a style sheet without comments and unnecessary whitespace. */
const styleIn = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8').replace(/\/\*.*?\*\/|(?<=[\s:;{},])\s+|\s(?=[{}])/gs, '');
const STYLE = styleIn('form.css');
const MORE_STYLE = styleIn('pages.css');

/** Loads the sign-in form's typeface from the cache once it has been prefetched. */
export const TYPEFACE_SCRIPT = `
const font = document.querySelector('link[as=font]');
if (font !== null) font.onload = () => document.fonts.add(new FontFace('Figtree Variable', 'url(' + font.href + ')', { weight: '300 900' }));
`;

/** The logo, as in dashboard/src/ui/icon.tsx. */
const MARK =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/><path d="M16 15.5c3.8 0 7 3.3 7 6.3 0 2.4-2 3.4-4 2.9-2-.5-4-.5-6 0s-4-.5-4-2.9c0-3 3.2-6.3 7-6.3z"/><circle cx="8.7" cy="13.5" r="2.3"/><circle cx="13.3" cy="9.3" r="2.5"/><circle cx="18.7" cy="9.3" r="2.5"/><circle cx="23.3" cy="13.5" r="2.3"/></svg>';

const hashOf = (element: string) => `'sha256-${hash('sha256', element, 'base64')}'`;

/** Headers of all pages here. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // `font-src` permits prefetching: a hint is allowed by any directive that allows its URL (Content Security Policy Level 3, section 6.2.2).
  'content-security-policy': `default-src 'none'; font-src 'self'; img-src data:; style-src ${hashOf(STYLE)} ${hashOf(MORE_STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  [OPENER_POLICY.name]: OPENER_POLICY.value,
  'x-content-type-options': 'nosniff',
  // Without a referrer, browsers would not send the origin of a form either.
  'referrer-policy': 'same-origin',
};

export interface PageOptions {
  /** Whether the page's form redirects to `petstore login`: browsers apply form-action to redirects as well. @default false */
  readonly forCommandLine?: boolean;
  /** The text of its inline scripts. @default none */
  readonly scripts?: readonly string[];
}

/** Sends a page. */
export function html(response: ServerResponse, status: number, page: string, { forCommandLine = false, scripts = [] }: PageOptions = {}): void {
  const formAction = forCommandLine ? "form-action 'self' http://127.0.0.1:*" : "form-action 'self'";
  const policy = PAGE_HEADERS['content-security-policy'].replace("form-action 'self'", formAction);
  const sources = scripts.length === 0 ? '' : `; script-src ${scripts.map(hashOf).join(' ')}`;
  response.writeHead(status, { ...PAGE_HEADERS, 'content-security-policy': `${policy}${sources}` });
  response.end(page);
}

/** Redirects with 303, so that a POST is followed by a GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store' });
  response.end();
}

/** Renders a page that reports a problem. @param start URL where signing in begins */
export function problemPage(problem: string, start: string): string {
  return page(
    'Sign in to Petstore',
    `<h1>Sign in to Petstore</h1>
${alert(problem)}<p><a href="${escaped(start)}">Back to the start page</a></p>`,
  );
}

/** Renders the page that is shown when storage fails. @param start URL where sign-in begins */
export function unavailablePage(start: string): string {
  return problemPage('Sign-in is temporarily unavailable. Try again in a few seconds.', start);
}

/** A form with which a passkey is created or used. */
export interface PasskeyForm {
  readonly kind: 'create' | 'get';
  /** The options for the browser. */
  readonly options: object;
}

export interface SignInForm {
  readonly email: string;
  /** What was wrong with the last attempt. */
  readonly problem: string | undefined;
  /** Whether the request is from `petstore login` rather than from the dashboard. */
  readonly forCommandLine: boolean;
  /** Paths of files that the application needs first, for browsers to load while the user types. */
  readonly prefetch: readonly string[];
  /** The form for signing in with a passkey instead of the password. @default none: the origin can't have any passkeys */
  readonly passkey: PasskeyForm | undefined;
}

/** Path of the page that sends a link for a new password. */
export const FORGOT_PATH = '/oidc/forgot';

/** Renders the sign-in form. */
export function signInPage(uid: string, { email, problem, forCommandLine, prefetch, passkey }: SignInForm): string {
  return page(
    'Sign in to Petstore',
    `<h1>Sign in to Petstore</h1>
${forCommandLine ? COMMAND_LINE_TEXT : ''}${alert(problem)}<form method="post" action="/oidc/sign-in/${escaped(uid)}">
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}"${email === '' ? ' autofocus' : ''}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : ' autofocus'}${describedBy(problem)}>
<button type="submit">Sign in</button>
</form>
${passkey === undefined ? '' : passkeyForm(`/oidc/sign-in/${uid}`, passkey, 'Sign in with a passkey')}
<p><a href="${FORGOT_PATH}">Forgot your password?</a></p>
${passkey === undefined ? '' : PASSKEY_ELEMENT}<script>${TYPEFACE_SCRIPT}</script>`,
    prefetch.length === 0 ? undefined : prefetch.map((path) => `<link rel="prefetch" href="${escaped(path)}" ${kindOf(path)}>\n`).join(''),
  );
}

export interface SignUpForm {
  /** The form's target. */
  readonly action: string;
  /** URL that leads to the sign-in page. */
  readonly signIn: string;
  readonly token: string;
  readonly email: string;
  readonly accountName: string;
  /** What was wrong with the last attempt. */
  readonly problem: string | undefined;
}

/** Renders the form with which an invited person chooses a password. */
export function signUpPage({ action, signIn, token, email, accountName, problem }: SignUpForm): string {
  return page(
    'Accept an invitation to Petstore',
    `<h1>You are invited</h1>
<p>To accept the invitation to the account <strong>${escaped(accountName)}</strong>, choose a password. You sign in with it next.</p>
${alert(problem)}<form method="post" action="${escaped(action)}">
<input type="hidden" name="token" value="${escaped(token)}">
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" readonly value="${escaped(email)}">
<label for="password">New password, 12 characters or more</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="256" autofocus${describedBy(problem)}>
<button type="submit">Set password</button>
</form>
<p><a href="${escaped(signIn)}">I already have a password</a></p>`,
  );
}

/** Renders the page that asks for confirmation. @param form the library's form, with the id `op.logoutForm`; a field `logout` confirms */
export function signOutPage(form: string): string {
  return page(
    'Sign out of Petstore',
    `<h1>Sign out?</h1>\n${form}\n<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
  );
}

const COMMAND_LINE_TEXT =
  '<p>The <strong>petstore command line</strong> on this computer asks for access to your accounts. Continue only if you have just run <code>petstore login</code>.</p>\n';

/** A prefetched file is used only if it was requested as it is later: with CORS, like all scripts, styles and fonts of the application. */
const kindOf = (path: string) => `as="${path.endsWith('.js') ? 'script' : path.endsWith('.css') ? 'style' : 'font'}" crossorigin`;

/** Fills in and sends the passkey forms. They are shown only where passkeys work (Web Authentication Level 3, section 5.1). */
export const PASSKEY_SCRIPT = `
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const Api = window.PublicKeyCredential;
  if (Api?.parseCreationOptionsFromJSON === undefined) continue;
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const status = form.querySelector('[role=status]');
    status.textContent = '';
    try {
      const options = JSON.parse(form.dataset.options);
      const credential = form.dataset.passkey === 'create'
        ? await navigator.credentials.create({ publicKey: Api.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: Api.parseRequestOptionsFromJSON(options) });
      form.elements.namedItem('passkey').value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch (error) {
      status.textContent = error.name === 'InvalidStateError' ? 'This device already has a passkey for you.' : 'The passkey request failed or was canceled. Try again.';
    }
  });
}
`;

/** Renders a passkey form. @param fields further fields */
export function passkeyForm(action: string, { kind, options }: PasskeyForm, label: string, fields = ''): string {
  return `<form method="post" action="${escaped(action)}" data-passkey="${kind}" data-options="${escaped(JSON.stringify(options))}" hidden>
<input type="hidden" name="passkey">
${fields}<button type="submit" class="second">${label}</button>
<p role="status"></p>
</form>`;
}

/** The script for passkey forms, as an element. */
export const PASSKEY_ELEMENT = `<script>${PASSKEY_SCRIPT}</script>`;

/** Renders a page. @param content HTML @param head elements in the page's head. @default the styles of all pages but the sign-in form */
export function page(title: string, content: string, head = `<style>${MORE_STYLE}</style>\n`): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
${head}</head>
<body><header>${MARK}Petstore</header><main>
${content}
</main></body>
</html>
`;
}

/** Icons, as in dashboard/src/ui/icon.tsx. */
const icon = (path: string) => `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
export const CHECK = icon('M4 12.5 9.5 18 20 7');
const BAD = icon('M12 7v6M12 16.5v.1M8 2.5h8L21.5 8v8L16 21.5H8L2.5 16V8z');

/** Renders what was wrong with the last attempt, if anything. */
export const alert = (problem: string | undefined) =>
  problem === undefined ? '' : `<p role="alert" id="problem">${BAD}<span>${escaped(problem)}</span></p>\n`;
/** Returns the attribute that links a field to this alert. */
export const describedBy = (problem: string | undefined) => (problem === undefined ? '' : ' aria-describedby="problem"');

/** Escapes text for HTML. */
export function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
