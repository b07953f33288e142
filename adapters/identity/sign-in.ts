// Signing in: a password and, for users who have one, a second factor; or a passkey alone. Limits attempts, and passes the result to the provider.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { type FactorStore, hasSecondFactor } from '../../core/identity/factors.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import type { SignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import { agentInWords, LONGEST_ADDRESS, normalEmail } from '../../core/identity/user.ts';
import { type FactorSecrets, isRecoveryCode, stepOf } from './authenticator-app.ts';
import type { KnownDevices } from './cookies.ts';
import { formOf } from './form.ts';
import type { Passkeys } from './passkeys.ts';
import { BUSY_SECONDS, type createPasswordCheck, isRight } from './passwords.ts';
import { secondStepPage } from './security-pages.ts';
import type { SignInLog } from './sign-in-log.ts';
import { html, PASSKEY_SCRIPT, redirect, signInPage, TYPEFACE_SCRIPT } from './sign-in-page.ts';

/** The ports of pages that check how a user signs in. */
export interface SignInPorts {
  readonly users: UserStore;
  readonly factors: FactorStore;
  readonly passkeys: Passkeys;
  readonly secrets: FactorSecrets;
  readonly checkPassword: ReturnType<typeof createPasswordCheck>;
  /** The machine's clock, by which codes and sign-ins expire, in milliseconds since 1970. */
  readonly clock: () => number;
}

export interface SignInOptions extends SignInPorts {
  readonly provider: Pick<Provider, 'interactionDetails' | 'interactionFinished' | 'interactionResult'>;
  readonly throttle: SignInThrottle;
  readonly devices: KnownDevices;
  readonly log: SignInLog;
  /** Whether a forgotten password can be reset with a link. */
  readonly sendsLinks: boolean;
  /** The command line's client id. */
  readonly commandLine: string;
  /** URL where signing in begins. */
  readonly start: string;
  /** Paths of files to load while the user types. */
  readonly prefetch: readonly string[];
}

export type SignIn = (request: IncomingMessage, response: ServerResponse, address: string) => Promise<void>;

/** The user who has entered the right password, and their session generation from before the check. */
interface PasswordEntered {
  readonly accountId: string;
  readonly generation: string | undefined;
}

/** The authentication methods of each kind of sign-in (RFC 8176). */
const METHODS = { password: ['pwd'], code: ['pwd', 'otp', 'mfa'], both: ['pwd', 'pop', 'mfa'], passkey: ['pop', 'user', 'mfa'] } as const;

