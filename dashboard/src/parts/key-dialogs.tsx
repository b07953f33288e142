// The dialogs for operations on keys.

import { type IssuedKey, recognized, recognizedIn } from '../key-rows.ts';
import { useCreation, useKeys, useRequest } from '../queries.ts';
import type { Key } from '../shapes.ts';
import { localMinute } from '../times.ts';
import { Notice } from '../ui/blocks.tsx';
import { Checkbox, Input, Select } from '../ui/field.tsx';
import { changing, Dialog, useDraft } from './dialog.tsx';
import { lastUseText } from './key-cells.tsx';
import { Field, useProblems } from './refusal.tsx';

type Scope = Key['scopes'][number];

const SCOPES: Readonly<Record<Scope, string>> = { 'pets:read': 'List and read animals', 'pets:write': 'Add animals' };
const NEVER = 'never';
const KEPT = 'kept';
const LIFETIMES = [
  { value: NEVER, label: 'never' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
] as const;
const GRACES = [
  { value: '604800', label: '7 days' },
  { value: '86400', label: '24 hours' },
  { value: '3600', label: '1 hour' },
  { value: '0', label: '0 minutes: the old key stops working immediately' },
] as const;

interface IssuingProps {
  readonly accountId: string;
  readonly issued: (key: IssuedKey) => void;
}

interface KeyDialogProps {
  readonly accountId: string;
  readonly of: Key;
}

/** Dialog to create a key. */
export function IssueKey({ accountId, issued }: IssuingProps) {
  const [name, setName] = useDraft('key', '');
  const [scopes, setScopes] = useDraft('scopes', Object.keys(SCOPES) as Scope[]);
  const [lifetime, setLifetime] = useDraft<(typeof LIFETIMES)[number]['value']>('lifetime', NEVER);
  const issue = useCreation('/accounts/{accountId}/keys', { accountId }, { made: issued });
  const body = { name, scopes, ...(lifetime !== NEVER && { expiresInDays: Number(lifetime) }) };
  return (
    <Dialog header="Create key" {...changing('Create', issue, body, { disabled: name.trim() === '' || scopes.length === 0 })}>
      <Field name="name" label="Name" description="What will use the key, for example the till.">
        <Input value={name} change={setName} />
      </Field>
      <Scopes chosen={scopes} choose={setScopes} />
      <Field label="Expires">
        <Select value={lifetime} options={LIFETIMES} change={setLifetime} />
      </Field>
    </Dialog>
  );
}

function Scopes({ chosen, choose }: { readonly chosen: readonly Scope[]; readonly choose: (scopes: Scope[]) => void }) {
  const problem = useProblems('scopes')('scopes');
  return (
    <fieldset className="stack tight">
      <legend>Scopes</legend>
      {(Object.keys(SCOPES) as Scope[]).map((scope) => (
        <Checkbox
          key={scope}
          checked={chosen.includes(scope)}
          change={(checked) => choose((Object.keys(SCOPES) as Scope[]).filter((each) => (each === scope ? checked : chosen.includes(each))))}
          description={SCOPES[scope]}
        >
          {scope}
        </Checkbox>
      ))}
      {problem !== undefined && <p className="field-error">{problem}</p>}
    </fieldset>
  );
}

/** Dialog to rotate a key. */
export function RotateKey({ accountId, of: { keyId, name }, issued }: IssuingProps & KeyDialogProps) {
  const [grace, setGrace] = useDraft<(typeof GRACES)[number]['value']>('grace', '86400');
  const rotate = useCreation('/accounts/{accountId}/keys/{keyId}/rotate', { accountId, keyId }, { made: issued });
  return (
    <Dialog header={`Rotate ${name}`} {...changing('Rotate', rotate, { graceSeconds: Number(grace) })}>
      <p>Creates a new key with the same scopes. The old one keeps working for the time below, so that you can replace it.</p>
      <Field label="Both keys work for">
        <Select value={grace} options={GRACES} change={setGrace} />
      </Field>
    </Dialog>
  );
}

/** Dialog to revoke a key. */
export function RevokeKey({ accountId, of }: KeyDialogProps) {
  const { keyId, name, successorId } = of;
  const isReplaced = useKeys(accountId).data?.some((key) => key.keyId === successorId && key.state === 'active') === true;
  const revoke = useRequest(
    'DELETE',
    '/accounts/{accountId}/keys/{keyId}',
    { accountId, keyId },
    { successMessage: `${name} (${recognizedIn(of)}) is revoked.` },
  );
  return (
    <Dialog header={`Revoke ${name}`} about={recognized(of)} {...changing('Revoke', revoke, undefined, { isDangerous: true })}>
      <Notice kind="error" title={lastUseText('This key', of)}>
        Requests with this key will fail immediately. This can't be undone.{' '}
        {successorId === null && 'To switch to another key without interruption, rotate it instead.'}
        {successorId !== null && (isReplaced ? 'The key that replaced it keeps working.' : 'The key that replaced it does not work any more either.')}
      </Notice>
    </Dialog>
  );
}

/** Dialog to lift a key's ban. */
export function UnbanKey({ accountId, of }: KeyDialogProps) {
  const { keyId, name } = of;
  const unban = useRequest(
    'POST',
    '/accounts/{accountId}/keys/{keyId}/unban',
    { accountId, keyId },
    { successMessage: `${name} works again within a minute.` },
  );
  return (
    <Dialog header={`Unban ${name}`} {...changing('Unban', unban, undefined)}>
      <p>
        The key was banned because its client kept sending requests after 429 responses. Stop or fix that client first: otherwise the key is banned
        again, for longer. The key works again within a minute. {lastUseText('It', of)}
      </p>
    </Dialog>
  );
}

const useChangeKey = (accountId: string, keyId: string, successMessage: string) =>
  useRequest('PUT', '/accounts/{accountId}/keys/{keyId}', { accountId, keyId }, { successMessage });

/** Dialog to change a key's name, scopes and expiry. Only differences are sent, so that concurrent changes by others are kept. */
export function EditKey({ accountId, of }: KeyDialogProps) {
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
    ...LIFETIMES.filter(({ value }) => value !== NEVER || expiresAt !== null),
  ];
  return (
    <Dialog
      header={`Edit ${of.name}`}
      about={recognized(of)}
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
export function PauseKey({ accountId, of }: KeyDialogProps) {
  const { keyId, name } = of;
  const pause = useChangeKey(accountId, keyId, `${name} is paused.`);
  return (
    <Dialog header={`Pause ${name}`} about={recognized(of)} {...changing('Pause', pause, { paused: true })}>
      <Notice kind="warning" title={lastUseText('This key', of)}>
        Everything that uses it stops working at once: its requests get 403, with a message that says why. It works again when you resume it. Other
        keys keep working.
      </Notice>
    </Dialog>
  );
}

/** Dialog to resume a key. */
export function ResumeKey({ accountId, of }: KeyDialogProps) {
  const { keyId, name, pausedAt, expiresAt } = of;
  const resume = useChangeKey(accountId, keyId, `${name} works again within 5 seconds.`);
  return (
    <Dialog header={`Resume ${name}`} about={recognized(of)} {...changing('Resume', resume, { paused: false })}>
      <p>
        Requests with it are admitted again{expiresAt !== null && `, until ${localMinute(expiresAt)}`}. If it was paused because it may have leaked,
        rotate it instead, and revoke the old one.{pausedAt !== null && ` It has been paused since ${localMinute(pausedAt)}.`}
      </p>
    </Dialog>
  );
}
