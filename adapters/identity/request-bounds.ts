// Limits on requests to the OpenID provider: the length of parameters, and the number of requests a minute for each user or, without a session, for
// each address.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressGroup } from '../../core/limits/address.ts';
import { createMinuteBudget } from '../../core/limits/windows.ts';

/** Maximum length of each parameter, in characters: some are stored until the user has signed in. */
const MAX_PARAMETER_LENGTH = 1_024;
/**
 * Enough for a whole office that signs in at nine: each person sends some three requests, and two to the sign-in page, which are counted
 * separately.
 */
const REQUESTS_PER_MINUTE = 120;
/** Maximum number of addresses, and of users, that are counted at a time. */
const REMEMBERED = 50_000;
/** Public documents, the same for every client. */
const DOCUMENTS = ['/.well-known/openid-configuration', '/jwks'];

export interface RequestRefusal {
  readonly status: 400 | 429;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestBounds {
  /**
   * Counts a request, for its user if it has a session, otherwise for its address.
   *
   * @param path below the provider's prefix, including the query
   * @returns undefined if the request is allowed
   */
  refusalOf(request: IncomingMessage, response: ServerResponse, path: string, address: string): Promise<RequestRefusal | undefined>;
  /**
   * Counts a request to the sign-in page for its address, with or without a session: each may cost a password check.
   *
   * @returns seconds until the next request is allowed; 0 if this one is
   */
  signInWaitSeconds(address: string): number;
}

/**
 * Creates the limits: 120 requests a minute for each user, each address, and each address on the sign-in page.
 *
 * @param userOf returns the id of the user whose valid session the request carries, if any
 */
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
