// What the tables of keys show of a key.

import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { actorText, type KeyRow } from '../key-rows.ts';
import { useMe } from '../queries.ts';
import type { Key } from '../shapes.ts';
import { localMinute, localTime } from './text.tsx';

/** A key's name, and the texts by which it is recognized. */
export function KeyName({ of: { name, hint, keyId } }: { readonly of: Pick<Key, 'name' | 'hint' | 'keyId'> }) {
  return (
    <>
      {name}
      {[hint, keyId].map(
        (text) =>
          text !== null && (
            <Box key={text} variant="small" display="block">
              <span className="hint">{text}</span>
            </Box>
          ),
      )}
    </>
  );
}

/** When something was done with a key, and by whom. */
export function Done({ at, by }: { readonly at: string; readonly by: Key['createdBy'] }) {
  const { data } = useMe();
  return (
    <>
      {localMinute(at)}
      {by !== null && (
        <Box variant="small" display="block">
          by {actorText(by, data?.userId)}
        </Box>
      )}
    </>
  );
}

/** A key's state, and what becomes of the keys that it has replaced. */
export function KeyState({ of: { key, replaced } }: { readonly of: KeyRow }) {
  return (
    <SpaceBetween size="xxs">
      <State of={key} />
      {replaced.map((old) => (
        <Box key={old.keyId} variant="small">
          The old key{old.hint !== null && <span className="hint"> ({endOf(old.hint)})</span>} {oldText(old)}
        </Box>
      ))}
    </SpaceBetween>
  );
}

function State({ of: { state, bannedUntil, expiresSoon } }: { readonly of: Key }) {
  if (bannedUntil !== null)
    return (
      <StatusIndicator type="error" wrapText>
        banned until {localTime(bannedUntil)}
      </StatusIndicator>
    );
  if (state === 'expired') return <StatusIndicator type="stopped">expired</StatusIndicator>;
  return expiresSoon ? <StatusIndicator type="warning">expires soon</StatusIndicator> : <StatusIndicator type="success">active</StatusIndicator>;
}

/** The start of a hint is the same for all of an account's keys. */
function endOf(hint: string): string {
  return hint.slice(hint.indexOf('…'));
}

function oldText(old: Key): string {
  if (old.bannedUntil !== null) return `is banned until ${localTime(old.bannedUntil)}`;
  const ends = old.expiresAt === null ? '' : localMinute(old.expiresAt);
  return old.state === 'expired' ? `ended ${ends}` : `works until ${ends}`;
}
