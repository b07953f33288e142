// Browsers that a user has signed in from, by a signed cookie that each keeps: strangers who guess at the user's password count apart
// from them. The cookie opens nothing; it only has a few attempts of its own.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const COOKIE_PREFIX = 'petstore_device_';
/** A year: browsers keep cookies little longer. */
const LIFETIME_SECONDS = 365 * 86_400;
const ID_BYTES = 16;

export interface KnownDevices {
  /**
   * The device of the request, if the user has signed in from it. A cookie of another user or with a wrong signature is none.
   *
   * @param cookies the request's Cookie header
   */
  deviceOf(userId: string, cookies: string | undefined): string | undefined;
  /** The Set-Cookie header that makes a device known; without a device a new one. */
  cookieFor(userId: string, device: string | undefined): string;
}

/**
 * @param secret signs; one that survives a restart, so that devices do too
 * @param secure may cookies go over HTTPS alone?
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
