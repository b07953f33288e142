// An account's API keys: create, rotate, revoke, unban.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { forgetIssuedKey, type IssuedKey, issuedKey, type KeyRow, keepIssuedKey, keyRows, recognized } from '../key-rows.ts';
import { Failure, Loaded } from '../parts/failure.tsx';
import { IssuedKeyDialog } from '../parts/issued-key-dialog.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Done, KeyName, KeyState } from '../parts/key-cells.tsx';
import { IssueKey, RevokeKey, RotateKey, UnbanKey } from '../parts/key-dialogs.tsx';
import { Page } from '../parts/page.tsx';
import { localMinute } from '../parts/text.tsx';
import { useKeys, useMe, useRevokedKeys } from '../queries.ts';
import type { Key, RevokedKey } from '../shapes.ts';

type OpenDialog = { readonly kind: 'issue' } | { readonly kind: 'rotate' | 'revoke' | 'unban'; readonly key: Key };

/** The page with an account's API keys. */
export function KeysPage() {
  const { accountId = '' } = useParams({ strict: false });
  const keys = useKeys(accountId);
  const revoked = useRevokedKeys(accountId);
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  // Without it, a new key could not be kept for its user.
  const userId = useMe().data?.userId ?? '';
  const pending = issuedKey(sessionStorage, accountId, userId);
  const [hidden, setHidden] = useState<string>();
  const issued = (key: IssuedKey) => {
    keepIssuedKey(sessionStorage, accountId, userId, key);
    close();
  };
  const confirm = () => {
    forgetIssuedKey(sessionStorage, accountId, userId);
    setHidden(pending?.keyId);
  };
  const issue = (
    <Button variant="primary" disabled={userId === ''} onClick={() => setDialog({ kind: 'issue' })}>
      Create key
    </Button>
  );
  return (
    <Page title="API keys" description="Every API request needs a key. All of an account's keys share its limits." actions={issue}>
      <SpaceBetween size="l">
        {pending !== undefined && pending.keyId === hidden && (
          <Alert type="info" header={`${pending.name} is not saved yet`} action={<Button onClick={() => setHidden(undefined)}>Show key</Button>}>
            This tab shows the new key until you confirm that you've saved it.
          </Alert>
        )}
        <Loaded of={keys}>
          {(items) => (
            <ItemTable
              title="Keys"
              items={keyRows(items)}
              id={({ key }) => key.keyId}
              columns={[
                { header: 'Name', cell: ({ key }) => <KeyName of={key} />, text: ({ key: { name, hint, keyId } }) => `${name} ${hint} ${keyId}` },
                { header: 'Scopes', cell: ({ key }) => key.scopes.join(', '), text: ({ key }) => key.scopes.join() },
                { header: 'State', cell: (row) => <KeyState of={row} />, text: ({ key }) => key.state },
                {
                  header: 'Last used',
                  cell: ({ key: { lastUsedAt } }) => (lastUsedAt === null ? 'never' : localMinute(lastUsedAt)),
                  text: ({ key }) => key.lastUsedAt ?? '',
                },
                { header: 'Created', cell: ({ key }) => <Done at={key.createdAt} by={key.createdBy} />, text: ({ key }) => key.createdAt },
                {
                  header: 'Expires',
                  cell: ({ key: { expiresAt } }) => (expiresAt === null ? 'never' : localMinute(expiresAt)),
                  text: ({ key }) => key.expiresAt ?? '9',
                },
                { header: 'Actions', cell: (row) => <Actions of={row} open={setDialog} canRotate={userId !== ''} /> },
              ]}
              empty={
                <>
                  <Box>No keys. Every API request needs one.</Box>
                  {issue}
                </>
              }
            />
          )}
        </Loaded>
        {keys.data !== undefined && revoked.error !== null && <Failure error={revoked.error} retry={() => void revoked.refetch()} />}
        {revoked.data !== undefined && revoked.data.length > 0 && <RevokedKeys keys={revoked.data} />}
      </SpaceBetween>
      {dialog?.kind === 'issue' && <IssueKey accountId={accountId} close={close} issued={issued} />}
      {dialog?.kind === 'rotate' && <RotateKey accountId={accountId} of={dialog.key} close={close} issued={issued} />}
      {dialog?.kind === 'revoke' && <RevokeKey accountId={accountId} of={dialog.key} close={close} />}
      {dialog?.kind === 'unban' && <UnbanKey accountId={accountId} of={dialog.key} close={close} />}
      {pending !== undefined && pending.keyId !== hidden && <IssuedKeyDialog of={pending} hide={() => setHidden(pending.keyId)} confirm={confirm} />}
    </Page>
  );
}

interface ActionsProps {
  readonly of: KeyRow;
  readonly open: (dialog: OpenDialog) => void;
  readonly canRotate: boolean;
}

function Actions({ of: { key, replaced }, open, canRotate }: ActionsProps) {
  const action = (text: string, kind: 'rotate' | 'revoke' | 'unban', of: Key, disabled = false) => (
    <Button
      key={`${text} ${of.keyId}`}
      variant="inline-link"
      ariaLabel={`${text} ${of.name}, ${recognized(of)}`}
      disabled={disabled}
      onClick={() => open({ kind, key: of })}
    >
      {text}
    </Button>
  );
  return (
    <SpaceBetween direction="horizontal" size="s">
      {/* A key whose successor was revoked can't be rotated again. */}
      {action('Rotate', 'rotate', key, !canRotate || key.state === 'expired' || key.successorId !== null)}
      {key.state === 'banned' && action('Unban', 'unban', key)}
      {action('Revoke', 'revoke', key)}
      {replaced.map((old) => [old.state === 'banned' && action('Unban old key', 'unban', old), action('Revoke old key', 'revoke', old)])}
    </SpaceBetween>
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
        { header: 'Name', cell: (key) => <KeyName of={key} />, text: ({ name, hint, keyId }) => `${name} ${hint} ${keyId}` },
        { header: 'Scopes', cell: ({ scopes }) => scopes.join(', '), text: ({ scopes }) => scopes.join() },
        {
          header: 'Last used',
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localMinute(lastUsedAt)),
          text: ({ lastUsedAt }) => lastUsedAt ?? '',
        },
        { header: 'Created', cell: ({ createdAt, createdBy }) => <Done at={createdAt} by={createdBy} />, text: ({ createdAt }) => createdAt },
        { header: 'Revoked', cell: ({ revokedAt, revokedBy }) => <Done at={revokedAt} by={revokedBy} />, text: ({ revokedAt }) => revokedAt },
      ]}
      empty="None."
    />
  );
}