/** Creates the page's handler. The handler rejects with SessionNotFound if the link has expired or belongs to another browser. */
export function createSignIn(options: SignInOptions): SignIn {
  const { provider, users, factors, passkeys, secrets, checkPassword, throttle, devices, log, sendsLinks, commandLine, start, prefetch, clock } =
    options;
  return async (request, response, address) => {
    const { uid, result, returnTo, params } = await provider.interactionDetails(request, response);
    const entered = result?.login?.accountId;
    const waiting = result?.password as PasswordEntered | undefined;
    const forCommandLine = params.client_id === commandLine;
    const pageOptions = { forCommandLine, scripts: [PASSKEY_SCRIPT, TYPEFACE_SCRIPT] };
    const who = { address, agent: agentInWords(request.headers['user-agent'] ?? '') };

    function show(status: number, email: string, problem?: string): void {
      const form = { email, problem, forCommandLine, prefetch: forCommandLine ? [] : prefetch, passkey: passkeys.request(uid) };
      html(response, status, signInPage(uid, form), pageOptions);
    }

    async function showSecondStep(status: number, { accountId }: PasswordEntered, problem?: string): Promise<void> {
      const { passkeys: own, totp } = await factors.factorsOf(accountId);
      const passkey = own.length > 0 ? passkeys.request(uid, own) : undefined;
      html(response, status, secondStepPage(`/oidc/sign-in/${uid}`, { problem, hasApp: totp !== undefined, passkey, start }), pageOptions);
    }

    async function finish({ accountId, generation }: PasswordEntered, amr: readonly string[]): Promise<void> {
      const method = amr.includes('pop') ? 'passkey' : amr.includes('otp') ? 'code' : 'password';
      await log.succeeded({ ...who, userId: accountId, method });
      response.setHeader('set-cookie', devices.cookieFor(accountId, devices.deviceOf(accountId, request.headers.cookie)));
      // The page has named the command line, so submitting the page also gives consent.
      const consent = forCommandLine ? { consent: {} } : {};
      const login = { accountId, acr: String(generation), amr: [...amr] };
      await provider.interactionFinished(request, response, { login, ...consent }, { mergeWithLastSubmission: false });
    }

    async function withPasskey(answer: string): Promise<void> {
      const userId = await passkeys.use(answer, uid, waiting === undefined, clock());
      const isRight = userId !== undefined && (waiting === undefined || userId === waiting.accountId);
      if (isRight && waiting !== undefined) return finish(waiting, METHODS.both);
      const generation = userId && (await users.sessionGeneration(userId));
      if (isRight && generation !== undefined) return finish({ accountId: userId, generation }, METHODS.passkey);
      log.unsuccessful({ ...who, action: 'sign_in.failed', userId: waiting?.accountId ?? userId, method: 'passkey' });
      const problem = 'This passkey was not accepted. Try again, or sign in another way.';
      return waiting === undefined ? show(401, '', problem) : showSecondStep(401, waiting, problem);
    }

    async function withCode(password: PasswordEntered, code: string): Promise<void> {
      const { accountId } = password;
      // Counted per user, whatever the client and the password, because anyone who reads the user's mail can reset the password repeatedly.
      const decision = throttle.begin({ name: `code ${accountId}`, address }, clock());
      const attempt = { ...who, userId: accountId, method: 'code' } as const;
      if (!decision.allowed) {
        log.unsuccessful({ ...attempt, action: 'sign_in.refused' });
        return showSecondStep(429, password, notChecked(response, decision)[1]);
      }
      if (await isRightCode(accountId, code)) {
        throttle.succeeded(decision.attempt);
        return finish(password, METHODS.code);
      }
      throttle.failed(decision.attempt);
      log.unsuccessful({ ...attempt, action: 'sign_in.failed' });
      return showSecondStep(401, password, 'This code is incorrect or has already been used.');
    }

    async function isRightCode(userId: string, code: string): Promise<boolean> {
      if (isRecoveryCode(code)) return factors.useRecoveryCode(userId, secrets.digest(userId, code));
      const { totp } = await factors.factorsOf(userId);
      const secret = totp && secrets.open(userId, totp);
      const step = secret && stepOf(secret, code, clock());
      return step !== undefined && step !== '' && factors.useTotp(userId, step);
    }

    async function withPassword(email: string, password: string): Promise<void> {
      const named = await users.byEmail(email);
      // Read before the password check: if the password changes meanwhile, the session belongs to the old generation and is not valid.
      const generation = named && (await users.sessionGeneration(named.id));
      const device = named && devices.deviceOf(named.id, request.headers.cookie);
      const outcome = await checkPassword({ name: email, password, userId: named?.id, device, generation, ...who });
      if (outcome === 'wrong') return show(401, email, 'The email address or password is incorrect.');
      if (!isRight(outcome)) {
        const [status, problem] = notChecked(response, outcome);
        const hint = status === 429 && sendsLinks ? ' If you don’t want to wait, use “Forgot your password?”.' : '';
        return show(status, email, `${problem}${hint}`);
      }
      const right = { accountId: outcome.id, generation };
      if (!hasSecondFactor(await factors.factorsOf(outcome.id))) return finish(right, METHODS.password);
      await provider.interactionResult(request, response, { password: right }, { mergeWithLastSubmission: false });
      return redirect(response, `/oidc/sign-in/${uid}`);
    }

    if (request.method !== 'POST') {
      if (entered !== undefined) return redirect(response, returnTo);
      return waiting === undefined ? show(200, '') : showSecondStep(200, waiting);
    }
    const form = await formOf(request, response, start);
    if (form === undefined) return;
    const email = normalEmail(form.get('email') ?? '').slice(0, LONGEST_ADDRESS);
    // If the user is already signed in, a double click continues; anything else starts again.
    if (entered !== undefined) return redirect(response, entered === (await users.byEmail(email))?.id || !form.has('email') ? returnTo : start);
    if (form.get('passkey')) return withPasskey(form.get('passkey') ?? '');
    if (waiting !== undefined && !form.has('email')) return withCode(waiting, form.get('code') ?? '');
    return withPassword(email, form.get('password') ?? '');
  };
}

/** Returns why a password was not checked, and when to retry (`4 minutes and 12 seconds`). Also sets the Retry-After header. */
export function notChecked(response: ServerResponse, outcome: 'busy' | { readonly retryAfterSeconds: number }): [status: number, problem: string] {
  const seconds = outcome === 'busy' ? BUSY_SECONDS : outcome.retryAfterSeconds;
  response.setHeader('retry-after', String(seconds));
  if (outcome === 'busy') return [503, 'Too many people are signing in. Try again in a few seconds.'];
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [minutes > 0 && withUnit(minutes, 'minute'), rest > 0 && withUnit(rest, 'second')];
  return [429, `Too many attempts. Try again in ${parts.filter(Boolean).join(' and ')}.`];
}

/** Returns a number with its unit, such as `1 minute` or `2 minutes`. */
export function withUnit(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
