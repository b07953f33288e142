// The dialogs that change a key without replacing it.

import { recognized } from '../key-rows.ts';
import { useRequest } from '../queries.ts';
import type { Key } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Input, Select } from '../ui/field.tsx';
import { changing, Dialog, useDraft } from './dialog.tsx';
import { lastUseText } from './key-cells.tsx';
import { Scopes } from './key-dialogs.tsx';
import { Field } from './refusal.tsx';
import { localMinute } from './text.tsx';

interface ChangeProps {
  readonly accountId: string;
  readonly of: Key;
}

const useChangeKey = (accountId: string, keyId: string, successMessage: string) =>
  useRequest('PUT', '/accounts/{accountId}/keys/{keyId}', { accountId, keyId }, { successMessage });

const KEPT = '';
const NEVER = 'never';
const LIFETIMES = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
] as const;

/** Dialog to change a key's name, scopes and expiry. Only what is different is sent: what others change meanwhile stays. */
export function EditKey({ accountId, of }: ChangeProps) {
  const { keyId, expiresAt, successorId } = of;
  const [name, setName] = useDraft(`name of ${keyId}`, of.name);
  const [scopes, setScopes] = useDraft(`scopes of ${keyId}`, of.scopes);
  const [lifetime, setLifetime] = useDraft<string>(`lifetime of ${keyId}`, KEPT);
  const edit = useChangeKey(accountId, keyId, `${name} is changed.`);
  const change = {
    ...(name !== of.name && { name }),
    ...(scopes.join() !== of.scopes.join() && { scopes }),
    ...(lifetime !== KEPT && { expiresInDays: lifetime === NEVER ? null : Number(lifetime) }),
  };
  const lifetimes = [
    { value: KEPT, label: expiresAt === null ? 'never, as it is' : `${localMinute(expiresAt)}, as it is` },
    ...LIFETIMES,
    ...(expiresAt === null ? [] : [{ value: NEVER, label: 'never' }]),
  ];
  return (
    <Dialog
      header={`Edit ${of.name}, ${recognized(of)}`}
      {...changing('Save', edit, change, { disabled: name.trim() === '' || scopes.length === 0 || Object.keys(change).length === 0 })}
    >
      <Field name="name" label="Name">
        <Input value={name} change={setName} />
      </Field>
      <Scopes chosen={scopes} choose={setScopes} />
      {successorId === null && (
        <Field label="Expires">
          <Select value={lifetime} options={lifetimes} change={setLifetime} />
        </Field>
      )}
    </Dialog>
  );
}

/** Dialog to pause a key. */
export function PauseKey({ accountId, of }: ChangeProps) {
  const { keyId, name } = of;
  const pause = useChangeKey(accountId, keyId, `${name} is paused.`);
  return (
    <Dialog header={`Pause ${name}, ${recognized(of)}`} {...changing('Pause', pause, { paused: true })}>
      <Notice kind="warning" title={lastUseText('This key', of)}>
        Everything that uses it stops working at once: its requests get 403, with a message that says why. It works again when you resume it. Other
        keys keep working.
      </Notice>
    </Dialog>
  );
}

/** Dialog to resume a key. */
export function ResumeKey({ accountId, of }: ChangeProps) {
  const { keyId, name, pausedAt, expiresAt } = of;
  const resume = useChangeKey(accountId, keyId, `${name} works again within 5 seconds.`);
  return (
    <Dialog header={`Resume ${name}, ${recognized(of)}`} {...changing('Resume', resume, { paused: false })}>
      <p>
        Requests with it are admitted again{expiresAt !== null && `, until ${localMinute(expiresAt)}`}. If it was paused because it may have leaked,
        rotate it instead, and revoke the old one.{pausedAt !== null && ` It has been paused since ${localMinute(pausedAt)}.`}
      </p>
    </Dialog>
  );
}
