// The provider's cookies. A page at a sibling host name can set cookies for the whole registered domain, which may be sent before ours (RFC 6265,
// section 8.6). Browsers enforce the prefix of a cookie's name (RFC 6265bis, section 4.1.3): they accept `__Host-` only from this host.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const BROWSER_BYTES = 16;

/** Returns the names of the library's cookies. @param secure whether the origin is https: otherwise, browsers reject prefixes */
export function cookieNames(secure: boolean) {
  if (!secure) return { session: '_session', interaction: '_interaction', resume: '_interaction_resume' };
  // The library restricts each of the other two to a path, which `__Host-` does not permit. `browserOf` protects them.
  return { session: '__Host-petstore_session', interaction: '__Secure-petstore_interaction', resume: '__Secure-petstore_resume' };
}

/** One year, because without the cookie, two tabs that start at the same time would get different ids. */
const BROWSER_SECONDS = 365 * 86_400;

const browserCookie = (secure: boolean) => (secure ? '__Host-petstore_browser' : 'petstore_browser');

/** Returns the id of the browser, from a cookie that only this host can have set. A sign-in belongs to the browser that began it. */
export function browserOf({ headers }: IncomingMessage, secure: boolean): string | undefined {
  return new RegExp(`(?:^|; *)${browserCookie(secure)}=([\\w-]{22})(?:;|$)`).exec(headers.cookie ?? '')?.[1];
}

/** Gives the browser a new id, in a cookie. @returns the id */
export function newBrowser(response: ServerResponse, secure: boolean): string {
  const id = randomBytes(BROWSER_BYTES).toString('base64url');
  const attributes = `Path=/; Max-Age=${BROWSER_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  response.setHeader('set-cookie', `${browserCookie(secure)}=${id}; ${attributes}`);
  return id;
}

// Remembers browsers from which a user has signed in, with a signed cookie in each. Their sign-in attempts are counted separately from those of
// strangers who guess the user's password. The cookie grants no access, only attempts of its own.

const COOKIE_PREFIX = 'petstore_device_';
/** One year: browsers don't store cookies for much longer. */
const LIFETIME_SECONDS = 365 * 86_400;
const ID_BYTES = 16;

export interface KnownDevices {
  /** Returns the user's device that a cookie with a valid signature names; undefined if there is none. @param cookies the Cookie header */
  deviceOf(userId: string, cookies: string | undefined): string | undefined;
  /** Returns the Set-Cookie header that makes a device known; creates a new device if `device` is undefined. */
  cookieFor(userId: string, device: string | undefined): string;
}

/** Creates the signer of device cookies. @param secret must survive restarts @param secure whether they are restricted to HTTPS */
export function createKnownDevices(secret: string, secure: boolean): KnownDevices {
  const signature = (userId: string, device: string) => createHmac('sha256', secret).update(`device\n${userId}\n${device}`).digest();
  return {
    deviceOf: (userId, cookies) => {
      // Checks every cookie of this name, because a page at a sibling host name may have set one that is sent first. Earlier releases used no prefix.
      const values = (cookies ?? '').matchAll(new RegExp(`(?:^|; *)(?:__Secure-)?${COOKIE_PREFIX}${userId}=([\\w-]+)\\.([\\w-]+)`, 'g'));
      return [...values].find(([, device = '', signed = '']) => {
        const [given, expected] = [Buffer.from(signed, 'base64url'), signature(userId, device)];
        return given.length === expected.length && timingSafeEqual(given, expected);
      })?.[1];
    },
    cookieFor: (userId, device = randomBytes(ID_BYTES).toString('base64url')) => {
      const name = `${secure ? '__Secure-' : ''}${COOKIE_PREFIX}${userId}`;
      const value = `${device}.${signature(userId, device).toString('base64url')}`;
      return `${name}=${value}; Path=/oidc/sign-in; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    },
  };
}
