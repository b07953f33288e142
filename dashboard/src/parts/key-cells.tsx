// What the tables of keys show of a key.

import { actorText } from '../key-rows.ts';
import { useMe } from '../queries.ts';
import type { Key } from '../shapes.ts';
import { Status } from '../ui/blocks.tsx';
import { Ago, localDay, localMinute, localTime } from './text.tsx';

/** A key's name, and the texts by which it is recognized. */
export function KeyName({ of: { name, hint, keyId } }: { readonly of: Pick<Key, 'name' | 'hint' | 'keyId'> }) {
  return (
    <>
      {name}
      {hint !== null && <small className="hint">{hint}</small>}
      <small className="hint muted">{keyId}</small>
    </>
  );
}

/** When something was done with a key, and by whom. */
export function Done({ at, by }: { readonly at: string; readonly by: Key['createdBy'] }) {
  const { data } = useMe();
  return (
    <>
      {localDay(at)}
      {by !== null && <small className="muted">by {actorText(by, data?.userId)}</small>}
    </>
  );
}

/** When a key was last used, as far as the service has written that down. */
export function LastUse({ of: { lastUsedAt } }: { readonly of: Pick<Key, 'lastUsedAt'> }) {
  return lastUsedAt === null ? 'never' : <Ago at={lastUsedAt} />;
}

/** A key's state. */
export function KeyState({ of: { state, pausedAt, bannedUntil, expiresSoon, expiresAt, successorId } }: { readonly of: Key }) {
  if (pausedAt !== null) return <Status kind="stopped">paused since {localMinute(pausedAt)}</Status>;
  if (bannedUntil !== null) return <Status kind="error">banned until {localTime(bannedUntil)}</Status>;
  if (state === 'expired') return <Status kind="stopped">{successorId === null ? 'expired' : 'replaced, and expired'}</Status>;
  if (successorId !== null) return <Status kind="pending">replaced{expiresAt !== null && `, works until ${localMinute(expiresAt)}`}</Status>;
  return expiresSoon ? <Status kind="warning">expires soon</Status> : <Status kind="success">active</Status>;
}
