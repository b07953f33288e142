// API keys of an account: issue, rotate, revoke.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { localTime } from '../parts/time.ts';
import { type Key, useChange, useKeys } from '../queries.ts';

const SCOPES = [
  { value: 'pets:read', label: 'pets:read' },
  { value: 'pets:write', label: 'pets:write' },
] as const;
const GRACES = [
  { value: '86400', label: '24 hours' },
  { value: '3600', label: '1 hour' },
  { value: '604800', label: '7 days' },
  { value: '0', label: 'none: it stops at once' },
];

type OpenDialog =
  | { readonly kind: 'issue' }
  | { readonly kind: 'rotate' | 'revoke'; readonly key: Key }
  | { readonly kind: 'issued'; readonly text: string };

export function KeysPage() {
  const { accountId = '' } = useParams({ strict: false });
  const keys = useKeys(accountId);
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  const issue = (
    <Button variant="primary" onClick={() => setDialog({ kind: 'issue' })}>
      Issue key
    </Button>
  );
  return (
    <Page title="API keys" accountId={accountId} actions={issue}>
      <Loaded of={keys}>
        {(items) => (
          <Table
            header={<Header counter={`(${items.length})`}>Keys</Header>}
            items={items}
            trackBy="keyId"
            columnDefinitions={[
              { id: 'name', header: 'Name', isRowHeader: true, cell: ({ name }) => name },
              { id: 'id', header: 'Key', cell: ({ keyId }) => keyId },
              { id: 'scopes', header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
              {
                id: 'state',
                header: 'State',
                cell: ({ state }) => <StatusIndicator type={state === 'active' ? 'success' : 'stopped'}>{state}</StatusIndicator>,
              },
              { id: 'created', header: 'Created', cell: ({ createdAt }) => localTime(createdAt) },
              { id: 'expires', header: 'Ends', cell: ({ expiresAt }) => (expiresAt === null ? 'never' : localTime(expiresAt)) },
              {
                id: 'actions',
                header: 'Actions',
                cell: (key) => (
                  <SpaceBetween direction="horizontal" size="s">
                    <Button
                      variant="inline-link"
                      ariaLabel={`Rotate ${key.name}`}
                      disabled={key.state !== 'active'}
                      onClick={() => setDialog({ kind: 'rotate', key })}
                    >
                      Rotate
                    </Button>
                    <Button variant="inline-link" ariaLabel={`Revoke ${key.name}`} onClick={() => setDialog({ kind: 'revoke', key })}>
                      Revoke
                    </Button>
                  </SpaceBetween>
                ),
              },
            ]}
            empty={
              <Box textAlign="center">
                <SpaceBetween size="s">
                  <Box>No keys. Every call of the API needs one.</Box>
                  {issue}
                </SpaceBetween>
              </Box>
            }
          />
        )}
      </Loaded>
      {dialog?.kind === 'issue' && <IssueKey accountId={accountId} close={close} issued={(text) => setDialog({ kind: 'issued', text })} />}
      {dialog?.kind === 'rotate' && (
        <RotateKey accountId={accountId} of={dialog.key} close={close} issued={(text) => setDialog({ kind: 'issued', text })} />
      )}
      {dialog?.kind === 'revoke' && <RevokeKey accountId={accountId} of={dialog.key} close={close} />}
      {dialog?.kind === 'issued' && <IssuedKey text={dialog.text} close={close} />}
    </Page>
  );
}

interface KeyDialogProps {
  readonly accountId: string;
  readonly close: () => void;
}

function Actions({
  close,
  act,
  text,
  busy,
  disabled = false,
}: {
  readonly close: () => void;
  readonly act: () => void;
  readonly text: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
}) {
  return (
    <Box float="right">
      <SpaceBetween direction="horizontal" size="xs">
        <Button variant="link" onClick={close}>
          Cancel
        </Button>
        <Button variant="primary" onClick={act} loading={busy} disabled={disabled}>
          {text}
        </Button>
      </SpaceBetween>
    </Box>
  );
}

function IssueKey({ accountId, close, issued }: KeyDialogProps & { readonly issued: (text: string) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly { value: string; label: string }[]>(SCOPES);
  const issue = useChange(
    (api) =>
      unwrap(
        api.POST('/dashboard/v1/accounts/{accountId}/keys', {
          params: { path: { accountId } },
          body: { name, scopes: scopes.map(({ value }) => value as 'pets:read') },
        }),
      ),
    [['keys', accountId]],
  );
  const act = () => issue.mutate(undefined, { onSuccess: ({ key }) => issued(key) });
  return (
    <Dialog
      close={close}
      header="Issue key"
      footer={<Actions close={close} act={act} text="Issue" busy={issue.isPending} disabled={name.trim() === '' || scopes.length === 0} />}
    >
      <SpaceBetween size="m">
        <FormField label="Name" description="What will use it, such as the till.">
          <Input value={name} onChange={({ detail }) => setName(detail.value)} autoComplete="off" />
        </FormField>
        <FormField label="Scopes">
          <Multiselect
            selectedOptions={scopes}
            options={SCOPES}
            onChange={({ detail }) => setScopes(detail.selectedOptions as typeof scopes)}
            deselectAriaLabel={({ label }) => `Remove ${label}`}
            placeholder="At least one"
          />
        </FormField>
      </SpaceBetween>
    </Dialog>
  );
}

function RotateKey({ accountId, of, close, issued }: KeyDialogProps & { readonly of: Key; readonly issued: (text: string) => void }) {
  const [grace, setGrace] = useState(GRACES[0]);
  const rotate = useChange(
    (api) =>
      unwrap(
        api.POST('/dashboard/v1/accounts/{accountId}/keys/{keyId}/rotate', {
          params: { path: { accountId, keyId: of.keyId } },
          body: { graceSeconds: Number(grace?.value) },
        }),
      ),
    [['keys', accountId]],
  );
  const act = () => rotate.mutate(undefined, { onSuccess: ({ key }) => issued(key) });
  return (
    <Dialog close={close} header={`Rotate ${of.name}`} footer={<Actions close={close} act={act} text="Rotate" busy={rotate.isPending} />}>
      <SpaceBetween size="m">
        <Box>A successor with the same scopes is issued. The old key goes on for a while, so that you can put the new one in its place.</Box>
        <FormField label="Both keys are good for">
          <Select
            selectedOption={grace ?? null}
            options={GRACES}
            onChange={({ detail }) => setGrace(detail.selectedOption as (typeof GRACES)[number])}
          />
        </FormField>
      </SpaceBetween>
    </Dialog>
  );
}

function RevokeKey({ accountId, of, close }: KeyDialogProps & { readonly of: Key }) {
  const revoke = useChange(
    (api) => unwrap(api.DELETE('/dashboard/v1/accounts/{accountId}/keys/{keyId}', { params: { path: { accountId, keyId: of.keyId } } })),
    [['keys', accountId]],
    `${of.name} is revoked.`,
  );
  const act = () => revoke.mutate(undefined, { onSuccess: close });
  return (
    <Dialog close={close} header={`Revoke ${of.name}`} footer={<Actions close={close} act={act} text="Revoke" busy={revoke.isPending} />}>
      <Alert type="warning">Its next request is refused. That can't be undone; to go over to another key without a gap, rotate it.</Alert>
    </Dialog>
  );
}

function IssuedKey({ text, close }: { readonly text: string; readonly close: () => void }) {
  return (
    <Dialog
      close={close}
      header="Your new key"
      footer={
        <Box float="right">
          <Button variant="primary" onClick={close}>
            I have kept it
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Alert type="info">It is shown only now. Nobody can read it again, we neither.</Alert>
        <CopyToClipboard
          variant="inline"
          textToCopy={text}
          copyButtonAriaLabel="Copy the key"
          copySuccessText="Copied"
          copyErrorText="Copying failed"
        />
      </SpaceBetween>
    </Dialog>
  );
}
