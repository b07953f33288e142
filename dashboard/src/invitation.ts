// The invitation whose link was opened. Its token, in the link's fragment, is kept in this tab's session storage until the user has decided.

import { INVITATION_PATH } from '../../core/access/invitation-link.ts';

const KEY = 'petstore.invitation';

/** Takes the token from an invitation's link and keeps it. A sign-out leads to the start page; there, the kept token reopens the invitation. */
export function keepInvitation(): void {
  const { pathname, search, hash } = location;
  if (pathname === INVITATION_PATH && hash !== '') {
    sessionStorage.setItem(KEY, hash.slice(1));
    history.replaceState(null, '', INVITATION_PATH + search);
  } else if (pathname === '/' && pendingInvitation() !== undefined) {
    history.replaceState(null, '', INVITATION_PATH);
  }
}

/** Returns the token of the invitation that the user has not decided about. */
export function pendingInvitation(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Forgets the token. */
export function forgetInvitation(): void {
  sessionStorage.removeItem(KEY);
}

/** Opens the page where a person who is not a user yet chooses a password; existing users are sent to sign in. The token is in the request's body. */
export function askForUser(path: string, token: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = path;
  const input = document.createElement('input');
  input.type = 'hidden';
  input.name = 'token';
  input.value = token;
  form.append(input);
  document.body.append(form);
  form.submit();
}
