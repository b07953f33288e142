// One-time codes of an authenticator app (TOTP, RFC 6238): six digits, SHA-1 and a new code every 30 seconds, which all apps support.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import { RECOVERY_CODES } from '../../core/identity/factors.ts';

const PERIOD_SECONDS = 30;
/** RFC 4226, section 4, R6. */
const SECRET_BYTES = 20;
/** How many steps before and after the current one are accepted: clocks differ, and people type slowly (RFC 6238, section 5.2). */
const WINDOW = 1;

export interface NewAuthenticator {
  /** The secret in base32, for apps that can't scan the QR code. */
  readonly secret: string;
  /** The QR code, as an image. */
  readonly svg: string;
}

const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: 'Petstore', label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) });

/** Creates a secret. @param label names its user in the app */
export function newAuthenticator(label: string, secret = new Secret({ size: SECRET_BYTES }).base32): NewAuthenticator {
  return { secret, svg: renderSVG(totpOf(secret, label).toString(), { border: 4 }) };
}

/** Returns the time step that a code belongs to; undefined if the code is wrong. @param now milliseconds since 1970 */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const token = code.replace(/\s/g, '');
  const delta = /^[0-9]{6}$/.test(token) ? totpOf(secret).validate({ token, timestamp: now, window: WINDOW }) : null;
  return delta === null ? undefined : Math.floor(now / 1_000 / PERIOD_SECONDS) + delta;
}

// Seals authenticator apps' secrets, and digests recovery codes, with a key outside the database, so a copy of the database is not enough to sign in.

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Crockford's base32 without letters that look like digits, in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Length in characters of five bits each: 50 bits in all, short enough to type. */
const CODE_LENGTH = 10;

export interface FactorSecrets {
  /** Seals a secret for its user. */
  seal(userId: string, secret: string): Uint8Array;
  /** Opens a sealed secret; returns undefined if it was sealed with another key or for another user. */
  open(userId: string, sealed: Uint8Array): string | undefined;
  /** Returns the digest of a recovery code as its user typed it. */
  digest(userId: string, code: string): string;
}

/** @param secret the installation's, which must survive restarts */
export function createFactorSecrets(secret: string): FactorSecrets {
  const keyFor = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `petstore ${purpose}`, 32));
  const [sealing, digesting] = [keyFor('authenticator apps'), keyFor('recovery codes')];
  return {
    seal: (userId, text) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(userId));
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open: (userId, sealed) => {
      const bytes = Buffer.from(sealed);
      try {
        const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(userId)).setAuthTag(bytes.subarray(-TAG_BYTES));
        return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
    digest: (userId, code) =>
      createHmac('sha256', digesting)
        .update(`${userId}\n${normal(code)}`)
        .digest('base64url'),
  };
}

/** Creates recovery codes such as `3k8wz-q0hx7`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const code = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
  });
}

/** Whether the entered text has the form of a recovery code rather than of a code from an authenticator app. */
export function isRecoveryCode(text: string): boolean {
  return normal(text).length === CODE_LENGTH;
}

/** Normalizes a code: lower case, without separators, and with digits in place of the letters that look like them. */
function normal(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
