// The end of an account, for its owners.

import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteAccount } from '../queries.ts';
import type { AccountDetail } from '../shapes.ts';
import { Dialog } from './dialog.tsx';

/** What goes with an account, and the button that deletes it. */
export function DeleteAccount({ account }: { readonly account: AccountDetail }) {
  const [open, setOpen] = useState(false);
  const { projects } = account.used;
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="Its keys stop working at once. Its usage, members and invitations are deleted with it."
          actions={
            <Button disabled={projects > 0} onClick={() => setOpen(true)}>
              Delete account
            </Button>
          }
        >
          Delete this account
        </Header>
      }
    >
      {projects === 0 ? (
        'This can’t be undone.'
      ) : (
        <>
          First delete <Link href={`/accounts/${account.accountId}/projects`}>{projects === 1 ? 'its project' : `its ${projects} projects`}</Link>.
        </>
      )}
      {open && <Confirm account={account} close={() => setOpen(false)} />}
    </Container>
  );
}

function Confirm({ account: { accountId, name }, close }: { readonly account: AccountDetail; readonly close: () => void }) {
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const remove = useDeleteAccount({ accountId, name });
  return (
    <Dialog
      close={close}
      header={`Delete ${name}`}
      action={{
        text: 'Delete',
        run: () => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/' }) }),
        busy: remove.isPending,
        disabled: typed.trim() !== name.trim(),
      }}
      failure={remove.error}
    >
      <SpaceBetween size="m">
        <Alert type="warning">From then on, requests with its keys fail. This can’t be undone.</Alert>
        <FormField label={`To confirm, type ${name}`}>
          <Input autoFocus value={typed} onChange={({ detail }) => setTyped(detail.value)} autoComplete="off" />
        </FormField>
      </SpaceBetween>
    </Dialog>
  );
}
