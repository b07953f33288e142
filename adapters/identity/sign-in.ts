// The page to sign in: what is typed there is checked, a few times and no more, and handed to the provider.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { createSignInThrottle } from '../../core/sign-in-throttle.ts';
import type { KnownDevices } from './known-device.ts';
import { html, signInPage } from './sign-in-page.ts';
import type { UserStore } from './sqlite-users.ts';

/** A form with an address and a password. */
const MAX_FORM_BYTES = 4_096;
/** By then those who wait for their password to be checked have had their turn. */
const BUSY_SECONDS = 5;

export interface SignInOptions {
  readonly provider: Pick<Provider, 'interactionDetails' | 'interactionFinished'>;
  readonly users: UserStore;
  readonly devices: KnownDevices;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export type SignIn = (request: IncomingMessage, response: ServerResponse, address: string) => Promise<void>;

/** Rejects without an interaction: the link is too old, or of another browser. */
export function createSignIn({ provider, users, devices, clock }: SignInOptions): SignIn {
  const throttle = createSignInThrottle();
  return async (request, response, address) => {
    const { uid } = await provider.interactionDetails(request, response);
    if (request.method !== 'POST') return html(response, 200, signInPage(uid, { email: '', problem: undefined }));
    const form = new URLSearchParams(await readForm(request));
    const [email, password] = [(form.get('email') ?? '').trim().toLowerCase(), form.get('password') ?? ''];
    const refuse = (status: number, problem: string, retryAfterSeconds?: number) => {
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
      html(response, status, signInPage(uid, { email, problem }));
    };
    const named = users.byEmail(email);
    // Read before the password is checked: if it is changed meanwhile, what it has opened is of the generation before.
    const generation = named && users.sessionGeneration(named.id);
    const device = named && devices.deviceOf(named.id, request.headers.cookie);
    const decision = throttle.begin({ name: email, address, device }, clock());
    if (!decision.allowed) {
      const { retryAfterSeconds } = decision;
      return refuse(429, `Too many tries. Try again in ${Math.ceil(retryAfterSeconds / 60)} min.`, retryAfterSeconds);
    }
    const user = await users.check(email, password);
    if (user === 'busy') {
      throttle.takeBack(decision.attempt);
      return refuse(503, 'Too many people are signing in. Try again in a few seconds.', BUSY_SECONDS);
    }
    if (user === undefined) return refuse(401, 'The address or the password is not right.');
    throttle.succeeded(decision.attempt);
    response.setHeader('set-cookie', devices.cookieFor(user.id, device));
    await provider.interactionFinished(request, response, { login: { accountId: user.id, acr: generation } }, { mergeWithLastSubmission: false });
  };
}

async function readForm(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) throw new Error('the form is larger than allowed');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
