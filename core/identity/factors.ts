// What users sign in with besides their password, or instead of it: passkeys (WebAuthn), one-time codes from an authenticator app (TOTP, RFC 6238),
// and recovery codes in case both are lost.

import type { Awaitable } from '../ports.ts';

/** A passkey. Times are in milliseconds since 1970. */
export interface Passkey {
  /** The credential's id, in base64url. */
  readonly id: string;
  readonly userId: string;
  /** As its user named it. */
  readonly name: string;
  /** In COSE format (RFC 9052, section 7). */
  readonly publicKey: Uint8Array;
  /** The authenticator's signature counter; 0 if it does not count. */
  readonly counter: number;
  /** How browsers can reach the authenticator, such as `internal` or `usb`. */
  readonly transports: readonly string[];
  readonly createdAt: number;
  readonly usedAt: number | undefined;
}

/** A user's factors besides the password. */
export interface Factors {
  readonly passkeys: readonly Passkey[];
  /** The sealed secret shared with the authenticator app. @default none */
  readonly totp: Uint8Array | undefined;
  readonly recoveryCodes: number;
}

export const MOST_PASSKEYS = 20;
/** Number of recovery codes generated at a time. */
export const RECOVERY_CODES = 10;

/** Whether the user has a second factor, so that the password alone is not enough. */
export function hasSecondFactor({ passkeys, totp }: Factors): boolean {
  return passkeys.length > 0 || totp !== undefined;
}

/** Stores users' factors. Every method rejects or throws only StoreFault. */
export interface FactorStore {
  factorsOf(userId: string): Awaitable<Factors>;
  /** Returns the passkey with this id, of any user. */
  passkey(id: string): Awaitable<Passkey | undefined>;
  /** Stores a passkey. Returns false if its id is taken, or if the user has the maximum number. */
  addPasskey(passkey: Passkey): Promise<boolean>;
  /** Records that a passkey was used. Returns false if the stored counter is not lower: the passkey was copied, or the response replayed. */
  usePasskey(id: string, counter: number, now: number): Promise<boolean>;
  /** Removes a passkey, and the recovery codes if nothing else is left. Returns false if the user has no such passkey. */
  removePasskey(userId: string, id: string): Promise<boolean>;
  /** Stores or replaces the user's shared secret. @param step the time step of the code that confirmed the secret; the code can't be used again */
  setTotp(userId: string, secret: Uint8Array, step: number): Promise<void>;
  /** Uses the code of a time step. Returns false if this code, or a later one, was used before (RFC 6238, section 5.2). */
  useTotp(userId: string, step: number): Promise<boolean>;
  /** Removes the user's shared secret, and the recovery codes if nothing else is left. */
  removeTotp(userId: string): Promise<void>;
  /** Replaces the user's recovery codes. */
  setRecoveryCodes(userId: string, digests: readonly string[]): Promise<void>;
  /** Uses a recovery code. Returns false if there is none with this digest. */
  useRecoveryCode(userId: string, digest: string): Promise<boolean>;
  /** Removes all factors but the password, after the operator has verified the user's identity. Returns false if there were none. */
  removeAll(userId: string): Promise<boolean>;
}
