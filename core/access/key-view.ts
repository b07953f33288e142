// A key as clients see it, without its text.

import { isInForce } from '../limits/ban.ts';
import { type KeyRecord, NEVER } from './account.ts';
import type { Scope } from './scopes.ts';

export interface KeyView {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** A banned key is valid but refused until its ban ends. */
  readonly state: 'active' | 'banned' | 'expired';
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. Null if the key does not expire. */
  readonly expiresAt: string | null;
  /** ISO 8601. Null if no ban is in force. */
  readonly bannedUntil: string | null;
  /** ISO 8601, to the minute. Null if the key has not been used. */
  readonly lastUsedAt: string | null;
}

/** Returns the view of a key. @param now milliseconds since 1970 */
export function keyView({ id, name, scopes, createdAt, expiresAt, lastUsedAt, ban }: KeyRecord, now: number): KeyView {
  const expired = expiresAt <= now;
  const banned = !expired && isInForce(ban, now);
  return {
    keyId: id,
    name,
    scopes,
    state: expired ? 'expired' : banned ? 'banned' : 'active',
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === NEVER ? null : new Date(expiresAt).toISOString(),
    bannedUntil: banned ? new Date(ban.until).toISOString() : null,
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
  };
}
