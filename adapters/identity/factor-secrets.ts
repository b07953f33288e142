// Seals the secrets of authenticator apps, and digests recovery codes, with a key that is not in the database: a copy of that file lets no one sign in.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '../../core/identity/factors.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Crockford's base32 without letters that look like digits, in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** In characters of five bits: 50 bits, as people type them. */
const CODE_LENGTH = 10;

export interface FactorSecrets {
  /** Seals a secret for its user. */
  seal(userId: string, secret: string): Uint8Array;
  /** Opens it; undefined if it was sealed with another key or for another user. */
  open(userId: string, sealed: Uint8Array): string | undefined;
  /** The digest of a recovery code, as its user typed it. */
  digest(userId: string, code: string): string;
}

/** @param secret of the installation, which must survive restarts */
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

/** Makes recovery codes such as `3k8wz-q0hx7`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const code = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
  });
}

/** Whether a text may be a recovery code, and not one of an authenticator app. */
export function isRecoveryCode(text: string): boolean {
  return normal(text).length === CODE_LENGTH;
}

/** Letters that are mistaken for digits are digits. */
function normal(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
