// An account's API keys: issue, rotate, revoke, unban.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { IssuedKey, IssueKey, RevokeKey, RotateKey, UnbanKey } from '../parts/key-dialogs.tsx';
import { Page } from '../parts/page.tsx';
import { localMinute, localTime } from '../parts/time.ts';
import { useKeys } from '../queries.ts';
import type { Key } from '../shapes.ts';

type OpenDialog =
  | { readonly kind: 'issue' }
  | { readonly kind: 'rotate' | 'revoke' | 'unban'; readonly key: Key }
  | { readonly kind: 'issued'; readonly text: string };

const KEY_INDICATORS = { active: 'success', banned: 'error', expired: 'stopped' } as const satisfies Record<Key['state'], string>;

/** The page with an account's API keys. */
export function KeysPage() {
  const { accountId = '' } = useParams({ strict: false });
  const keys = useKeys(accountId);
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
      <Loaded of={keys}>
        {(items) => (
          <ItemTable
            title="Keys"
            items={items}
            id={({ keyId }) => keyId}
            columns={[
              {
                header: 'Name',
                cell: ({ name, keyId }) => (
                  <>
                    {name}
                    <Box variant="small" display="block">
                      {keyId}
                    </Box>
                  </>
                ),
                text: ({ name, keyId }) => `${name} ${keyId}`,
              },
              { header: 'Scopes', cell: ({ scopes }) => scopes.join(', '), text: ({ scopes }) => scopes.join() },
              {
                header: 'State',
                cell: ({ state, bannedUntil }) => (
                  <StatusIndicator wrapText={bannedUntil !== null} type={KEY_INDICATORS[state]}>
                    {bannedUntil === null ? state : `banned until ${localTime(bannedUntil)}`}
                  </StatusIndicator>
                ),
                text: ({ state }) => state,
              },
              {
                header: 'Last used',
                cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localMinute(lastUsedAt)),
                text: ({ lastUsedAt }) => lastUsedAt ?? '',
              },
              { header: 'Created', cell: ({ createdAt }) => localMinute(createdAt), text: ({ createdAt }) => createdAt },
              {
                header: 'Expires',
                cell: ({ expiresAt }) => (expiresAt === null ? 'never' : localMinute(expiresAt)),
                text: ({ expiresAt }) => expiresAt ?? '9',
              },
              {
                header: 'Actions',
                cell: (key) => (
                  <SpaceBetween direction="horizontal" size="s">
                    <Button
                      variant="inline-link"
                      ariaLabel={`Rotate ${key.name}, ${key.keyId}`}
                      disabled={key.state === 'expired'}
                      onClick={() => setDialog({ kind: 'rotate', key })}
                    >
                      Rotate
                    </Button>
                    {key.state === 'banned' && (
                      <Button variant="inline-link" ariaLabel={`Unban ${key.name}, ${key.keyId}`} onClick={() => setDialog({ kind: 'unban', key })}>
                        Unban
                      </Button>
                    )}
                    <Button variant="inline-link" ariaLabel={`Revoke ${key.name}, ${key.keyId}`} onClick={() => setDialog({ kind: 'revoke', key })}>
                      Revoke
                    </Button>
                  </SpaceBetween>
                ),
              },
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
      {dialog?.kind === 'issue' && <IssueKey accountId={accountId} close={close} issued={issued} />}
      {dialog?.kind === 'rotate' && <RotateKey accountId={accountId} of={dialog.key} close={close} issued={issued} />}
      {dialog?.kind === 'revoke' && <RevokeKey accountId={accountId} of={dialog.key} close={close} />}
      {dialog?.kind === 'unban' && <UnbanKey accountId={accountId} of={dialog.key} close={close} />}
      {dialog?.kind === 'issued' && <IssuedKey text={dialog.text} close={close} />}
    </Page>
  );
}
