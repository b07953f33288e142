// Accounts and keys as items of the control table. What admission needs from them is in the usage table (usage-item.ts).

import { type Account, EXPIRED_KEY_KEPT_MS, type KeyRecord, NEVER, REVOKED_KEPT_MS, type RevokedKey } from '../../../core/access/account.ts';
import { accountIdOfKeyId } from '../../../core/access/api-key.ts';
import { parseScopes, type Scope } from '../../../core/access/plans.ts';
import {
  after,
  attributes,
  controlKey,
  field,
  INTEGER,
  type Item,
  jsonField,
  kindOf,
  later,
  malformed,
  named,
  optional,
  TEXT,
  text,
  timeToLive,
} from './items.ts';
import { ACCOUNTS_PARTITION } from './tables.ts';
import { PLAN } from './usage/usage-item.ts';

const KEYS = 'keys#';
const REVOKED_KEYS = 'revoked-keys#';

const SCOPES = field<readonly Scope[]>(
  (item, name) => {
    const scopes = parseScopes(text(item, name));
    if (scopes === undefined) throw malformed(name, text(item, name));
    return scopes;
  },
  (scopes) => scopes.join(','),
);

/** Returns the key of an account's item in the control table. */
export function accountKey(id: string): Item {
  return controlKey(ACCOUNTS_PARTITION, id);
}

export const ACCOUNT = kindOf<Account>(
  {
    id: named('sk', TEXT),
    name: TEXT,
    plan: PLAN,
    limits: kindOf<Account['limits']>({ perMinute: INTEGER, perDay: INTEGER }),
    createdAt: INTEGER,
    planRequest: later(jsonField()),
    suspension: later(jsonField()),
    requiresSecondFactor: later(jsonField()),
  },
  () => attributes({ pk: ACCOUNTS_PARTITION }),
);

/** Returns the partition of an account's keys. The key id contains the account's id. */
export const keysPartition = (accountId: string) => KEYS + accountId;

/** Returns the item key of an API key; undefined for a malformed id. */
export function keyKey(keyId: string): Item | undefined {
  const accountId = accountIdOfKeyId(keyId);
  return accountId === undefined ? undefined : controlKey(keysPartition(accountId), keyId);
}

/** Returns the attribute that makes DynamoDB delete an expired key when its retention ends. */
export function keyTimeToLive(expiresAt: number): Item {
  return expiresAt === NEVER ? {} : timeToLive(expiresAt + EXPIRED_KEY_KEPT_MS);
}

/** The fields that keys and revoked keys share. */
const FACTS = { name: TEXT, hint: optional(TEXT), scopes: SCOPES, createdBy: optional(TEXT), createdAt: INTEGER, expiresAt: INTEGER };

/** A key's ban is in the usage table, and so is its last use while it is valid. */
export const KEY = kindOf<Omit<KeyRecord, 'ban'>>(
  {
    ...FACTS,
    id: named('sk', TEXT),
    accountId: named('pk', after(KEYS)),
    digest: TEXT,
    lastUsedAt: later(INTEGER),
    successor: later(TEXT),
    pausedAt: later(INTEGER),
  },
  ({ expiresAt }) => keyTimeToLive(expiresAt),
);

/** Returns the partition of an account's revoked keys. */
export const revokedKeysPartition = (accountId: string) => REVOKED_KEYS + accountId;

/** Returns the lowest sort key of keys revoked at this time or later, in milliseconds since 1970. */
export const revokedAtSortKey = (at: number) => String(at).padStart(15, '0');

/** DynamoDB deletes the record of a revoked key when its retention ends. */
export const REVOKED_KEY = kindOf<RevokedKey>(
  {
    ...FACTS,
    id: named('keyId', TEXT),
    accountId: named('pk', after(REVOKED_KEYS)),
    lastUsedAt: optional(INTEGER),
    revoked: kindOf<RevokedKey['revoked']>({ at: named('revokedAt', INTEGER), by: named('revokedBy', TEXT) }),
  },
  ({ id, revoked: { at } }) => ({ ...attributes({ sk: `${revokedAtSortKey(at)}#${id}` }), ...timeToLive(at + REVOKED_KEPT_MS) }),
);
