// A project's deploy tokens, with which pipelines publish.

import { useState } from 'react';
import { useCreation, useRead, useRequest } from '../queries.ts';
import type { DeployToken } from '../shapes.ts';
import { Notice, Status } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input, Select } from '../ui/field.tsx';
import { changing, Dialog, useDraft } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { LastUse } from './key-cells.tsx';
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
  const tokens = useRead('/projects/{projectId}/deploy-tokens', { projectId });
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  return (
    <>
      <Loaded of={tokens}>
        {(items) => (
          <ItemTable
            title="Deploy tokens"
            description="Lets a pipeline publish this project, and nothing else."
            actions={<Button onClick={() => setDialog({ kind: 'create' })}>Create token</Button>}
            items={items}
            id={({ tokenId }) => tokenId}
            columns={[
              {
                header: 'Name',
                cell: ({ name, tokenId }) => (
                  <>
                    {name}
                    <small>{tokenId}</small>
                  </>
                ),
                text: ({ name, tokenId }) => `${name} ${tokenId}`,
              },
              {
                header: 'State',
                cell: ({ state }) => <Status kind={state === 'active' ? 'success' : 'stopped'}>{state}</Status>,
                text: ({ state }) => state,
              },
              {
                header: 'Last used',
                cell: (token) => <LastUse of={token} />,
                text: ({ lastUsedAt }) => lastUsedAt ?? '',
              },
              { header: 'Expires', cell: ({ expiresAt }) => localMinute(expiresAt), text: ({ expiresAt }) => expiresAt },
              {
                header: 'Action',
                cell: (token) => (
                  <Button kind="link" label={`Revoke ${token.name}, ${token.tokenId}`} onClick={() => setDialog({ kind: 'revoke', token })}>
                    Revoke
                  </Button>
                ),
              },
            ]}
            empty={<p>No deploy tokens.</p>}
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
  const [lifetime, setLifetime] = useDraft<(typeof LIFETIMES)[number]['value']>('lifetime', '90');
  const create = useCreation('/projects/{projectId}/deploy-tokens', { projectId });
  return (
    <Dialog
      close={close}
      header="Create deploy token"
      {...changing('Create token', create, { name, expiresInDays: Number(lifetime) }, ({ token }) => created(token), {
        disabled: name.trim() === '',
      })}
    >
      <Field name="name" label="Name" description="What will use the token, for example the pipeline's name.">
        <Input value={name} change={setName} />
      </Field>
      <Field label="Expires">
        <Select value={lifetime} options={LIFETIMES} change={setLifetime} />
      </Field>
    </Dialog>
  );
}

function CreatedToken({ projectId, text, close }: TokenDialogProps & { readonly text: string }) {
  return (
    <Dialog close={close} stays wide header="Deploy token created" action={{ text: "I've saved it", run: close }}>
      <Notice kind="warning">This is the only time that the token is shown. Store it in your pipeline's secrets.</Notice>
      <div className="stack tight secret">
        <strong>Token</strong>
        <Copy text={text} label="Copy the token" />
      </div>
      <div className="stack tight">
        <strong>Publish with it</strong>
        <small className="muted">Run this in your pipeline, with PETSTORE_DEPLOY_TOKEN set to the token.</small>
        <Copy text={`petstore --url ${location.origin} projects deploy ${projectId} FOLDER`} label="Copy the command" />
      </div>
    </Dialog>
  );
}

function RevokeToken({ projectId, token: { tokenId, name, lastUsedAt }, close }: TokenDialogProps & { readonly token: DeployToken }) {
  const revoke = useRequest('DELETE', '/projects/{projectId}/deploy-tokens/{tokenId}', { projectId, tokenId }, { successMessage: 'Revoked.' });
  return (
    <Dialog close={close} header={`Revoke ${name}`} {...changing('Revoke', revoke, undefined, close, { isDangerous: true })}>
      <Notice kind="error">
        Pipelines that use this token will no longer be able to publish. It was{' '}
        {lastUsedAt === null ? 'never used' : `last used ${localMinute(lastUsedAt)}`}. This can't be undone.
      </Notice>
    </Dialog>
  );
}
