// The page where users change their password (given the old one), passkeys, authenticator app and recovery codes.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasSecondFactor, MOST_PASSKEYS } from '../../core/identity/factors.ts';
import { RECENT_SIGN_IN_SECONDS } from '../../core/identity/sign-in-settings.ts';
import { agentInWords, type User } from '../../core/identity/user.ts';
import { newAuthenticator, newRecoveryCodes, stepOf } from './authenticator-app.ts';
import { formOf, isFromHere } from './form.ts';
import { isRight, newPasswordProblem } from './passwords.ts';
import { appPage, COPY_SCRIPT, codesPage, messagePage, SECURITY_PATH, securityPage } from './security-pages.ts';
import { notChecked, type SignInPorts } from './sign-in.ts';
import { html, PASSKEY_SCRIPT, problemPage, redirect } from './sign-in-page.ts';

const MAX_NAME = 100;

/** The session of the browser that sends a request. */
export interface BrowserSession {
  readonly user: User;
  /** Id of the session, as in `SessionStore`. */
  readonly id: string;
  /** Not a secret, and the same for the whole session. */
  readonly uid: string;
  /** When its user last signed in, in milliseconds since 1970. */
  readonly signedInAt: number;
}

export interface SecurityOptions extends SignInPorts {
  readonly sessionOf: (request: IncomingMessage, response: ServerResponse) => Promise<BrowserSession | undefined>;
  /** Ends all of the user's sessions except this one. */
  readonly endOthers: (userId: string, sessionId: string) => Promise<void>;
  /** The origin that clients use, without a trailing slash. */
  readonly origin: string;
}

/** Creates the page's handler. Without a recent sign-in, it redirects to the dashboard, which asks for one. */
export function createSecurity({ users, factors, passkeys, secrets, checkPassword, sessionOf, endOthers, origin, clock }: SecurityOptions) {
  const start = `${origin}/`;
  return async (request: IncomingMessage, response: ServerResponse, address: string): Promise<void> => {
    const session = await sessionOf(request, response);
    if (session === undefined || session.signedInAt <= clock() - RECENT_SIGN_IN_SECONDS * 1_000) return redirect(response, `${origin}/security`);
    const { user, uid } = session;
    const { id: userId, email } = user;
    const challenge = `register ${uid}`;

    async function show(status = 200, problem?: string): Promise<void> {
      const owned = await factors.factorsOf(userId);
      const creation = await passkeys.creation(user, owned.passkeys, challenge);
      html(response, status, securityPage({ user, factors: owned, creation, start, problem }), creation && { scripts: [PASSKEY_SCRIPT] });
    }

    /** Adding a factor ends the sessions started without it. With the first factor, the user gets recovery codes. */
    async function added(): Promise<void> {
      await endOthers(userId, session?.id ?? '');
      return (await factors.factorsOf(userId)).recoveryCodes === 0 ? makeCodes() : redirect(response, SECURITY_PATH);
    }

    async function makeCodes(): Promise<void> {
      if (!hasSecondFactor(await factors.factorsOf(userId))) return show(400, 'Add a passkey or an app first.');
      const codes = newRecoveryCodes();
      await factors.setRecoveryCodes(
        userId,
        codes.map((code) => secrets.digest(userId, code)),
      );
      html(response, 200, codesPage(codes), { scripts: [COPY_SCRIPT] });
    }

    async function changePassword(form: URLSearchParams): Promise<void> {
      const [current, password] = [form.get('current') ?? '', form.get('password') ?? ''];
      const problem = newPasswordProblem(password, email);
      if (problem !== undefined) return show(400, `This password ${problem}.`);
      const agent = agentInWords(request.headers['user-agent'] ?? '');
      const generation = await users.sessionGeneration(userId);
      const outcome = await checkPassword({ name: email, password: current, userId, address, agent, device: uid, generation });
      if (outcome === 'wrong') return show(401, 'The current password is incorrect.');
      if (!isRight(outcome)) return show(...notChecked(response, outcome));
      await users.setPassword(userId, password);
      html(response, 200, messagePage('Password changed', 'You are signed out everywhere. Sign in with the new password.', [start, 'Sign in']));
    }

    async function addPasskey(form: URLSearchParams): Promise<void> {
      const name = (form.get('name') ?? '').trim().slice(0, MAX_NAME) || 'Passkey';
      const isAdded = await passkeys.register(user, name, form.get('passkey') ?? '', challenge, clock());
      return isAdded ? added() : show(400, `The passkey was not added. Try again; if you already have ${MOST_PASSKEYS}, remove one first.`);
    }

    async function confirmApp(form: URLSearchParams): Promise<void> {
      const sealed = form.get('sealed') ?? '';
      const secret = secrets.open(userId, Buffer.from(sealed, 'base64url'));
      if (secret === undefined) return redirect(response, SECURITY_PATH);
      const step = stepOf(secret, form.get('code') ?? '', clock());
      if (step === undefined)
        return html(
          response,
          400,
          appPage(newAuthenticator(email, secret), sealed, 'This code is incorrect. Check that the clock on your phone is right.'),
        );
      await factors.setTotp(userId, secrets.seal(userId, secret), step);
      return added();
    }

    const actions: Readonly<Record<string, (form: URLSearchParams) => Promise<void> | void>> = {
      password: changePassword,
      'add-passkey': addPasskey,
      'remove-passkey': async (form) => {
        await factors.removePasskey(userId, form.get('id') ?? '');
        redirect(response, SECURITY_PATH);
      },
      'set-up-app': () => {
        const made = newAuthenticator(email);
        html(response, 200, appPage(made, Buffer.from(secrets.seal(userId, made.secret)).toString('base64url')));
      },
      'confirm-app': confirmApp,
      'remove-app': async () => {
        await factors.removeTotp(userId);
        redirect(response, SECURITY_PATH);
      },
      'recovery-codes': makeCodes,
    };

    if (request.method !== 'POST') return show();
    if (!isFromHere(request, origin)) return html(response, 403, problemPage('This form was sent from another site, so nothing was changed.', start));
    const form = await formOf(request, response, SECURITY_PATH);
    const name = form?.get('action') ?? '';
    if (form === undefined) return;
    await (Object.hasOwn(actions, name) ? actions[name]?.(form) : show(400, 'Nothing was changed. Try again.'));
  };
}
