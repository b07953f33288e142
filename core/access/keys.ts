// Operations on keys, shared by the command line, the control API and the first start. Times are in milliseconds since 1970.

import { type Ban, isLiftable } from '../limits/ban.ts';
import { DAY_MS } from '../limits/windows.ts';
import { type ActionRefusal, type ActionResult, refused } from '../refusal.ts';
import {
  type KeyRecord,
  MAX_GRACE_DAYS,
  MAX_KEY_LIFETIME_DAYS,
  MAX_KEYS_PER_ACCOUNT,
  NEVER,
  nameRefusal,
  REVOKED_KEPT_MS,
  type Revocation,
  type RevokedKey,
} from './account.ts';
import { digestOf, generateApiKey, hintOf, type KeyMode, keyIdOf } from './api-key.ts';
import type { RandomBytes } from './base62.ts';
import { SCOPES, type Scope } from './plans.ts';
import type { AccountStore } from './ports.ts';

export interface KeyRequest {
  readonly mode: KeyMode;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Id of the user who requests it, or OPERATOR. */
  readonly by: string;
  /** Undefined if the key does not expire. */
  readonly expiresAt: number | undefined;
  readonly now: number;
}

/** The key's text, available only here. */
export type Issued = ActionResult<{ readonly record: KeyRecord; readonly key: string }>;

/** Issues a key. Refuses an invalid name or lifetime, an unknown account, and more than MAX_KEYS_PER_ACCOUNT keys. */
export async function issueKey(accounts: AccountStore, randomBytes: RandomBytes, request: KeyRequest): Promise<Issued> {
  const { name, scopes, expiresAt, now } = request;
  const wrong = nameRefusal(name);
  if (wrong !== undefined) return wrong;
  const unbounded = expiresAt === undefined ? undefined : lifetimeRefusal(expiresAt - now);
  if (unbounded !== undefined) return unbounded;
  const once = SCOPES.filter((scope) => scopes.includes(scope));
  return add(accounts, randomBytes, { ...request, scopes: once }, MAX_KEYS_PER_ACCOUNT);
}

/**
 * Issues a successor with the same scopes and the same ban (docs/decisions/0003-bans.md). The old key works until the end of the grace period, or
 * until it expires if that is earlier. Even an account at its key limit may rotate each key: during the grace period it has up to twice as many. A
 * paused key stays paused, but its successor works, because that is what an owner who rotates a leaked key needs.
 *
 * @param graceMs milliseconds during which both keys work; 0 stops the old key at once
 */
export async function rotateKey(
  accounts: AccountStore,
  randomBytes: RandomBytes,
  request: Pick<KeyRequest, 'mode' | 'by' | 'now'> & { readonly keyId: string; readonly graceMs: number },
): Promise<ActionResult<{ readonly record: KeyRecord; readonly key: string; readonly oldExpiresAt: number }>> {
  const { mode, keyId, graceMs, by, now } = request;
  if (!(graceMs >= 0 && graceMs <= MAX_GRACE_DAYS * DAY_MS))
    return refused('invalid_request', `grace period: got ${graceMs / 1_000} s; allowed: 0 to ${MAX_GRACE_DAYS} days`);
  const old = await findValidKey(accounts, keyId, now);
  if (!old.ok) return old;
  const { accountId, name, scopes, createdAt, expiresAt, ban, successor } = old.key;
  // The key's expiry is now the end of the grace period; its original lifetime is no longer known.
  if (successor !== undefined) return refused('conflict', `key ${keyId} was replaced by ${successor}; rotate that one, or issue a new key`);
  // The successor of a key with a limited lifetime gets the same lifetime.
  const lifetime = expiresAt === NEVER ? undefined : now + (expiresAt - createdAt);
  const issued = await add(accounts, randomBytes, { mode, accountId, name, scopes, by, expiresAt: lifetime, now }, 2 * MAX_KEYS_PER_ACCOUNT, ban);
  if (!issued.ok) return issued;
  const oldExpiresAt = Math.min(expiresAt, now + graceMs);
  await accounts.expireKey(keyId, oldExpiresAt, issued.record.id);
  return { ...issued, oldExpiresAt };
}

