// What is done with keys, for the command line, the control API and the first start alike.

import { type Ban, isLiftable } from '../limits/ban.ts';
import { DAY_MS } from '../limits/windows.ts';
import { type ActionResult, refused } from '../refusal.ts';
import { type KeyRecord, MAX_GRACE_DAYS, MAX_KEY_LIFETIME_DAYS, MAX_KEYS_PER_ACCOUNT, NEVER, nameRefusal } from './account.ts';
import { digestOf, generateApiKey, type KeyMode, keyIdOf } from './api-key.ts';
import type { RandomBytes } from './base62.ts';
import type { AccountStore } from './ports.ts';
import { SCOPES, type Scope } from './scopes.ts';

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

/** The text of the key is here and nowhere else. */
export type Issued = ActionResult<{ readonly record: KeyRecord; readonly key: string }>;

export async function issueKey(accounts: AccountStore, randomBytes: RandomBytes, request: KeyRequest): Promise<Issued> {
  const { name, scopes, expiresAt, now } = request;
  const wrong = nameRefusal(name);
  if (wrong !== undefined) return wrong;
  if (expiresAt !== undefined && !(expiresAt > now && expiresAt <= now + MAX_KEY_LIFETIME_DAYS * DAY_MS))
    return refused('invalid_request', `lifetime: got ${(expiresAt - now) / 1_000} s; allowed: more than 0 and at most ${MAX_KEY_LIFETIME_DAYS} days`);
  const once = SCOPES.filter((scope) => scopes.includes(scope));
  return add(accounts, randomBytes, { ...request, scopes: once }, MAX_KEYS_PER_ACCOUNT);
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
): Promise<ActionResult<{ readonly record: KeyRecord; readonly key: string; readonly oldExpiresAt: number }>> {
  const { mode, keyId, graceMs, now } = request;
  if (!(graceMs >= 0 && graceMs <= MAX_GRACE_DAYS * DAY_MS))
    return refused('invalid_request', `grace period: got ${graceMs / 1_000} s; allowed: 0 to ${MAX_GRACE_DAYS} days`);
  const old = await findValidKey(accounts, keyId, now);
  if (!old.ok) return old;
  const { accountId, name, scopes, createdAt, expiresAt, ban, successor } = old.key;
  // Its end is that of the grace period by now: what lifetime it was given, nobody knows any more.
  if (successor !== undefined)
    return refused('conflict', `key ${keyId} is being replaced by ${successor} already; rotate that one, or revoke it and issue another one`);
  // A key that was given a lifetime is followed by one of the same lifetime.
  const lifetime = expiresAt === NEVER ? undefined : now + (expiresAt - createdAt);
  const issued = await add(accounts, randomBytes, { mode, accountId, name, scopes, expiresAt: lifetime, now }, 2 * MAX_KEYS_PER_ACCOUNT, ban);
  if (!issued.ok) return issued;
  const oldExpiresAt = Math.min(expiresAt, now + graceMs);
  await accounts.expireKey(keyId, oldExpiresAt, issued.record.id);
  return { ...issued, oldExpiresAt };
}

/** Stops a key at once. */
export async function revokeKey(accounts: AccountStore, keyId: string): Promise<ActionResult<object>> {
  return (await accounts.revokeKey(keyId)) ? { ok: true } : noKey(keyId);
}

/**
 * Lifts a key's ban. The next one is still longer: its level stays. Processes that repeat a refusal from memory notice within a minute.
 *
 * @param now milliseconds since 1970
 * @returns the ban that was lifted, and the key as it is now
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
  return key.expiresAt > now ? { ok: true, key } : refused('conflict', `key ${keyId} has ended; issue another one`);
}

async function add(accounts: AccountStore, randomBytes: RandomBytes, request: KeyRequest, maxKeys: number, ban?: Ban): Promise<Issued> {
  const { mode, accountId, name, scopes, expiresAt = NEVER, now } = request;
  const key = generateApiKey(mode, accountId, randomBytes);
  const digest = digestOf(key);
  const known = { id: keyIdOf(accountId, digest), accountId, digest, name, scopes, createdAt: now, expiresAt };
  const record: KeyRecord = ban === undefined ? known : { ...known, ban };
  switch (await accounts.addKey(record, maxKeys, now)) {
    case 'added':
      return { ok: true, record, key };
    case 'account_not_found':
      return noAccount(accountId);
    case 'too_many_keys':
      return refused('conflict', `the account already has ${MAX_KEYS_PER_ACCOUNT} keys, the most it may have; revoke one first`);
  }
}

export function noAccount(accountId: string) {
  return refused('not_found', `no account ${JSON.stringify(accountId)}; petstore accounts list shows those that exist`);
}

function noKey(keyId: string) {
  return refused('not_found', `no key ${JSON.stringify(keyId)}; petstore keys list --account ID shows those of an account`);
}
