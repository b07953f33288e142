// The sign-in page: checks the submitted password, limits attempts, and passes the result to the provider.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { UserStore } from '../../core/identity/ports.ts';
import { checkShares, createSignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import { readForm } from './form.ts';
import type { KnownDevices } from './known-device.ts';
import { html, problemPage, redirect, signInPage } from './sign-in-page.ts';

/** Maximum size of a form with an email address and a password. */
const MAX_FORM_BYTES = 4_096;
/** By then all password checks that are waiting now have finished. */
const BUSY_SECONDS = 5;

export interface SignInOptions {
  readonly provider: Pick<Provider, 'interactionDetails' | 'interactionFinished'>;
  readonly users: UserStore;
  readonly devices: KnownDevices;
  /** Id of the client that is the command line. */
  readonly commandLine: string;
  /** URL where signing in begins. */
  readonly start: string;
  /** Paths of files to load while the user types. */
  readonly prefetch: readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export type SignIn = (request: IncomingMessage, response: ServerResponse, address: string) => Promise<void>;

/** Creates the page's handler. The handler rejects with SessionNotFound if the link has expired or belongs to another browser. */
export function createSignIn({ provider, users, devices, commandLine, start, prefetch, clock }: SignInOptions): SignIn {
  const throttle = createSignInThrottle();
  return async (request, response, address) => {
    const { uid, result, returnTo, params } = await provider.interactionDetails(request, response);
    const entered = result?.login?.accountId;
    const forCommandLine = params.client_id === commandLine;
    const formWith = (name: string, problem: string | undefined) =>
      signInPage(uid, { email: name, problem, forCommandLine, prefetch: forCommandLine ? [] : prefetch });
    if (request.method !== 'POST')
      return entered === undefined ? html(response, 200, formWith('', undefined), forCommandLine) : redirect(response, returnTo);
    const form = await readForm(request, MAX_FORM_BYTES);
    if (form === 'gone') return;
    if (form === 'too large') {
      response.setHeader('connection', 'close');
      return html(response, 413, problemPage(`The form is too large: at most ${MAX_FORM_BYTES} bytes.`, start));
    }
    const [email, password] = [(form.get('email') ?? '').trim().toLowerCase(), form.get('password') ?? ''];
    const refuse = (status: number, problem: string, retryAfterSeconds?: number) => {
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
      html(response, status, formWith(email, problem), forCommandLine);
    };
    const named = users.byEmail(email);
    // Already signed in: a double click continues, anything else starts again.
    if (entered !== undefined) return redirect(response, entered === named?.id ? returnTo : start);
    // Read before the password check: if the password changes meanwhile, the session belongs to the old generation and is not valid.
    const generation = named && users.sessionGeneration(named.id);
    const device = named && devices.deviceOf(named.id, request.headers.cookie);
    const decision = throttle.begin({ name: email, address, device, generation }, clock());
    if (!decision.allowed) {
      const { retryAfterSeconds } = decision;
      return refuse(429, `Too many attempts. Try again in ${withUnit(Math.ceil(retryAfterSeconds / 60), 'minute')}.`, retryAfterSeconds);
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
    // The page has said what it is for, so the password is the consent as well.
    const consent = forCommandLine ? { consent: {} } : {};
    const login = { accountId: user.id, acr: generation };
    await provider.interactionFinished(request, response, { login, ...consent }, { mergeWithLastSubmission: false });
  };
}

/** Returns a number with its unit, such as `1 minute` or `2 minutes`. */
export function withUnit(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
