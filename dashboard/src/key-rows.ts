// Keys as the dashboard lists them: a rotated key is listed after its successor.

import type { Key } from './shapes.ts';

/** Orders keys so that each is followed by the keys that it has replaced, newest first. Rotating a key does not move the others. */
export function keyRows(keys: readonly Key[]): readonly Key[] {
  const listed = new Set(keys.map(({ keyId }) => keyId));
  const predecessors = new Map(keys.flatMap((key) => (key.successorId === null ? [] : [[key.successorId, key]])));
  const groups = keys
    .filter(({ successorId }) => successorId === null || !listed.has(successorId))
    .map((key) => {
      const group = [key];
      for (let old = predecessors.get(key.keyId); old !== undefined; old = predecessors.get(old.keyId)) group.push(old);
      return group;
    });
  // A group takes the position of its oldest key.
  const placeOf = (group: readonly Key[]) => keys.indexOf(group.at(-1) as Key);
  return groups.sort((a, b) => placeOf(a) - placeOf(b)).flat();
}

/** Returns the text by which an owner recognizes a key. */
export function recognized({ hint, keyId }: Pick<Key, 'hint' | 'keyId'>): string {
  return hint ?? keyId;
}

/** Like `recognized`, for use within a sentence: returns only the key's last characters. The line can't break after the ellipsis. */
export function recognizedIn(key: Pick<Key, 'hint' | 'keyId'>): string {
  return recognized(key).replace(/^.*…/, '…\u2060');
}

/** Returns who issued or revoked a key, from the reader's point of view. */
export function actorText({ userId, email }: NonNullable<Key['createdBy']>, readerId: string | undefined): string {
  if (userId === null) return 'the operator';
  return userId === readerId ? 'you' : (email ?? userId);
}

// A new key can't be shown again, so it survives reloads in this tab's session storage, until its owner has saved it or signs out.

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

/** Returns the key that the user has not yet confirmed to have saved. */
export function issuedKey(storage: Storage, accountId: string, userId: string): IssuedKey | undefined {
  const stored = storage.getItem(nameOf(accountId, userId));
  return stored === null ? undefined : (JSON.parse(stored) as IssuedKey);
}

/** Removes the key once it is saved. */
export function forgetIssuedKey(storage: Storage, accountId: string, userId: string): void {
  storage.removeItem(nameOf(accountId, userId));
}

/** Removes all keys when the user signs out. */
export function forgetIssuedKeys(storage: Storage): void {
  for (const name of Object.keys(storage)) if (name.startsWith(PREFIX)) storage.removeItem(name);
}
