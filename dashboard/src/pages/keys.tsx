// An account's API keys: issue, rotate, revoke, unban.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type KeyRow, keyRows, recognized } from '../key-rows.ts';
import { Failure, Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Done, KeyName, KeyState } from '../parts/key-cells.tsx';
import { IssuedKey, IssueKey, RevokeKey, RotateKey, UnbanKey } from '../parts/key-dialogs.tsx';
import { Page } from '../parts/page.tsx';
import { localMinute } from '../parts/time.ts';
import { useKeys, useRevokedKeys } from '../queries.ts';
import type { Key, RevokedKey } from '../shapes.ts';

type OpenDialog =
  | { readonly kind: 'issue' }
  | { readonly kind: 'rotate' | 'revoke' | 'unban'; readonly key: Key }
  | { readonly kind: 'issued'; readonly text: string };

/** The page with an account's API keys. */
export function KeysPage() {
  const { accountId = '' } = useParams({ strict: false });
  const keys = useKeys(accountId);
  const revoked = useRevokedKeys(accountId);
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  const issued = (text: string) => setDialog({ kind: 'issued', text });
  const issue = (
    <Button variant="primary" onClick={() => setDialog({ kind: 'issue' })}>
      Issue key
    </Button>
  );
  return (
    <Page title="API keys" description="Every API request needs a key. All of an account's keys share its limits." actions={issue}>
      <SpaceBetween size="l">
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
                { header: 'Actions', cell: (row) => <Actions of={row} open={setDialog} /> },
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
      {dialog?.kind === 'issued' && <IssuedKey text={dialog.text} close={close} />}
    </Page>
  );
}

function Actions({ of: { key, replaced }, open }: { readonly of: KeyRow; readonly open: (dialog: OpenDialog) => void }) {
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
      {action('Rotate', 'rotate', key, key.state === 'expired' || key.successorId !== null)}
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
