// What the tables of keys show of a key.

import { actorText } from '../key-rows.ts';
import { useMe } from '../queries.ts';
import type { Key } from '../shapes.ts';
import { localDay, localMinute, localTime } from '../times.ts';
import { Status } from '../ui/blocks.tsx';
import { Ago, Breakable } from './text.tsx';

/** A key's name, and the texts by which it is recognized. */
export function KeyName({ of: { name, hint, keyId } }: { readonly of: Pick<Key, 'name' | 'hint' | 'keyId'> }) {
  return (
    <>
      <Breakable text={name} />
      {hint !== null && <small className="hint">{hint}</small>}
      <small className="hint muted">{keyId}</small>
    </>
  );
}

/** When something was done with a key, and by whom. */
export function Done({ at, by }: { readonly at: string; readonly by: Key['createdBy'] }) {
  const { data } = useMe();
  return `${localDay(at)}${by === null ? '' : ` by ${actorText(by, data?.userId)}`}`;
}

/** When a key was last used, as far as the service has written that down. */
export function LastUse({ of: { lastUsedAt } }: { readonly of: Pick<Key, 'lastUsedAt'> }) {
  return lastUsedAt === null ? 'never' : <Ago at={lastUsedAt} />;
}

/** When something was last used, as a sentence. */
export function lastUseText(what: string, { lastUsedAt }: Pick<Key, 'lastUsedAt'>): string {
  return lastUsedAt === null ? `${what} has never been used.` : `${what} was last used ${localMinute(lastUsedAt)}.`;
}

/** A key's state, and when it expires. */
export function KeyState({ of }: { readonly of: Key }) {
  const { expiresAt, state, successorId } = of;
  const [kind, text] = stateOf(of);
  return (
    <>
      <Status kind={kind}>{text}</Status>
      {expiresAt !== null && state !== 'expired' && successorId === null && <small className="muted">expires {localDay(expiresAt)}</small>}
    </>
  );
}

function stateOf({ state, pausedAt, bannedUntil, expiresSoon, expiresAt, successorId }: Key) {
  if (pausedAt !== null) return ['stopped', `paused since ${localMinute(pausedAt)}`] as const;
  if (bannedUntil !== null) return ['error', `banned until ${localTime(bannedUntil)}`] as const;
  if (state === 'expired') return ['stopped', successorId === null ? 'expired' : 'replaced, and expired'] as const;
  if (successorId !== null) return ['pending', `replaced${expiresAt === null ? '' : `, works until ${localMinute(expiresAt)}`}`] as const;
  return expiresSoon ? (['warning', 'expires soon'] as const) : (['success', 'active'] as const);
}
