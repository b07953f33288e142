// The end of an account, for its owners.

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRequest } from '../queries.ts';
import type { AccountDetail } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Field } from './refusal.tsx';

/** What goes with an account, and the button that deletes it. */
export function DeleteAccount({ account }: { readonly account: AccountDetail }) {
  const [open, setOpen] = useState(false);
  const { projects } = account.used;
  return (
    <Section
      title="Delete this account"
      description="Its keys stop working at once. Its usage, members and invitations are deleted with it."
      actions={
        <Button disabled={projects > 0} onClick={() => setOpen(true)}>
          Delete account
        </Button>
      }
    >
      {projects === 0 ? (
        <p>This can’t be undone.</p>
      ) : (
        <p>
          First delete <a href={`/accounts/${account.accountId}/projects`}>{projects === 1 ? 'its project' : `its ${projects} projects`}</a>.
        </p>
      )}
      {open && <Confirm account={account} close={() => setOpen(false)} />}
    </Section>
  );
}

function Confirm({ account: { accountId, name }, close }: { readonly account: AccountDetail; readonly close: () => void }) {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const remove = useRequest('DELETE', '/accounts/{accountId}', { accountId }, { reads: 'user', successMessage: `${name} is deleted.` });
  return (
    <Dialog
      close={close}
      header={`Delete ${name}`}
      {...changing('Delete', remove, undefined, () => void navigate({ to: '/' }), { disabled: typed.trim() !== name.trim(), isDangerous: true })}
    >
      <Notice kind="error">Requests with its keys will fail at once. This can’t be undone.</Notice>
      <Field label={`To confirm, type ${name}`}>
        <Input value={typed} change={setTyped} />
      </Field>
    </Dialog>
  );
}
