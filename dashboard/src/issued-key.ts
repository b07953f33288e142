// A new key that its owner has not saved yet. Nobody can show it again, so it survives a reload: in this tab's session storage, until the owner
// confirms or signs out, and nowhere else.

import type { Key } from './shapes.ts';

export interface IssuedKey extends Pick<Key, 'keyId' | 'name' | 'scopes'> {
  /** The key itself. */
  readonly key: string;
}

const PREFIX = 'petstore.issued-key:';
const nameOf = (accountId: string, userId: string) => `${PREFIX}${accountId}:${userId}`;

/** Keeps a key for the user who issued it. */
export function keepIssuedKey(storage: Storage, accountId: string, userId: string, { keyId, name, scopes, key }: IssuedKey): void {
  storage.setItem(nameOf(accountId, userId), JSON.stringify({ keyId, name, scopes, key }));
}

/** Returns the key that the user has not confirmed. */
export function issuedKey(storage: Storage, accountId: string, userId: string): IssuedKey | undefined {
  const stored = storage.getItem(nameOf(accountId, userId));
  return stored === null ? undefined : (JSON.parse(stored) as IssuedKey);
}

/** Forgets the key, once it is saved. */
export function forgetIssuedKey(storage: Storage, accountId: string, userId: string): void {
  storage.removeItem(nameOf(accountId, userId));
}

/** Forgets all keys, when the user signs out. */
export function forgetIssuedKeys(storage: Storage): void {
  for (const name of Object.keys(storage)) if (name.startsWith(PREFIX)) storage.removeItem(name);
}
