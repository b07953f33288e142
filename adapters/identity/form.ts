// Reads a form sent by a browser (application/x-www-form-urlencoded), up to a size limit.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressGroup } from '../../core/limits/address.ts';
import { createMinuteBudget } from '../../core/limits/windows.ts';
import { html, problemPage } from './sign-in-page.ts';

/** Reads the form, up to a size. @returns `gone` if the client disconnected before it was complete, so no response is possible */
async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams | 'too large' | 'gone'> {
  // A form whose declared length is too large is refused unread.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Keeps the request open, so that it can still be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) return 'too large';
      chunks.push(chunk);
    }
  } catch {
    // The only cause is a closed connection.
    return 'gone';
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/** Maximum size of a form, in bytes; browsers send about 3,000 for a passkey. */
const MAX_FORM_BYTES = 16_384;

/** Reads one of our forms. @param back URL to continue at @returns undefined if the form is too large (answered here) or the client is gone */
export async function formOf(request: IncomingMessage, response: ServerResponse, back: string): Promise<URLSearchParams | undefined> {
  const form = await readForm(request, MAX_FORM_BYTES);
  if (form === 'gone') return undefined;
  if (form !== 'too large') return form;
  response.setHeader('connection', 'close');
  html(response, 413, problemPage(`The form is too large: at most ${MAX_FORM_BYTES} bytes.`, back));
  return undefined;
}

/** Whether one of our pages sent a form. Cookies are no proof: browsers also send them with sibling hosts' forms. @param origin our pages' origin */
export function isFromHere({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  // Browsers from before 2023, and those that use plain HTTP to host names, don't send it; nor do other programs, whose cookies no page can use.
  return headers.origin === undefined || headers.origin === origin;
}

// Limits on requests to the OpenID provider: the length of parameters, and the number of requests a minute for each user or, without a session, for
// each address.

/** Maximum length of each parameter, in characters: some are stored until the user has signed in. */
const MAX_PARAMETER_LENGTH = 1_024;
/** Enough for an office that signs in at nine: each person sends three requests, and two to the sign-in page, which are counted separately. */
const REQUESTS_PER_MINUTE = 120;
/** Maximum number of addresses, and of users, that are counted at a time. */
const REMEMBERED = 50_000;
/** Paths of public documents, the same for every client. */
const DOCUMENTS = ['/.well-known/openid-configuration', '/jwks'];

export interface RequestRefusal {
  readonly status: 400 | 429;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestBounds {
  /** Counts a request, for its user if it has a session, otherwise for its address. @returns undefined if it is allowed */
  refusalOf(request: IncomingMessage, response: ServerResponse, path: string, address: string): Promise<RequestRefusal | undefined>;
  /** Counts, for its address, a request to the sign-in page, which may cost a password check. @returns seconds to wait; 0 if it is allowed */
  signInWaitSeconds(address: string): number;
}

/** Creates the limits. @param userOf returns the id of the user whose valid session a request carries, if any */
export function createRequestBounds(
  userOf: (request: IncomingMessage, response: ServerResponse) => Promise<string | undefined>,
  clock: () => number,
): RequestBounds {
  const budgets = { user: newBudget(), address: newBudget(), signIn: newBudget() };
  return {
    refusalOf: async (request, response, path, address) => {
      const [pathname = '', query] = path.split('?', 2);
      for (const [name, { length }] of new URLSearchParams(query)) {
        if (length <= MAX_PARAMETER_LENGTH) continue;
        const message = `${name.slice(0, 100)}: got ${length} characters; allowed: at most ${MAX_PARAMETER_LENGTH}`;
        return { status: 400, message, headers: {} };
      }
      if (DOCUMENTS.includes(pathname)) return undefined;
      const user = await userOf(request, response);
      const retryAfterSeconds = user === undefined ? budgets.address.take(addressGroup(address), clock()) : budgets.user.take(user, clock());
      if (retryAfterSeconds === 0) return undefined;
      const message = `too many requests from this ${user === undefined ? 'address' : 'user'}; try again in ${retryAfterSeconds} s`;
      return { status: 429, message, headers: { 'retry-after': String(retryAfterSeconds) } };
    },
    signInWaitSeconds: (address) => budgets.signIn.take(addressGroup(address), clock()),
  };
}

function newBudget() {
  return createMinuteBudget(REQUESTS_PER_MINUTE, REMEMBERED);
}
