// A key as clients see it, without its text. The control API's schema describes each property.

import { isInForce } from '../limits/ban.ts';
import { DAY_MS } from '../limits/windows.ts';
import type { Awaitable } from '../ports.ts';
import { type KeyRecord, NEVER, OPERATOR, type RevokedKey } from './account.ts';

/** A key expires soon if at most this many milliseconds of its lifetime are left. */
const SOON_MS = 7 * DAY_MS;

/** Returns a user's email address; undefined if it is not known here. */
export type EmailOf = (userId: string) => string | undefined;

/** Returns a view with users' addresses. `view` is called twice, first to find out whose addresses are needed. @param directory looks up addresses */
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

/** Returns the view of a key. @param now milliseconds since 1970 */
export function keyView(key: KeyRecord, now: number, emailOf: EmailOf) {
  const { expiresAt, successor, pausedAt, ban } = key;
  const expired = expiresAt <= now;
  const paused = !expired && pausedAt !== undefined;
  const banned = !expired && isInForce(ban, now);
  return {
    ...factsOf(key, emailOf),
    state: expired ? ('expired' as const) : paused ? ('paused' as const) : banned ? ('banned' as const) : ('active' as const),
    expiresAt: expiresAt === NEVER ? null : new Date(expiresAt).toISOString(),
    expiresSoon: !expired && successor === undefined && expiresAt <= now + SOON_MS,
    successorId: successor ?? null,
    pausedAt: paused ? new Date(pausedAt).toISOString() : null,
    bannedUntil: banned ? new Date(ban.until).toISOString() : null,
  };
}

/** Returns the view of a revoked key. */
export function revokedKeyView(key: RevokedKey, emailOf: EmailOf) {
  const { at, by } = key.revoked;
  return { ...factsOf(key, emailOf), revokedAt: new Date(at).toISOString(), revokedBy: actorView(by, emailOf) };
}

function factsOf({ id, name, hint, scopes, createdAt, createdBy, lastUsedAt }: Omit<KeyRecord, 'digest'>, emailOf: EmailOf) {
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

function actorView(by: string, emailOf: EmailOf) {
  return by === OPERATOR ? { userId: null, email: null } : { userId: by, email: emailOf(by) ?? null };
}
