// Changes to a key that is in use: its name, what it permits, when it expires, and whether it is paused (docs/decisions/0007-keys-and-usage.md).

import { type ActionResult, refused } from '../refusal.ts';
import { type KeyRecord, NEVER, nameRefusal } from './account.ts';
import { expiredKey, lifetimeRefusal, noKey } from './keys.ts';
import { SCOPES, type Scope } from './plans.ts';
import type { AccountStore } from './ports.ts';

/** Maximum number of attempts if the same key is changed concurrently. */
const TRIES = 5;

/** The values to change; undefined ones stay as they are. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** Counted from now, in milliseconds; null if the key does not expire. */
  readonly lifetimeMs?: number | null | undefined;
  readonly paused?: boolean | undefined;
}

export interface KeyChangeOptions {
  /** Whether the change may give the key more than it has: another scope, a later expiry, or the end of a pause. */
  readonly mayExtend: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Changes a key, effective from the next request; processes that repeat the refusal of a paused key from memory notice within seconds
 * (PAUSE_RECHECK_AFTER_MS). Refuses invalid values, an unknown or expired key, and a later expiry for a replaced key, because its rotation decided
 * the expiry. A change to values that the key already has does nothing, and leaves no entry in the audit log.
 */
export async function changeKey(
  accounts: Pick<AccountStore, 'getKey' | 'changeKey'>,
  keyId: string,
  change: KeyChange,
  { mayExtend, now }: KeyChangeOptions,
): Promise<ActionResult<{ readonly key: KeyRecord }>> {
  const { name, lifetimeMs } = change;
  const wrong = (name === undefined ? undefined : nameRefusal(name)) ?? (typeof lifetimeMs === 'number' ? lifetimeRefusal(lifetimeMs) : undefined);
  if (wrong !== undefined) return wrong;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const read = await accounts.getKey(keyId);
    if (read === undefined) return noKey(keyId);
    if (read.expiresAt <= now) return expiredKey(keyId);
    const next = changed(read, change, now);
    if (read.successor !== undefined && next.expiresAt > read.expiresAt)
      return refused(
        'conflict',
        `key ${keyId} was replaced by ${read.successor}, so its expiry can't be extended; change that key instead, or issue a new one`,
      );
    if (!mayExtend && isMore(next, read))
      return refused('insufficient_user_authentication', 'adding a scope, extending the expiry or resuming a key requires a recent sign-in');
    if (isSame(next, read) || (await accounts.changeKey(next, read))) return { ok: true, key: next };
  }
  return refused('unavailable', `key ${keyId} was changed ${TRIES} times meanwhile; try again`);
}

function changed(read: KeyRecord, { name, scopes, lifetimeMs, paused }: KeyChange, now: number): KeyRecord {
  const { pausedAt, ...others } = read;
  const isPaused = paused ?? pausedAt !== undefined;
  return {
    ...others,
    ...(isPaused && { pausedAt: pausedAt ?? now }),
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes: SCOPES.filter((scope) => scopes.includes(scope)) }),
    ...(lifetimeMs !== undefined && { expiresAt: lifetimeMs === null ? NEVER : now + lifetimeMs }),
  };
}

/** Whether the change gives a key more than it had. */
function isMore(next: KeyRecord, read: KeyRecord): boolean {
  const isResumed = next.pausedAt === undefined && read.pausedAt !== undefined;
  return isResumed || next.expiresAt > read.expiresAt || !next.scopes.every((scope) => read.scopes.includes(scope));
}

function isSame(next: KeyRecord, read: KeyRecord): boolean {
  const { name, expiresAt, pausedAt, scopes } = next;
  return name === read.name && expiresAt === read.expiresAt && pausedAt === read.pausedAt && scopes.join() === read.scopes.join();
}
