// An account's settings: what identifies it, and its deletion.

import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { changing, Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { Breakable, Copy } from '../parts/text.tsx';
import { useAccountDetail, useRequest } from '../queries.ts';
import type { Account, AccountDetail } from '../shapes.ts';
import { localMinute } from '../times.ts';
import { Facts, Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';

/** The page with an account's settings. */
export function AccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccountDetail(accountId);
  return (
    <Page title="Account settings">
      <Loaded of={account}>
        {(found) => (
          <div className="stack large">
            {found.role === 'owner' && <Name account={found} />}
            <Section title="About" description="You need this ID for the CLI and for support.">
              <Facts
                items={[
                  ...(found.role === 'owner' ? [] : [{ label: 'Account', value: <Breakable text={found.name} /> }]),
                  { label: 'Account ID', value: <Copy text={accountId} label="Copy the account's id" /> },
                  { label: 'Your role', value: found.role },
                  { label: 'Created', value: localMinute(found.createdAt) },
                ]}
              />
            </Section>
            {found.role === 'owner' && <DeleteAccount account={found} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Name({ account }: { readonly account: Account }) {
  const [typed, setTyped] = useState(account.name);
  const rename = useRequest('PUT', '/accounts/{accountId}', account, { successMessage: 'Renamed.' });
  const name = typed.trim();
  return (
    <Section title="Name" description="Members see it; keys and limits stay as they are.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ name });
        }}
      >
        <Refusal failure={rename.error}>
          <div className="fields">
            <Field name="name" label="Account name">
              <Input value={typed} change={setTyped} />
            </Field>
            <Button kind="primary" submit busy={rename.isPending} disabled={name === '' || name === account.name}>
              Save
            </Button>
          </div>
        </Refusal>
      </form>
    </Section>
  );
}

function DeleteAccount({ account }: { readonly account: AccountDetail }) {
  const { projects } = account.used;
  return (
    <Section
      title="Delete this account"
      description="Its keys stop working at once. Its usage, members and invitations are deleted with it."
      actions={
        <Button kind="ends" disabled={projects > 0} dialog={<ConfirmDeletion account={account} />}>
          Delete account
        </Button>
      }
    >
      {projects === 0 ? (
        <p>This can't be undone.</p>
      ) : (
        <p>
          First delete <a href={`/accounts/${account.accountId}/projects`}>{projects === 1 ? 'its project' : `its ${projects} projects`}</a>.
        </p>
      )}
    </Section>
  );
}

function ConfirmDeletion({ account }: { readonly account: AccountDetail }) {
  const { name } = account;
  const navigate = useNavigate();
  const remove = useRequest('DELETE', '/accounts/{accountId}', account, { reads: 'user', successMessage: `${name} is deleted.` });
  const done = () => void navigate({ to: '/' });
  return (
    <Dialog header={`Delete ${name}`} confirm={name} {...changing('Delete', remove, undefined, { done, isDangerous: true })}>
      <Notice kind="error">Requests with its keys will fail at once. This can't be undone.</Notice>
    </Dialog>
  );
}
