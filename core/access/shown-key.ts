// A key as programs see it: never its text.

import { type KeyRecord, NEVER } from './account.ts';
import type { Scope } from './scopes.ts';

export interface ShownKey {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly state: 'active' | 'expired';
  /** ISO 8601. */
  readonly createdAt: string;
  /** Null if it does not expire. */
  readonly expiresAt: string | null;
  /** ISO 8601, to the minute. Null if it has not been used. */
  readonly lastUsedAt: string | null;
}

/** @param now milliseconds since 1970 */
export function shownKey({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: KeyRecord, now: number): ShownKey {
  return {
    keyId: id,
    name,
    scopes,
    state: expiresAt <= now ? 'expired' : 'active',
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === NEVER ? null : new Date(expiresAt).toISOString(),
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
  };
}
