// Resets a forgotten password with an emailed link. The answer is sent before the address is looked up, so it can't reveal whether a user has it.

import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RandomBytes } from '../../core/access/base62.ts';
import { quotes } from '../../core/domains/printable.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import type { SignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import { agentInWords, LONGEST_ADDRESS, normalEmail } from '../../core/identity/user.ts';
import type { Message } from '../../core/notifications/layout.ts';
import { resetMessage } from '../../core/notifications/personal-messages.ts';
import { type Mailer, MailRefusal } from '../../core/notifications/ports.ts';
import type { KnownDevices } from './cookies.ts';
import { formOf } from './form.ts';
import { newPasswordProblem, PasswordsBusy } from './passwords.ts';
import { forgotPage, messagePage, RESET_PATH, RESET_SCRIPT, resetPage } from './security-pages.ts';
import { notChecked } from './sign-in.ts';
import type { SignInLog } from './sign-in-log.ts';
import { FORGOT_PATH, html, problemPage } from './sign-in-page.ts';

const TOKEN_BYTES = 24;
/** How long a link is valid, in milliseconds. */
const RESET_MS = 30 * 60_000;
/** After how long a message that was not accepted is sent again, in milliseconds: all within the link's life. */
const RETRIES_MS: readonly number[] = [1, 5, 10].map((minutes) => minutes * 60_000);
/** Returns the digest of a link's token, which is stored instead of the token. */
const resetDigest = (token: string) => hash('sha256', token, 'base64url');
/** Maximum pause before the address is looked up, in milliseconds: without a pause, further requests could measure how long the lookup takes. */
const PAUSE_MS = 10_000;

export interface ResetOptions {
  readonly users: UserStore;
  /** @default undefined: this installation sends no emails */
  readonly mailer: Mailer | undefined;
  readonly devices: KnownDevices;
  readonly log: SignInLog;
  /** Limits messages by recipient and by client address; separate from sign-in's throttle. */
  readonly throttle: SignInThrottle;
  /** The origin that clients use, without a trailing slash. */
  readonly origin: string;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Logs what became of a message. Never gets a link. */
  readonly warn: (message: string, detail: { readonly reason: string }) => void;
  readonly onFault: (error: unknown) => void;
}

const SENT = 'If this address belongs to a user, we’re sending it a link. The link works once, within 30 minutes. Check your spam folder, too.';
const NO_MAIL = 'This installation sends no emails. Ask its operator for a new password.';
const USELESS = 'This link has expired, has already been used, or is incomplete. Request a new one.';

/** Returns why a message was not accepted, without the server's answer if it quotes the link. */
function reasonOf(error: unknown, token: string): string {
  const reason = error instanceof Error ? error.message : String(error);
  return quotes(reason, token) ? `${/^SMTP [A-Z ]+:[a-z' :-]* \d{3}\b/i.exec(reason)?.[0] ?? 'refused'} …` : reason;
}

/** Creates the handlers of both pages. */
export function createReset({ users, mailer, devices, log, throttle, origin, randomBytes, clock, warn, onFault }: ResetOptions) {
  const start = `${origin}/`;

  const useless = (response: ServerResponse) => html(response, 404, problemPage(USELESS, `${origin}${FORGOT_PATH}`));

  async function sendLink(email: string, who: { readonly address: string; readonly agent: string }, mailer: Mailer): Promise<void> {
    const user = await users.byEmail(email);
    if (user === undefined) return;
    log.unsuccessful({ ...who, action: 'sign_in.reset_requested', userId: user.id });
    const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
    if (!(await users.addReset(user.id, resetDigest(token), clock(), clock() + RESET_MS))) return;
    await send(mailer, resetMessage(user.email, `${origin}${RESET_PATH}#${token}`), token);
  }

  async function send(mailer: Mailer, message: Message, token: string, [pause, ...later] = RETRIES_MS): Promise<void> {
    try {
      await mailer.send(message);
    } catch (error) {
      const isLast = pause === undefined || (error instanceof MailRefusal && error.isPermanent);
      const next = isLast ? 'and is not sent again' : `and is sent again in ${pause / 60_000} min`;
      warn(`a link for a new password was not accepted, ${next}`, { reason: reasonOf(error, token) });
      if (isLast) return;
      const again = async () => {
        if ((await users.userOfReset(resetDigest(token), clock())) !== undefined) await send(mailer, message, token, later);
      };
      setTimeout(() => void again().catch(onFault), pause).unref();
    }
  }

  return {
    forgot: async (request: IncomingMessage, response: ServerResponse, address: string): Promise<void> => {
      if (mailer === undefined) return html(response, 200, messagePage('Forgot your password?', NO_MAIL, [start, 'Back to sign-in']));
      if (request.method !== 'POST') return html(response, 200, forgotPage(FORGOT_PATH, start));
      const form = await formOf(request, response, start);
      if (form === undefined) return;
      html(response, 200, messagePage('Check your email', SENT, [start, 'Back to sign-in']));
      const email = normalEmail(form.get('email') ?? '').slice(0, LONGEST_ADDRESS);
      if (!throttle.begin({ name: email, address }, clock()).allowed) return;
      const who = { address, agent: agentInWords(request.headers['user-agent'] ?? '') };
      setTimeout(() => void sendLink(email, who, mailer).catch(onFault), Math.random() * PAUSE_MS).unref();
    },

    reset: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const show = (status: number, token: string, problem?: string) =>
        html(response, status, resetPage(token, problem), { scripts: [RESET_SCRIPT] });
      if (request.method !== 'POST') return show(200, '');
      const form = await formOf(request, response, start);
      if (form === undefined) return;
      const [token, password] = [form.get('token') ?? '', form.get('password') ?? ''];
      const user = await users.userOfReset(resetDigest(token), clock());
      if (user === undefined) return useless(response);
      const problem = newPasswordProblem(password, user.email);
      if (problem !== undefined) return show(400, token, `This password ${problem}.`);
      try {
        if (!(await users.resetPassword(resetDigest(token), password, clock()))) return useless(response);
      } catch (error) {
        if (!(error instanceof PasswordsBusy)) throw error;
        const [status, busy] = notChecked(response, 'busy');
        return show(status, token, busy);
      }
      // Otherwise, strangers who use up all attempts for the name would lock the user out.
      response.setHeader('set-cookie', devices.cookieFor(user.id, undefined));
      html(response, 200, messagePage('Password set', 'You are signed out everywhere. Sign in with the new password.', [start, 'Sign in']));
    },
  };
}
