// Accounts and their key records. Times are in milliseconds since 1970.

import type { Ban } from '../limits/ban.ts';
import { DAY_MS } from '../limits/windows.ts';
import { type ActionRefusal, refused } from '../refusal.ts';
import { isName } from '../text.ts';
import { type RandomBytes, randomBase62 } from './base62.ts';
import type { Limits, PlanName, Scope } from './plans.ts';

export const ACCOUNT_ID_PREFIX = 'acc_';
/** Base62 characters after the prefix: 59 bits. A conditional write ensures uniqueness. */
export const ACCOUNT_ID_LENGTH = 10;

/** Maximum number of keys per account: with ten, the account's usage item stays at 1 KB, one DynamoDB write unit, even if all are banned. */
export const MAX_KEYS_PER_ACCOUNT = 10;

/** Maximum number of days for a key's lifetime, and for a rotation's grace period. */
export const MAX_KEY_LIFETIME_DAYS = 3_650;
export const MAX_GRACE_DAYS = 30;

/** Stored as the expiry of keys that don't expire: 9999-12-31T23:59:59.999Z. */
export const NEVER = 253_402_300_799_999;

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly limits: Limits;
  readonly createdAt: number;
  /** The latest plan request by an owner. @default none */
  readonly planRequest?: PlanRequest;
  /** Set while the account is suspended. */
  readonly suspension?: Suspension;
  /** Set if its members must have signed in with a second factor. */
  readonly requiresSecondFactor?: true;
}

/** The suspension of an account by the operator: its keys are refused, its sites are not served, and its members can only read and delete. */
export interface Suspension {
  readonly since: number;
  /** Shown to the owners. */
  readonly reason: string;
}

/** The error message for requests that are refused because the account is suspended. */
export function suspendedMessage(accountId: string, { since, reason }: Suspension): string {
  return `account ${accountId} has been suspended since ${new Date(since).toISOString().slice(0, 10)}: ${reason}; contact the operator`;
}

/** Returns the refusal if the account is suspended; undefined otherwise. */
export function suspensionRefusal({ id, suspension }: Account): ActionRefusal | undefined {
  return suspension && refused('account_suspended', suspendedMessage(id, suspension));
}

/** The error message for members who have signed in without the second factor that the account requires. */
export function secondFactorMessage(accountId: string): string {
  return `account ${accountId} requires a second factor from its members; set one up under "Sign-in and security" in the dashboard, then sign in again with it`;
}

/** Returns the refusal for members who have signed in without a second factor; undefined if the account does not require one. */
export function secondFactorRefusal({ id, requiresSecondFactor }: Account): ActionRefusal | undefined {
  return requiresSecondFactor && refused('second_factor_required', secondFactorMessage(id));
}

/** An owner's request for another plan, which the operator approves or declines. */
export interface PlanRequest {
  readonly plan: PlanName;
  /** For the operator; may be empty. */
  readonly note: string;
  /** Id of the user. */
  readonly requestedBy: string;
  readonly requestedAt: number;
  /** Undefined while the request is open. */
  readonly decision?: {
    readonly approved: boolean;
    /** For the owner; may be empty. */
    readonly reason: string;
    readonly at: number;
  };
}

/** Used in place of a user's id for an operator's actions. No user has this id. */
export const OPERATOR = 'operator';

/** How long the record of a revoked key is kept, in milliseconds. */
export const REVOKED_KEPT_MS = 90 * DAY_MS;
/** How long an expired key is kept, and listed, in milliseconds. */
export const EXPIRED_KEY_KEPT_MS = 90 * DAY_MS;
/** Maximum number of revoked keys that are listed; those that were revoked earlier are left out. */
export const MAX_REVOKED_LISTED = 100;

/** A key as stored, with its digest but never its text. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly digest: string;
  readonly name: string;
  /** The start and the end of the key's text, by which its owner recognizes it. Undefined for keys issued before hints were stored. */
  readonly hint?: string;
  readonly scopes: readonly Scope[];
  /** Id of the user who issued or rotated it, or OPERATOR. Undefined for keys issued before this was stored. */
  readonly createdBy?: string;
  readonly createdAt: number;
  /** The key is refused from this time on. NEVER if it does not expire. */
  readonly expiresAt: number;
  /** Start of the minute in which storage last admitted a request with this key. Undefined if it has not been used. */
  readonly lastUsedAt?: number;
  /** Id of the successor, once the key has been rotated. */
  readonly successor?: string;
  /** When the key was paused: it is refused until it is resumed. Undefined if it is not paused. */
  readonly pausedAt?: number;
  /** The key's last ban, even if it has ended or was lifted. Undefined if it has never been banned. */
  readonly ban?: Ban;
}

/** When a key was revoked, and by whom: the id of a user, or OPERATOR. */
export interface Revocation {
  readonly at: number;
  readonly by: string;
}

/** The record of a revoked key, without the digest, so that the key can't be admitted. */
export interface RevokedKey extends Omit<KeyRecord, 'digest' | 'successor' | 'pausedAt' | 'ban'> {
  readonly revoked: Revocation;
}

/** Generates an account id. */
export function newAccountId(randomBytes: RandomBytes): string {
  return ACCOUNT_ID_PREFIX + randomBase62(ACCOUNT_ID_LENGTH, randomBytes);
}

/** In code points. */
export const MAX_NAME_LENGTH = 100;

/** Whether this can be a display name: 1 to 100 characters, not blank, no control characters. */
export function isDisplayName(name: string): boolean {
  return isName(name, MAX_NAME_LENGTH);
}

/** Checks a display name. @returns undefined if it is valid */
export function nameRefusal(name: string): ActionRefusal | undefined {
  if (isDisplayName(name)) return undefined;
  return refused(
    'invalid_request',
    `name: got ${JSON.stringify(name)}; allowed: 1 to ${MAX_NAME_LENGTH} characters, not blank, no control characters`,
  );
}
