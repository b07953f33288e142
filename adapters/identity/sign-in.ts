// The page to sign in: what is typed there is checked, a few times and no more, and handed to the provider.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { UserStore } from '../../core/identity/ports.ts';
import { checkShares, createSignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import { readForm } from './form.ts';
import type { KnownDevices } from './known-device.ts';
import { html, problemPage, redirect, signInPage } from './sign-in-page.ts';

/** A form with an address and a password. */
const MAX_FORM_BYTES = 4_096;
/** By then those who wait for their password to be checked have had their turn. */
const BUSY_SECONDS = 5;

export interface SignInOptions {
  readonly provider: Pick<Provider, 'interactionDetails' | 'interactionFinished'>;
  readonly users: UserStore;
  readonly devices: KnownDevices;
  /** Where signing in begins. */
  readonly start: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export type SignIn = (request: IncomingMessage, response: ServerResponse, address: string) => Promise<void>;

/** Rejects with SessionNotFound without an interaction: the link is too old, or of another browser. */
export function createSignIn({ provider, users, devices, start, clock }: SignInOptions): SignIn {
  const throttle = createSignInThrottle();
  return async (request, response, address) => {
    const { uid, result, returnTo } = await provider.interactionDetails(request, response);
    const entered = result?.login?.accountId;
    if (request.method !== 'POST')
      return entered === undefined ? html(response, 200, signInPage(uid, { email: '', problem: undefined })) : redirect(response, returnTo);
    const form = await readForm(request, MAX_FORM_BYTES);
    if (form === 'gone') return;
    if (form === 'too large') {
      response.setHeader('connection', 'close');
      return html(response, 413, problemPage(`The form is larger than allowed: at most ${MAX_FORM_BYTES} bytes.`, start));
    }
    const [email, password] = [(form.get('email') ?? '').trim().toLowerCase(), form.get('password') ?? ''];
    const refuse = (status: number, problem: string, retryAfterSeconds?: number) => {
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
      html(response, status, signInPage(uid, { email, problem }));
    };
    const named = users.byEmail(email);
    // One success is enough: the second click of a double one goes on, and anything else begins anew.
    if (entered !== undefined) return redirect(response, entered === named?.id ? returnTo : start);
    // Read before the password is checked: if it is changed meanwhile, what it has opened is of the generation before.
    const generation = named && users.sessionGeneration(named.id);
    const device = named && devices.deviceOf(named.id, request.headers.cookie);
    const decision = throttle.begin({ name: email, address, device, generation }, clock());
    if (!decision.allowed) {
      const { retryAfterSeconds } = decision;
      return refuse(429, `Too many attempts. Try again in ${counted(Math.ceil(retryAfterSeconds / 60), 'minute')}.`, retryAfterSeconds);
    }
    const { attempt } = decision;
    const user = await users.check(email, password, checkShares(attempt)).catch((error) => {
      throttle.takeBack(attempt);
      throw error;
    });
    if (user === 'busy') {
      throttle.takeBack(attempt);
      return refuse(503, 'Too many people are signing in. Try again in a few seconds.', BUSY_SECONDS);
    }
    if (user === undefined) {
      throttle.failed(attempt);
      return refuse(401, 'The email address or password is incorrect.');
    }
    throttle.succeeded(attempt);
    response.setHeader('set-cookie', devices.cookieFor(user.id, device));
    await provider.interactionFinished(request, response, { login: { accountId: user.id, acr: generation } }, { mergeWithLastSubmission: false });
  };
}

/** @returns such as `1 minute`, `2 minutes` */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
