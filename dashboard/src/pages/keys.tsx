// An account's API keys: create, edit, pause, rotate, revoke, unban.

import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useApplication, useDialogs } from '../context.tsx';
import { forgetIssuedKey, type IssuedKey, issuedKey, keepIssuedKey, keyRows, recognized } from '../key-rows.ts';
import { Failure, Loaded } from '../parts/failure.tsx';
import { IssuedKeyDialog } from '../parts/issued-key-dialog.tsx';
import type { Column } from '../parts/item-rows.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Done, KeyName, KeyState, LastUse } from '../parts/key-cells.tsx';
import { EditKey, IssueKey, PauseKey, ResumeKey, RevokeKey, RotateKey, UnbanKey } from '../parts/key-dialogs.tsx';
import { Page } from '../parts/page.tsx';
import { useKeys, useMe, useRevokedKeys } from '../queries.ts';
import type { Key, RevokedKey } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';

/** Columns for all keys, working or revoked. */
const COLUMNS: readonly Column<Key | RevokedKey>[] = [
  { header: 'Name', cell: (key) => <KeyName of={key} />, text: ({ name, hint, keyId }) => `${name} ${hint} ${keyId}` },
  {
    header: 'Scopes',
    cell: ({ scopes }) =>
      scopes.map((scope) => (
        <span key={scope} className="badge">
          {scope}
        </span>
      )),
    text: ({ scopes }) => scopes.join(),
  },
];
const USE: Column<Key | RevokedKey> = { header: 'Last used', cell: (key) => <LastUse of={key} />, at: ({ lastUsedAt }) => lastUsedAt };

/** The page with an account's API keys. */
export function KeysPage() {
  const { accountId = '' } = useParams({ strict: false });
  const keys = useKeys(accountId);
  const revoked = useRevokedKeys(accountId);
  const { close } = useDialogs();
  const { notify } = useApplication();
  // Without the user's id, a new key could not be kept for its user.
  const userId = useMe().data?.userId ?? '';
  const pending = issuedKey(sessionStorage, accountId, userId);
  const [hidden, setHidden] = useState<string>();
  const issued = (key: IssuedKey) => {
    keepIssuedKey(sessionStorage, accountId, userId, key);
    setHidden('');
    close();
  };
  const confirm = () => {
    forgetIssuedKey(sessionStorage, accountId, userId);
    setHidden(pending?.keyId);
  };
  const issue = (
    <Button kind="primary" dialog={<IssueKey accountId={accountId} issued={issued} />}>
      Create key
    </Button>
  );
  const menuOf = (key: Key) => {
    const { state, pausedAt, successorId } = key;
    const of = { accountId, of: key };
    // A key that was replaced can't be rotated again, even if its successor was revoked.
    const isRotatable = userId !== '' && successorId === null && state !== 'expired';
    const change = pausedAt === null ? { text: 'Pause', dialog: <PauseKey {...of} /> } : { text: 'Resume', dialog: <ResumeKey {...of} /> };
    return [
      ...(isRotatable ? [{ text: 'Rotate', dialog: <RotateKey {...of} issued={issued} /> }] : []),
      ...(state === 'expired' ? [] : [{ text: 'Edit', dialog: <EditKey {...of} /> }, change]),
      ...(state === 'banned' ? [{ text: 'Unban', dialog: <UnbanKey {...of} /> }] : []),
      { text: 'Copy ID', run: () => void navigator.clipboard.writeText(key.keyId).then(() => notify('success', `Copied ${key.keyId}.`)) },
      { text: 'Revoke', risky: true, dialog: <RevokeKey {...of} /> },
    ];
  };
  return (
    <Page title="API keys" description="Every API request needs a key. All of an account's keys share its limits." actions={userId !== '' && issue}>
      <div className="stack large">
        {pending !== undefined && pending.keyId === hidden && (
          <Notice
            kind="info"
            title={`Have you saved the key ${pending.name}?`}
            action={<Button onClick={() => setHidden(undefined)}>Show key</Button>}
          >
            This tab keeps it until you confirm that you have.
          </Notice>
        )}
        <Loaded of={keys}>
          {(items) => (
            <ItemTable
              title="Keys"
              items={keyRows(items)}
              id={({ keyId }) => keyId}
              nameOf={(key) => `${key.name}, ${recognized(key)}`}
              menu={menuOf}
              columns={[...COLUMNS, { header: 'State', cell: (key) => <KeyState of={key} />, text: ({ state }) => state }, USE]}
              empty={<p>No keys yet.</p>}
            />
          )}
        </Loaded>
        {keys.data !== undefined && revoked.error !== null && <Failure error={revoked.error} retry={() => void revoked.refetch()} />}
        {revoked.data !== undefined && revoked.data.length > 0 && <RevokedKeys keys={revoked.data} />}
      </div>
      {pending !== undefined && pending.keyId !== hidden && <IssuedKeyDialog of={pending} hide={() => setHidden(pending.keyId)} confirm={confirm} />}
    </Page>
  );
}

function RevokedKeys({ keys }: { readonly keys: readonly RevokedKey[] }) {
  return (
    <ItemTable
      title="Revoked keys"
      description="They are listed for 90 days. Requests with them are refused."
      items={keys}
      id={({ keyId }) => keyId}
      columns={[
        ...COLUMNS,
        USE,
        { header: 'Revoked', cell: ({ revokedAt, revokedBy }) => <Done at={revokedAt} by={revokedBy} />, text: ({ revokedAt }) => revokedAt },
      ]}
      empty="None."
    />
  );
}