/** Revokes a key at once. Its record, without the digest, is kept for REVOKED_KEPT_MS. */
export async function revokeKey(accounts: AccountStore, keyId: string, revocation: Revocation): Promise<ActionResult<object>> {
  return (await accounts.revokeKey(keyId, revocation)) ? { ok: true } : noKey(keyId);
}

/** Returns the account's keys that were revoked within REVOKED_KEPT_MS, newest first. */
export function revokedKeys(accounts: AccountStore, accountId: string, now: number): Promise<readonly RevokedKey[]> {
  return accounts.listRevokedKeys(accountId, now - REVOKED_KEPT_MS);
}

/**
 * Lifts a key's ban; its level stays, so the next ban will be longer. Processes that repeat a refusal from memory notice within a minute.
 *
 * @returns the lifted ban, and the key without the ban
 */
export async function unbanKey(
  accounts: AccountStore,
  keyId: string,
  now: number,
): Promise<ActionResult<{ readonly ban: Ban; readonly key: KeyRecord }>> {
  const good = await findValidKey(accounts, keyId, now);
  if (!good.ok) return good;
  const { ban } = good.key;
  if (!isLiftable(ban, now) || !(await accounts.liftBan(keyId, now))) return refused('conflict', `key ${keyId} is not banned`);
  return { ok: true, ban, key: (await accounts.getKey(keyId)) ?? good.key };
}

async function findValidKey(accounts: AccountStore, keyId: string, now: number): Promise<ActionResult<{ readonly key: KeyRecord }>> {
  const key = await accounts.getKey(keyId);
  if (key === undefined) return noKey(keyId);
  return key.expiresAt > now ? { ok: true, key } : expiredKey(keyId);
}

async function add(accounts: AccountStore, randomBytes: RandomBytes, request: KeyRequest, maxKeys: number, ban?: Ban): Promise<Issued> {
  const { mode, accountId, name, scopes, by, expiresAt = NEVER, now } = request;
  const key = generateApiKey(mode, accountId, randomBytes);
  const digest = digestOf(key);
  const known = { id: keyIdOf(accountId, digest), accountId, digest, name, hint: hintOf(key), scopes, createdBy: by, createdAt: now, expiresAt };
  const record: KeyRecord = ban === undefined ? known : { ...known, ban };
  switch (await accounts.addKey(record, maxKeys, now)) {
    case 'added':
      return { ok: true, record, key };
    case 'account_not_found':
      return noAccount(accountId);
    case 'too_many_keys':
      return refused('conflict', `the account already has ${MAX_KEYS_PER_ACCOUNT} keys, the maximum; revoke one first`);
  }
}

/** Builds the refusal for an unknown account. */
export function noAccount(accountId: string) {
  return refused('not_found', `no account ${JSON.stringify(accountId)}`, '; petstore accounts list shows all accounts');
}

/** Checks a key's lifetime in milliseconds. @returns undefined if it is allowed */
export function lifetimeRefusal(lifetimeMs: number): ActionRefusal | undefined {
  if (lifetimeMs > 0 && lifetimeMs <= MAX_KEY_LIFETIME_DAYS * DAY_MS) return undefined;
  return refused('invalid_request', `lifetime: got ${lifetimeMs / 1_000} s; allowed: more than 0 and at most ${MAX_KEY_LIFETIME_DAYS} days`);
}

/** Builds the refusal for a key that has expired. */
export function expiredKey(keyId: string) {
  return refused('conflict', `key ${keyId} has expired; issue a new key`);
}

/** Builds the refusal for an unknown key. */
export function noKey(keyId: string) {
  return refused('not_found', `no key ${JSON.stringify(keyId)}`, '; petstore keys list --account ID shows the keys of an account');
}
