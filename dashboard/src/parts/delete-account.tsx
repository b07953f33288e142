// The end of an account, for its owners.

import { useNavigate } from '@tanstack/react-router';
import { useRequest } from '../queries.ts';
import type { AccountDetail } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { changing, Dialog } from './dialog.tsx';

/** What goes with an account, and the button that deletes it. */
export function DeleteAccount({ account }: { readonly account: AccountDetail }) {
  const { projects } = account.used;
  return (
    <Section
      title="Delete this account"
      description="Its keys stop working at once. Its usage, members and invitations are deleted with it."
      actions={
        <Button disabled={projects > 0} dialog={<Confirm account={account} />}>
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
    </Section>
  );
}

function Confirm({ account }: { readonly account: AccountDetail }) {
  const { name } = account;
  const navigate = useNavigate();
  const remove = useRequest('DELETE', '/accounts/{accountId}', account, { reads: 'user', successMessage: `${name} is deleted.` });
  const done = () => void navigate({ to: '/' });
  return (
    <Dialog header={`Delete ${name}`} confirm={name} {...changing('Delete', remove, undefined, { done, isDangerous: true })}>
      <Notice kind="error">Requests with its keys will fail at once. This can’t be undone.</Notice>
    </Dialog>
  );
}
