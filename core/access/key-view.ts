// A key as clients see it, without its text.

import { isInForce } from '../limits/ban.ts';
import { DAY_MS } from '../limits/windows.ts';
import type { Awaitable } from '../ports.ts';
import { type KeyRecord, NEVER, OPERATOR, type RevokedKey } from './account.ts';
import type { Scope } from './plans.ts';

/** A key expires soon if this is left of its life, in milliseconds. */
const SOON_MS = 7 * DAY_MS;

/** A user, or the operator. */
export interface ActorView {
  /** Null: the operator. */
  readonly userId: string | null;
  /** Null if it is not known here. */
  readonly email: string | null;
}

/** Returns a user's email address; undefined if it is not known here. */
export type EmailOf = (userId: string) => string | undefined;

/**
 * Returns a view with users' addresses. It is called twice, first to learn whose addresses it needs.
 *
 * @param directory knows the addresses
 */
export async function withEmails<T>(
  directory: { emailOf(userId: string): Awaitable<string | undefined> },
  view: (emailOf: EmailOf) => T,
): Promise<T> {
  const asked = new Set<string>();
  view((userId) => void asked.add(userId));
  const known = await Promise.all([...asked].map(async (userId) => [userId, await directory.emailOf(userId)] as const));
  const addresses = new Map(known);
  return view((userId) => addresses.get(userId));
}

interface KeyFacts {
  readonly keyId: string;
  readonly name: string;
  /** Start and end of its text. Null for keys issued before hints were stored. */
  readonly hint: string | null;
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** Null for keys issued before this was stored. */
  readonly createdBy: ActorView | null;
  /** ISO 8601, to the minute. Null if the key has not been used. */
  readonly lastUsedAt: string | null;
}

export interface KeyView extends KeyFacts {
  /** A banned key is valid but refused until its ban ends; a paused key until it is resumed. */
  readonly state: 'active' | 'paused' | 'banned' | 'expired';
  /** ISO 8601. Null if the key does not expire. */
  readonly expiresAt: string | null;
  /** Whether a valid key expires within seven days and has no successor. */
  readonly expiresSoon: boolean;
  /** Id of the successor, once the key has been rotated. */
  readonly successorId: string | null;
  /** ISO 8601. Null if the key is not paused, or has expired. */
  readonly pausedAt: string | null;
  /** ISO 8601. Null if no ban is in force. */
  readonly bannedUntil: string | null;
}

export interface RevokedKeyView extends KeyFacts {
  /** ISO 8601. */
  readonly revokedAt: string;
  readonly revokedBy: ActorView;
}

/** Returns the view of a key. @param now milliseconds since 1970 */
export function keyView(key: KeyRecord, now: number, emailOf: EmailOf): KeyView {
  const { expiresAt, successor, pausedAt, ban } = key;
  const expired = expiresAt <= now;
  const paused = !expired && pausedAt !== undefined;
  const banned = !expired && isInForce(ban, now);
  return {
    ...factsOf(key, emailOf),
    state: expired ? 'expired' : paused ? 'paused' : banned ? 'banned' : 'active',
    expiresAt: expiresAt === NEVER ? null : new Date(expiresAt).toISOString(),
    expiresSoon: !expired && successor === undefined && expiresAt <= now + SOON_MS,
    successorId: successor ?? null,
    pausedAt: paused ? new Date(pausedAt).toISOString() : null,
    bannedUntil: banned ? new Date(ban.until).toISOString() : null,
  };
}

/** Returns the view of a revoked key. */
export function revokedKeyView(key: RevokedKey, emailOf: EmailOf): RevokedKeyView {
  const { at, by } = key.revoked;
  return { ...factsOf(key, emailOf), revokedAt: new Date(at).toISOString(), revokedBy: actorView(by, emailOf) };
}

function factsOf({ id, name, hint, scopes, createdAt, createdBy, lastUsedAt }: Omit<KeyRecord, 'digest'>, emailOf: EmailOf): KeyFacts {
  return {
    keyId: id,
    name,
    hint: hint ?? null,
    scopes,
    createdAt: new Date(createdAt).toISOString(),
    createdBy: createdBy === undefined ? null : actorView(createdBy, emailOf),
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
  };
}

function actorView(by: string, emailOf: EmailOf): ActorView {
  return by === OPERATOR ? { userId: null, email: null } : { userId: by, email: emailOf(by) ?? null };
}
