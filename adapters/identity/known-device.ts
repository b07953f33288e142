// Remembers browsers from which a user has signed in, with a signed cookie in each. Their sign-in attempts are counted separately from those by
// strangers who guess the user's password. The cookie grants no access, only a separate allowance of attempts.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const COOKIE_PREFIX = 'petstore_device_';
/** One year: browsers don't store cookies for much longer. */
const LIFETIME_SECONDS = 365 * 86_400;
const ID_BYTES = 16;

export interface KnownDevices {
  /**
   * Returns the request's device if the user has signed in from it. Another user's cookie, or one with a wrong signature, is ignored.
   *
   * @param cookies the request's Cookie header
   */
  deviceOf(userId: string, cookies: string | undefined): string | undefined;
  /** Returns the Set-Cookie header that makes a device known; creates a new device if undefined. */
  cookieFor(userId: string, device: string | undefined): string;
}

/**
 * Creates the signer and verifier of device cookies.
 *
 * @param secret signing key; must survive restarts for devices to stay known
 * @param secure whether cookies are restricted to HTTPS
 */
export function createKnownDevices(secret: string, secure: boolean): KnownDevices {
  const signature = (userId: string, device: string) => createHmac('sha256', secret).update(`device\n${userId}\n${device}`).digest();
  return {
    deviceOf: (userId, cookies) => {
      // Every cookie of the name: a page of a sibling name may have set another one, which is sent first. Without a prefix, it is from an earlier release.
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
