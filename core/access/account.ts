// Accounts and the records of their keys.

import type { Ban } from '../limits/ban.ts';
import { type ActionRefusal, refused } from '../refusal.ts';
import { isBlank } from '../text.ts';
import { type RandomBytes, randomBase62 } from './base62.ts';
import type { Limits, PlanName } from './plans.ts';
import type { Scope } from './scopes.ts';

export const ACCOUNT_ID_PREFIX = 'acc_';
/** Base62 characters after the prefix: 59 bits, made unique by a conditional write. */
export const ACCOUNT_ID_LENGTH = 10;

/** Keys that an account may have at a time; ten keep its usage item under 1 KB, one DynamoDB write unit. */
export const MAX_KEYS_PER_ACCOUNT = 10;

/** Days that a key may be given to live, and that both keys may be good after a rotation. */
export const MAX_KEY_LIFETIME_DAYS = 3_650;
export const MAX_GRACE_DAYS = 30;

/** A key without an expiry is stored with this one: 9999-12-31T23:59:59.999Z. */
export const NEVER = 253_402_300_799_999;

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A key as it is stored: its digest, never its text. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly digest: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  /** Milliseconds since 1970; from then on the key is refused. NEVER if it does not expire. */
  readonly expiresAt: number;
  /** The beginning of the minute in which storage last admitted a request with it. Undefined: of none yet. Milliseconds since 1970. */
  readonly lastUsedAt?: number;
  /** Id of the key that replaces it, once it has been rotated. */
  readonly successor?: string;
  /** The key's last ban, also one that has ended or was lifted. Undefined: it has had none. */
  readonly ban?: Ban;
}

export function newAccountId(randomBytes: RandomBytes): string {
  return ACCOUNT_ID_PREFIX + randomBase62(ACCOUNT_ID_LENGTH, randomBytes);
}

/** Code points of a name for people. */
export const MAX_NAME_LENGTH = 100;

/** A name for people: 1 to 100 characters, not blank, no control characters. */
export function isDisplayName(name: string): boolean {
  return !isBlank(name) && [...name].length <= MAX_NAME_LENGTH && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

/** @returns undefined if it is a name for people */
export function nameRefusal(name: string): ActionRefusal | undefined {
  if (isDisplayName(name)) return undefined;
  return refused(
    'invalid_request',
    `name: got ${JSON.stringify(name)}; allowed: 1 to ${MAX_NAME_LENGTH} characters, not blank, no control characters`,
  );
}
