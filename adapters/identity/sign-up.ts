// The page where an invited person without a user chooses a password. The emailed link verifies the address. Existing users sign in instead.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Invitation } from '../../core/access/invitation.ts';
import { INVITATION_PATH, SIGN_IN_QUERY } from '../../core/access/invitation-link.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import { formOf } from './form.ts';
import { newPasswordProblem, PasswordsBusy } from './passwords.ts';
import { messagePage } from './security-pages.ts';
import { notChecked } from './sign-in.ts';
import { html, problemPage, redirect, signUpPage } from './sign-in-page.ts';

/** Path of the page, below the origin. */
export const SIGN_UP_PATH = '/oidc/sign-up';

/** Finds the invitation that a link is for; undefined if it can't be used. */
export type FindInvitation = (token: string) => Promise<{ readonly invitation: Invitation; readonly accountName: string } | undefined>;

export interface SignUpOptions {
  readonly users: Pick<UserStore, 'add' | 'byEmail' | 'remove'>;
  readonly find: FindInvitation;
  readonly newUserId: () => string;
  /** Id of the user who is signed in, if any. */
  readonly userOf: (request: IncomingMessage, response: ServerResponse) => Promise<string | undefined>;
  /** The origin that clients use, without a trailing slash. */
  readonly origin: string;
}

/** Creates the page's handler. Its two forms are POST requests, so that a token is never part of a URL that a server sees. */
export function createSignUp({ users, find, newUserId, userOf, origin }: SignUpOptions) {
  // The dashboard has the token, and shows the invitation after sign-in.
  const signIn = `${origin}${INVITATION_PATH}${SIGN_IN_QUERY}`;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return redirect(response, `${origin}/`);
    const form = await formOf(request, response, signIn);
    if (form === undefined) return;
    const [token, password] = [form.get('token') ?? '', form.get('password')];
    const found = await find(token);
    if (found === undefined) return html(response, 404, problemPage(USELESS, `${origin}/`));
    const { email, mailed } = found.invitation;
    const hasPassword = () => html(response, 409, problemPage(`${email} already has a password. Sign in with that one.`, signIn));
    if ((await users.byEmail(email)) !== undefined) return password === null ? redirect(response, signIn) : hasPassword();
    if ((await userOf(request, response)) !== undefined) return redirect(response, signIn);
    if (!mailed) return html(response, 403, problemPage(`${NOT_MAILED} ${email}.`, signIn));
    const show = (status: number, problem: string | undefined) =>
      html(response, status, signUpPage({ action: SIGN_UP_PATH, signIn, token, email, accountName: found.accountName, problem }));
    if (password === null) return show(200, undefined);
    const problem = newPasswordProblem(password, email);
    if (problem !== undefined) return show(400, `This password ${problem}.`);
    const id = newUserId();
    try {
      // False if the user was created while the password was hashed.
      if (!(await users.add({ id, email }, password))) return hasPassword();
    } catch (error) {
      if (!(error instanceof PasswordsBusy)) throw error;
      return show(...notChecked(response, 'busy'));
    }
    // The invitation may have become invalid meanwhile; then no one can sign up with it.
    if ((await find(token)) === undefined) {
      await users.remove(id);
      return html(response, 404, problemPage(USELESS, `${origin}/`));
    }
    html(response, 200, messagePage('Password set', `Sign in as ${email} to accept the invitation.`, [signIn, 'Sign in']));
  };
}

const USELESS =
  'This invitation can’t be used: it has expired, or was withdrawn, replaced or accepted, or the link is incomplete. Ask for a new invitation.';
const NOT_MAILED = 'To accept this invitation, you must be registered here. The person who invited you can ask the operator to register';
