// The embedded OpenID provider's pages for signing in and out. Plain HTML without scripts.

import type { ServerResponse } from 'node:http';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 100vh; margin: 0; }
main { width: min(22rem, 90vw); }
label { display: block; margin-top: 1rem; }
input, button { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box; }
button { margin-top: 1.5rem; }
[role=alert] { border-left: .25rem solid #d13212; padding-left: .75rem; }
`;

/** Headers of all pages here. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** The headers of a form that leads to the command line: browsers apply form-action to redirects as well. */
const TO_COMMAND_LINE = {
  ...PAGE_HEADERS,
  'content-security-policy': PAGE_HEADERS['content-security-policy'].replace("form-action 'self'", "form-action 'self' http://127.0.0.1:*"),
};

/** Sends a page. @param forCommandLine whether the form on it leads to `petstore login` */
export function html(response: ServerResponse, status: number, page: string, forCommandLine = false): void {
  response.writeHead(status, forCommandLine ? TO_COMMAND_LINE : PAGE_HEADERS);
  response.end(page);
}

/** Redirects with 303, so that a POST is followed by a GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store' });
  response.end();
}

/**
 * Renders a page that reports a problem.
 *
 * @param start URL where signing in begins
 */
export function problemPage(problem: string, start: string): string {
  return page(
    'Sign in to Petstore',
    `<h1>Sign in to Petstore</h1>
<p role="alert">${escaped(problem)}</p>
<p><a href="${escaped(start)}">Back to the start page</a></p>`,
  );
}

/** Renders the page for failing storage. @param start URL where signing in begins */
export function unavailablePage(start: string): string {
  return problemPage('Sign-in is temporarily unavailable. Try again in a few seconds.', start);
}

export interface SignInForm {
  readonly email: string;
  /** What was wrong with the last attempt. */
  readonly problem: string | undefined;
  /** Whether `petstore login` asks, and not the dashboard. */
  readonly forCommandLine: boolean;
}

/** Renders the sign-in form. */
export function signInPage(uid: string, { email, problem, forCommandLine }: SignInForm): string {
  return page(
    'Sign in to Petstore',
    `<h1>Sign in to Petstore</h1>
${forCommandLine ? COMMAND_LINE_TEXT : ''}${problem === undefined ? '' : `<p role="alert" id="problem">${escaped(problem)}</p>`}
<form method="post" action="/oidc/sign-in/${escaped(uid)}">
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}"${email === '' ? ' autofocus' : ''}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${email === '' ? '' : ' autofocus'}${problem === undefined ? '' : ' aria-describedby="problem"'}>
<button type="submit">Sign in</button>
</form>`,
  );
}

/**
 * Renders the page that asks for confirmation.
 *
 * @param form the library's form, with the id `op.logoutForm`; a field `logout` confirms
 */
export function signOutPage(form: string): string {
  return page(
    'Sign out of Petstore',
    `<h1>Sign out?</h1>\n${form}\n<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
  );
}

const COMMAND_LINE_TEXT =
  '<p>The <strong>petstore command line</strong> on this computer asks for access to your accounts. Continue only if you have just run <code>petstore login</code>.</p>\n';

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main>
${content}
</main></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
