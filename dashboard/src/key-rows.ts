// Keys as the dashboard lists them: a rotated key belongs to its successor.

import type { Key } from './shapes.ts';

export interface KeyRow {
  readonly key: Key;
  /** The keys that it has replaced, the latest first. */
  readonly replaced: readonly Key[];
}

/** Groups each key with those that it has replaced. A group has the place of its oldest key, so that rotating a key moves no row. */
export function keyRows(keys: readonly Key[]): readonly KeyRow[] {
  const listed = new Set(keys.map(({ keyId }) => keyId));
  const predecessors = new Map(keys.flatMap((key) => (key.successorId === null ? [] : [[key.successorId, key]])));
  const placeOf = ({ key, replaced }: KeyRow) => keys.indexOf(replaced.at(-1) ?? key);
  const rows = keys
    .filter(({ successorId }) => successorId === null || !listed.has(successorId))
    .map((key) => {
      const replaced: Key[] = [];
      for (let old = predecessors.get(key.keyId); old !== undefined; old = predecessors.get(old.keyId)) replaced.push(old);
      return { key, replaced };
    });
  return rows.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns the text by which an owner recognizes a key. */
export function recognized({ hint, keyId }: Pick<Key, 'hint' | 'keyId'>): string {
  return hint ?? keyId;
}

/** Returns who issued or revoked a key, from the reader's point of view. */
export function actorText({ userId, email }: NonNullable<Key['createdBy']>, readerId: string | undefined): string {
  if (userId === null) return 'the operator';
  return userId === readerId ? 'you' : (email ?? userId);
}
