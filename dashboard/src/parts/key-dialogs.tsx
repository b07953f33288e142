// The dialogs for operations on keys.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Multiselect from '@cloudscape-design/components/multiselect';
import Select from '@cloudscape-design/components/select';
import { unwrap } from '../api.ts';
import type { IssuedKey } from '../key-rows.ts';
import { useChange } from '../queries.ts';
import type { Key } from '../shapes.ts';
import { Dialog } from './dialog.tsx';
import { useDraft } from './draft.ts';
import { Field } from './refusal.tsx';

const SCOPES = [
  { value: 'pets:read', label: 'pets:read', description: 'List and read animals' },
  { value: 'pets:write', label: 'pets:write', description: 'Add animals' },
] as const;
const LIFETIMES = [
  { value: '', label: 'never' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
] as const;
const GRACES = [
  { value: '86400', label: '24 hours' },
  { value: '3600', label: '1 hour' },
  { value: '604800', label: '7 days' },
  { value: '0', label: 'none: it stops working at once' },
] as const;

interface KeyDialogProps {
  readonly accountId: string;
  readonly close: () => void;
}

interface IssuingProps extends KeyDialogProps {
  readonly issued: (key: IssuedKey) => void;
}

/** Dialog to create a key. */
export function IssueKey({ accountId, close, issued }: IssuingProps) {
  const [name, setName] = useDraft('key', '');
  const [scopes, setScopes] = useDraft<readonly (typeof SCOPES)[number][]>('scopes', SCOPES);
  const [lifetime, setLifetime] = useDraft<(typeof LIFETIMES)[number]>('lifetime', LIFETIMES[0]);
  const issue = useChange(
    (api) =>
      unwrap(
        api.POST('/accounts/{accountId}/keys', {
          params: { path: { accountId } },
          body: {
            name,
            scopes: scopes.map(({ value }) => value),
            ...(lifetime.value !== '' && { expiresInDays: Number(lifetime.value) }),
          },
        }),
      ),
    { stale: [['keys', accountId]], showsFailure: true },
  );
  return (
    <Dialog
      close={close}
      header="Create key"
      action={{
        text: 'Create',
        run: () => issue.mutate(undefined, { onSuccess: issued }),
        busy: issue.isPending,
        disabled: name.trim() === '' || scopes.length === 0,
      }}
      failure={issue.error}
    >
      <Field name="name" label="Name" description="What will use the key, for example the till.">
        <Input autoFocus value={name} onChange={({ detail }) => setName(detail.value)} autoComplete="off" />
      </Field>
      <Field name="scopes" label="Scopes">
        <Multiselect
          selectedOptions={scopes}
          options={SCOPES}
          onChange={({ detail }) => setScopes(SCOPES.filter(({ value }) => detail.selectedOptions.some((option) => option.value === value)))}
          deselectAriaLabel={({ label }) => `Remove ${label}`}
          placeholder="At least one"
        />
      </Field>
      <FormField label="Expires">
        <Select
          selectedOption={lifetime}
          options={LIFETIMES}
          onChange={({ detail }) => setLifetime(LIFETIMES.find(({ value }) => value === detail.selectedOption.value) ?? LIFETIMES[0])}
        />
      </FormField>
    </Dialog>
  );
}

/** Dialog to rotate a key. */
export function RotateKey({ accountId, of: { keyId, name }, close, issued }: IssuingProps & { readonly of: Key }) {
  const [grace, setGrace] = useDraft<(typeof GRACES)[number]>('grace', GRACES[0]);
  const rotate = useChange(
    (api) =>
      unwrap(
        api.POST('/accounts/{accountId}/keys/{keyId}/rotate', {
          params: { path: { accountId, keyId } },
          body: { graceSeconds: Number(grace.value) },
        }),
      ),
    { stale: [['keys', accountId]], showsFailure: true },
  );
  return (
    <Dialog
      close={close}
      header={`Rotate ${name}`}
      action={{ text: 'Rotate', run: () => rotate.mutate(undefined, { onSuccess: issued }), busy: rotate.isPending }}
      failure={rotate.error}
    >
      <Box>Creates a new key with the same scopes. The old one keeps working for the time below, so that you can replace it.</Box>
      <FormField label="Both keys work for">
        <Select
          selectedOption={grace}
          options={GRACES}
          onChange={({ detail }) => setGrace(GRACES.find(({ value }) => value === detail.selectedOption.value) ?? GRACES[0])}
        />
      </FormField>
    </Dialog>
  );
}

/** Dialog to revoke a key. */
export function RevokeKey({ accountId, of: { keyId, name }, close }: KeyDialogProps & { readonly of: Key }) {
  const revoke = useChange((api) => unwrap(api.DELETE('/accounts/{accountId}/keys/{keyId}', { params: { path: { accountId, keyId } } })), {
    stale: [['keys', accountId]],
    successMessage: `${name} is revoked.`,
    showsFailure: true,
  });
  return (
    <Dialog
      close={close}
      header={`Revoke ${name}`}
      action={{ text: 'Revoke', run: () => revoke.mutate(undefined, { onSuccess: close }), busy: revoke.isPending }}
      failure={revoke.error}
    >
      <Alert type="warning">
        Requests with this key will be refused at once. This can't be undone; to switch to another key without interruption, rotate it instead.
      </Alert>
    </Dialog>
  );
}

/** Dialog to lift a key's ban. */
export function UnbanKey({ accountId, of: { keyId, name }, close }: KeyDialogProps & { readonly of: Key }) {
  const unban = useChange((api) => unwrap(api.POST('/accounts/{accountId}/keys/{keyId}/unban', { params: { path: { accountId, keyId } } })), {
    stale: [
      ['keys', accountId],
      ['usage', accountId],
    ],
    successMessage: `${name} is no longer banned.`,
    showsFailure: true,
  });
  return (
    <Dialog
      close={close}
      header={`Unban ${name}`}
      action={{ text: 'Unban', run: () => unban.mutate(undefined, { onSuccess: close }), busy: unban.isPending }}
      failure={unban.error}
    >
      <Box>
        The key was banned because its client kept sending after 429 responses. Stop or fix that client first: otherwise the key is banned again, for
        longer. The key works again within a minute.
      </Box>
    </Dialog>
  );
}
