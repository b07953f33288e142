// The provider's cookies. A page of a sibling name can set cookies for the whole registered domain, and they may be sent first (RFC 6265, section 8.6).
// Browsers accept a name with a prefix (RFC 6265bis, section 4.1.3) only as it says: `__Host-` from this host alone.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const BROWSER_BYTES = 16;

/**
 * Returns the library's names of its cookies.
 *
 * @param secure whether the origin is https. Browsers refuse the prefixes otherwise, and a loopback address has no siblings
 */
export function cookieNames(secure: boolean) {
  if (!secure) return { session: '_session', interaction: '_interaction', resume: '_interaction_resume' };
  // The library gives the other two a path each, which `__Host-` does not permit. `browserOf` protects them.
  return { session: '__Host-petstore_session', interaction: '__Secure-petstore_interaction', resume: '__Secure-petstore_resume' };
}

/** One year: two tabs that begin at once for the first time would each get another id. */
const BROWSER_SECONDS = 365 * 86_400;

const browserCookie = (secure: boolean) => (secure ? '__Host-petstore_browser' : 'petstore_browser');

/**
 * Returns the id of the browser that sends the request, from a cookie that only this host can have set. A sign-in belongs to the browser that began it,
 * so that no one can hand over theirs.
 */
export function browserOf({ headers }: IncomingMessage, secure: boolean): string | undefined {
  return new RegExp(`(?:^|; *)${browserCookie(secure)}=([\\w-]{22})(?:;|$)`).exec(headers.cookie ?? '')?.[1];
}

/** Makes the browser known. @returns its id */
export function newBrowser(response: ServerResponse, secure: boolean): string {
  const id = randomBytes(BROWSER_BYTES).toString('base64url');
  const attributes = `Path=/; Max-Age=${BROWSER_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  response.setHeader('set-cookie', `${browserCookie(secure)}=${id}; ${attributes}`);
  return id;
}
