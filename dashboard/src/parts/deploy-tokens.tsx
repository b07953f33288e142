// A project's deploy tokens, with which pipelines publish.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { useChange, useRead } from '../queries.ts';
import type { DeployToken } from '../shapes.ts';
import { Dialog } from './dialog.tsx';
import { useDraft } from './draft.ts';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { Field } from './refusal.tsx';
import { Copy, localMinute } from './text.tsx';

const LIFETIMES = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '366', label: 'in a year' },
] as const;

type OpenDialog =
  | { readonly kind: 'create' }
  | { readonly kind: 'created'; readonly text: string }
  | { readonly kind: 'revoke'; readonly token: DeployToken };

/** The tokens, with dialogs to create and revoke one. */
export function DeployTokens({ projectId }: { readonly projectId: string }) {
  const tokens = useRead(['deploy tokens', projectId], (api) =>
    unwrap(api.GET('/projects/{projectId}/deploy-tokens', { params: { path: { projectId } } })),
  );
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  return (
    <>
      <Loaded of={tokens}>
        {(items) => (
          <ItemTable
            title="Deploy tokens"
            description="A pipeline publishes this project with one, and can do nothing else."
            actions={<Button onClick={() => setDialog({ kind: 'create' })}>Create token</Button>}
            items={items}
            id={({ tokenId }) => tokenId}
            columns={[
              {
                header: 'Name',
                cell: ({ name, tokenId }) => (
                  <>
                    {name}
                    <Box variant="small" display="block">
                      {tokenId}
                    </Box>
                  </>
                ),
                text: ({ name, tokenId }) => `${name} ${tokenId}`,
              },
              {
                header: 'State',
                cell: ({ state }) => <StatusIndicator type={state === 'active' ? 'success' : 'stopped'}>{state}</StatusIndicator>,
                text: ({ state }) => state,
              },
              {
                header: 'Last used',
                cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : localMinute(lastUsedAt)),
                text: ({ lastUsedAt }) => lastUsedAt ?? '',
              },
              { header: 'Expires', cell: ({ expiresAt }) => localMinute(expiresAt), text: ({ expiresAt }) => expiresAt },
              {
                header: 'Action',
                cell: (token) => (
                  <Button
                    variant="inline-link"
                    ariaLabel={`Revoke ${token.name}, ${token.tokenId}`}
                    onClick={() => setDialog({ kind: 'revoke', token })}
                  >
                    Revoke
                  </Button>
                ),
              },
            ]}
            empty={<Box>No deploy tokens.</Box>}
          />
        )}
      </Loaded>
      {dialog?.kind === 'create' && <CreateToken projectId={projectId} close={close} created={(text) => setDialog({ kind: 'created', text })} />}
      {dialog?.kind === 'created' && <CreatedToken projectId={projectId} text={dialog.text} close={close} />}
      {dialog?.kind === 'revoke' && <RevokeToken projectId={projectId} token={dialog.token} close={close} />}
    </>
  );
}

interface TokenDialogProps {
  readonly projectId: string;
  readonly close: () => void;
}

function CreateToken({ projectId, close, created }: TokenDialogProps & { readonly created: (text: string) => void }) {
  const [name, setName] = useDraft('token', '');
  const [lifetime, setLifetime] = useDraft<(typeof LIFETIMES)[number]>('lifetime', LIFETIMES[1]);
  const create = useChange(
    (api) =>
      unwrap(
        api.POST('/projects/{projectId}/deploy-tokens', {
          params: { path: { projectId } },
          body: { name, expiresInDays: Number(lifetime.value) },
        }),
      ),
    { stale: [['deploy tokens', projectId]], showsFailure: true },
  );
  return (
    <Dialog
      close={close}
      header="Create deploy token"
      action={{
        text: 'Create token',
        run: () => create.mutate(undefined, { onSuccess: ({ token }) => created(token) }),
        busy: create.isPending,
        disabled: name.trim() === '',
      }}
      failure={create.error}
    >
      <Field name="name" label="Name" description="What will use the token, for example the pipeline's name.">
        <Input autoFocus value={name} onChange={({ detail }) => setName(detail.value)} autoComplete="off" />
      </Field>
      <FormField label="Expires">
        <Select
          selectedOption={lifetime}
          options={LIFETIMES}
          onChange={({ detail }) => setLifetime(LIFETIMES.find(({ value }) => value === detail.selectedOption.value) ?? LIFETIMES[1])}
        />
      </FormField>
    </Dialog>
  );
}

function CreatedToken({ projectId, text, close }: TokenDialogProps & { readonly text: string }) {
  return (
    <Dialog close={close} stays header="Deploy token created" action={{ text: "I've saved it", run: close }}>
      <SpaceBetween size="m">
        <Alert type="warning">This is the only time that the token is shown. Store it in your pipeline's secrets.</Alert>
        <FormField label="Token">
          <Copy text={text} label="Copy the token" />
        </FormField>
        <FormField label="Publish with it" description="In the environment of your pipeline, with the token as PETSTORE_DEPLOY_TOKEN.">
          <Copy text={`petstore --url ${location.origin} projects deploy ${projectId} FOLDER`} label="Copy the command" />
        </FormField>
      </SpaceBetween>
    </Dialog>
  );
}

function RevokeToken({ projectId, token: { tokenId, name }, close }: TokenDialogProps & { readonly token: DeployToken }) {
  const revoke = useChange(
    (api) => unwrap(api.DELETE('/projects/{projectId}/deploy-tokens/{tokenId}', { params: { path: { projectId, tokenId } } })),
    { stale: [['deploy tokens', projectId]], successMessage: 'Revoked.', showsFailure: true },
  );
  return (
    <Dialog
      close={close}
      header={`Revoke ${name}`}
      action={{ text: 'Revoke', run: () => revoke.mutate(undefined, { onSuccess: close }), busy: revoke.isPending }}
      failure={revoke.error}
    >
      <Alert type="warning">The token is refused from then on. This can't be undone.</Alert>
    </Dialog>
  );
}
