// What a request to the OpenID provider may be: its parameters are short, and an address where nobody is signed in makes a few a minute.

import type { IncomingMessage } from 'node:http';
import { addressGroup } from '../../core/limits/address.ts';
import { createMinuteBudget } from '../../core/limits/minute-budget.ts';

/** Of each parameter, in characters: some of them are kept until the user has signed in. */
const MAX_PARAMETER_LENGTH = 1_024;
/** A whole office signs in at nine: each of its people makes some three requests. */
const REQUESTS_PER_MINUTE = 120;
const REMEMBERED_ADDRESSES = 50_000;
/** Documents that are the same for everybody. */
const DOCUMENTS = ['/.well-known/openid-configuration', '/jwks'];

export interface RequestRefusal {
  readonly status: 400 | 429;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestBounds {
  /**
   * Counts the request, unless it is that of a signed-in user.
   *
   * @param path below the provider's prefix, with its query
   * @returns undefined if it may be served
   */
  refusalOf(request: IncomingMessage, path: string, address: string): Promise<RequestRefusal | undefined>;
}

/** @param isSignedIn is the cookie that of a signed-in user's session? */
export function createRequestBounds(isSignedIn: (cookies: string | undefined) => Promise<boolean>, clock: () => number): RequestBounds {
  const budget = createMinuteBudget(REQUESTS_PER_MINUTE, REMEMBERED_ADDRESSES);
  return {
    refusalOf: async (request, path, address) => {
      const [pathname = '', query] = path.split('?', 2);
      for (const [name, { length }] of new URLSearchParams(query)) {
        if (length <= MAX_PARAMETER_LENGTH) continue;
        const message = `${name.slice(0, 100)}: got ${length} characters; allowed: at most ${MAX_PARAMETER_LENGTH}`;
        return { status: 400, message, headers: {} };
      }
      if (DOCUMENTS.includes(pathname) || (await isSignedIn(request.headers.cookie))) return undefined;
      const retryAfterSeconds = budget.take(addressGroup(address), clock());
      if (retryAfterSeconds === 0) return undefined;
      const message = `too many requests from this address; try again in ${retryAfterSeconds} s`;
      return { status: 429, message, headers: { 'retry-after': String(retryAfterSeconds) } };
    },
  };
}
