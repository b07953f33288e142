// One-time codes of an authenticator app (TOTP, RFC 6238): six digits, SHA-1, a new one every 30 seconds, which is what all apps can do.

import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

const PERIOD_SECONDS = 30;
/** RFC 4226, section 4, R6. */
const SECRET_BYTES = 20;
/** Steps before and after the current one that are accepted: clocks differ, and people type slowly (RFC 6238, section 5.2). */
const WINDOW = 1;

export interface NewAuthenticator {
  /** In base32, for apps without a camera. */
  readonly secret: string;
  /** The QR code, as an image. */
  readonly svg: string;
}

const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: 'Petstore', label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) });

/** Makes a secret. @param label whose it is, as the app shows it */
export function newAuthenticator(label: string, secret = new Secret({ size: SECRET_BYTES }).base32): NewAuthenticator {
  return { secret, svg: renderSVG(totpOf(secret, label).toString(), { border: 4 }) };
}

/** Returns the time step that a code is of; undefined if it is wrong. @param now milliseconds since 1970 */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const token = code.replace(/\s/g, '');
  const delta = /^[0-9]{6}$/.test(token) ? totpOf(secret).validate({ token, timestamp: now, window: WINDOW }) : null;
  return delta === null ? undefined : Math.floor(now / 1_000 / PERIOD_SECONDS) + delta;
}
