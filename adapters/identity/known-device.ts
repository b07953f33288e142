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
      const start = `${COOKIE_PREFIX}${userId}=`;
      const pairs = (cookies ?? '').split(';').map((pair) => pair.trim());
      const [device = '', signed = ''] = (pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? '').split('.');
      const given = Buffer.from(signed, 'base64url');
      const expected = signature(userId, device);
      return device !== '' && given.length === expected.length && timingSafeEqual(given, expected) ? device : undefined;
    },
    cookieFor: (userId, device = randomBytes(ID_BYTES).toString('base64url')) => {
      const value = `${device}.${signature(userId, device).toString('base64url')}`;
      return `${COOKIE_PREFIX}${userId}=${value}; Path=/oidc/sign-in; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    },
  };
}
