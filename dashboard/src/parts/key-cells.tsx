// The cells for a key, for every table of keys.

import { actorText, recognized } from '../key-rows.ts';
import { useMe } from '../queries.ts';
import type { Key } from '../shapes.ts';
import { localDay, localMinute } from '../times.ts';
import { Status } from '../ui/blocks.tsx';
import { Ago, Breakable } from './text.tsx';

/** A key's name, the text by which it is recognized, and who created it. */
export function KeyName({ of: key }: { readonly of: Pick<Key, 'name' | 'hint' | 'keyId' | 'createdAt' | 'createdBy'> }) {
  return (
    <>
      <Breakable text={key.name} />
      <small className="hint muted">{recognized(key)}</small>
      <small className="muted">
        created <Done at={key.createdAt} by={key.createdBy} />
      </small>
    </>
  );
}

/** When something was done to a key, and by whom. */
export function Done({ at, by }: { readonly at: string; readonly by: Key['createdBy'] }) {
  const { data } = useMe();
  return `${localDay(at)}${by === null ? '' : ` by ${actorText(by, data?.userId)}`}`;
}

/** When a key was last used, as far as the service has recorded it. */
export function LastUse({ of: { lastUsedAt } }: { readonly of: Pick<Key, 'lastUsedAt'> }) {
  return lastUsedAt === null ? 'Never used' : <Ago at={lastUsedAt} />;
}

/** Returns a sentence about when something was last used. */
export function lastUseText(what: string, { lastUsedAt }: Pick<Key, 'lastUsedAt'>): string {
  return lastUsedAt === null ? `${what} has never been used.` : `${what} was last used ${localMinute(lastUsedAt)}.`;
}

/** A key's state in a word, and below it, the time when the state began or will end. */
export function KeyState({ of }: { readonly of: Key }) {
  const [kind, state, detail] = stateOf(of);
  return (
    <>
      <Status kind={kind}>{state}</Status>
      {detail !== undefined && <small className="muted">{detail}</small>}
    </>
  );
}

function stateOf({ state, pausedAt, bannedUntil, expiresSoon, expiresAt, successorId }: Key) {
  const expires = expiresAt === null ? undefined : `expires ${localDay(expiresAt)}`;
  if (pausedAt !== null) return ['stopped', 'paused', `since ${localMinute(pausedAt)}`] as const;
  if (bannedUntil !== null) return ['error', 'banned', `until ${localMinute(bannedUntil)}`] as const;
  if (state === 'expired') return ['stopped', 'expired', successorId === null ? undefined : 'replaced by another key'] as const;
  if (successorId !== null) return ['pending', 'replaced', expiresAt === null ? undefined : `works until ${localMinute(expiresAt)}`] as const;
  return expiresSoon ? (['warning', 'expires soon', expires] as const) : (['success', 'active', expires] as const);
}
