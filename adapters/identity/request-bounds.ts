// What a request to the OpenID provider may be: its parameters are short, and a user, or an address where nobody is signed in, makes a few
// a minute.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressGroup } from '../../core/limits/address.ts';
import { createMinuteBudget } from '../../core/limits/minute-budget.ts';

/** Of each parameter, in characters: some of them are kept until the user has signed in. */
const MAX_PARAMETER_LENGTH = 1_024;
/** A whole office signs in at nine: each of its people makes some three requests, and two to the page to sign in, which are counted apart. */
const REQUESTS_PER_MINUTE = 120;
/** Addresses and users that are counted at a time, of each. */
const REMEMBERED = 50_000;
/** Documents that are the same for everybody. */
const DOCUMENTS = ['/.well-known/openid-configuration', '/jwks'];

export interface RequestRefusal {
  readonly status: 400 | 429;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestBounds {
  /**
   * Counts the request: for its user if there is one, else for its address.
   *
   * @param path below the provider's prefix, with its query
   * @returns undefined if it may be served
   */
  refusalOf(request: IncomingMessage, response: ServerResponse, path: string, address: string): Promise<RequestRefusal | undefined>;
  /**
   * Counts a request to the page to sign in for its address, whoever sends it: each may cost the check of a password.
   *
   * @returns seconds until the next is served; 0 if this one may be
   */
  signInWaitSeconds(address: string): number;
}

/** @param userOf the id of the user whose session the request carries, if it is good */
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
