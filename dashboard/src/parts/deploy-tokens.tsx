// A project's deploy tokens, with which pipelines publish.

import { useDialogs } from '../context.tsx';
import { useCreation, useRead, useRequest } from '../queries.ts';
import type { DeployToken } from '../shapes.ts';
import { Notice, Status } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input, Select } from '../ui/field.tsx';
import { changing, Dialog, useDraft } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { LastUse, lastUseText } from './key-cells.tsx';
import { Field } from './refusal.tsx';
import { Copy } from './text.tsx';

const LIFETIMES = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '366', label: 'in a year' },
] as const;

/** The tokens, with dialogs to create and revoke one. */
export function DeployTokens({ projectId }: { readonly projectId: string }) {
  const tokens = useRead('/projects/{projectId}/deploy-tokens', { projectId });
  return (
    <Loaded of={tokens}>
      {(items) => (
        <ItemTable
          title="Deploy tokens"
          description="Lets a pipeline publish this project, and nothing else."
          actions={<Button dialog={<CreateToken projectId={projectId} />}>Create token</Button>}
          items={items}
          id={({ tokenId }) => tokenId}
          nameOf={({ name, tokenId }) => `${name}, ${tokenId}`}
          menu={(token) => [{ text: 'Revoke', risky: true, dialog: <RevokeToken projectId={projectId} token={token} /> }]}
          columns={[
            {
              header: 'Name',
              cell: ({ name, tokenId }) => (
                <>
                  {name}
                  <small className="hint muted">{tokenId}</small>
                </>
              ),
              text: ({ name, tokenId }) => `${name} ${tokenId}`,
            },
            {
              header: 'State',
              cell: ({ state }) => <Status kind={state === 'active' ? 'success' : 'stopped'}>{state}</Status>,
              text: ({ state }) => state,
            },
            { header: 'Last used', cell: (token) => <LastUse of={token} />, at: ({ lastUsedAt }) => lastUsedAt },
            { header: 'Expires', isAhead: true, at: ({ expiresAt }) => expiresAt },
          ]}
          empty={<p>No deploy tokens.</p>}
        />
      )}
    </Loaded>
  );
}

function CreateToken({ projectId }: { readonly projectId: string }) {
  const { open } = useDialogs();
  const [name, setName] = useDraft('token', '');
  const [lifetime, setLifetime] = useDraft<(typeof LIFETIMES)[number]['value']>('lifetime', '90');
  const made = ({ token }: { readonly token: string }) => open(<CreatedToken projectId={projectId} text={token} />);
  const create = useCreation('/projects/{projectId}/deploy-tokens', { projectId }, { made });
  const body = { name, expiresInDays: Number(lifetime) };
  return (
    <Dialog header="Create deploy token" {...changing('Create token', create, body, { disabled: name.trim() === '' })}>
      <Field name="name" label="Name" description="What will use the token, for example the pipeline's name.">
        <Input value={name} change={setName} />
      </Field>
      <Field label="Expires">
        <Select value={lifetime} options={LIFETIMES} change={setLifetime} />
      </Field>
    </Dialog>
  );
}

function CreatedToken({ projectId, text }: { readonly projectId: string; readonly text: string }) {
  return (
    <Dialog stays wide header="Deploy token created" action={{ text: "I've saved it", run: (close) => close() }}>
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

function RevokeToken({ projectId, token }: { readonly projectId: string; readonly token: DeployToken }) {
  const { tokenId, name } = token;
  const revoke = useRequest('DELETE', '/projects/{projectId}/deploy-tokens/{tokenId}', { projectId, tokenId }, { successMessage: 'Revoked.' });
  return (
    <Dialog header={`Revoke ${name}`} {...changing('Revoke', revoke, undefined, { isDangerous: true })}>
      <Notice kind="error" title={lastUseText('This token', token)}>
        Pipelines that use this token will no longer be able to publish. This can't be undone.
      </Notice>
    </Dialog>
  );
}
