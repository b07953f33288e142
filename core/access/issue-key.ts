// Issuing and rotating keys, over the port.

import type { Ban } from '../limits/ban.ts';
import { type KeyRecord, MAX_KEYS_PER_ACCOUNT, NEVER } from './account.ts';
import { digestOf, generateApiKey, type KeyMode, keyIdOf } from './api-key.ts';
import type { RandomBytes } from './base62.ts';
import type { AccountStore } from './ports.ts';
import type { Scope } from './scopes.ts';

export interface KeyRequest {
  readonly mode: KeyMode;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since 1970; undefined: the key does not expire. */
  readonly expiresAt: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type IssueResult =
  | { readonly ok: true; readonly record: KeyRecord; readonly key: string }
  | { readonly ok: false; readonly reason: 'account_not_found' | 'too_many_keys' | 'key_not_found' };

/** Issues a key. Its text is in the result and nowhere else. */
export function issueKey(accounts: AccountStore, randomBytes: RandomBytes, request: KeyRequest): Promise<IssueResult> {
  return add(accounts, randomBytes, request, MAX_KEYS_PER_ACCOUNT);
}

/**
 * Issues a key like the old one, with its ban (docs/decisions/0014-bans.md says why), and lets the old one end after the grace period, or sooner if it ends sooner anyway.
 * An account that has all its keys may rotate each of them: for the grace period it has up to twice as many.
 *
 * @param graceMs milliseconds for which both keys are good; 0: the old one stops at once
 */
export async function rotateKey(
  accounts: AccountStore,
  randomBytes: RandomBytes,
  request: { readonly mode: KeyMode; readonly keyId: string; readonly graceMs: number; readonly now: number },
): Promise<IssueResult> {
  const { mode, keyId, graceMs, now } = request;
  const old = await accounts.getKey(keyId);
  if (old === undefined || old.expiresAt <= now) return { ok: false, reason: 'key_not_found' };
  const { accountId, name, scopes, createdAt, expiresAt, ban } = old;
  // A key that was given a lifetime is followed by one of the same lifetime.
  const lifetime = expiresAt === NEVER ? undefined : now + (expiresAt - createdAt);
  const successor = { mode, accountId, name, scopes, expiresAt: lifetime, now };
  const issued = await add(accounts, randomBytes, successor, 2 * MAX_KEYS_PER_ACCOUNT, ban);
  if (issued.ok) await accounts.expireKey(keyId, Math.min(expiresAt, now + graceMs));
  return issued;
}

async function add(accounts: AccountStore, randomBytes: RandomBytes, request: KeyRequest, maxKeys: number, ban?: Ban): Promise<IssueResult> {
  const { mode, accountId, name, scopes, expiresAt = NEVER, now } = request;
  const key = generateApiKey(mode, accountId, randomBytes);
  const digest = digestOf(key);
  const known = { id: keyIdOf(accountId, digest), accountId, digest, name, scopes, createdAt: now, expiresAt };
  const record: KeyRecord = ban === undefined ? known : { ...known, ban };
  const result = await accounts.addKey(record, maxKeys, now);
  return result === 'added' ? { ok: true, record, key } : { ok: false, reason: result };
}
