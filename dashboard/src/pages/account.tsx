// An account's settings: what identifies it, and its end.

import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { DeleteAccount } from '../parts/delete-account.tsx';
import { changing, Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Field } from '../parts/refusal.tsx';
import { Breakable, Copy, localMinute } from '../parts/text.tsx';
import { useAccountDetail, useRequest } from '../queries.ts';
import type { Account } from '../shapes.ts';
import { Facts, Section } from '../ui/blocks.tsx';
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
            <Section title="About" actions={found.role === 'owner' && <RenameAccount account={found} />}>
              <Facts
                items={[
                  { label: 'Account', value: <Breakable text={found.name} /> },
                  { label: 'Your role', value: found.role },
                  { label: 'Created', value: localMinute(found.createdAt) },
                  { label: 'Account ID', value: <Copy text={accountId} label="Copy the account's id" /> },
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

function RenameAccount({ account: { accountId, name: present } }: { readonly account: Pick<Account, 'accountId' | 'name'> }) {
  const [name, setName] = useState<string>();
  const rename = useRequest('PUT', '/accounts/{accountId}', { accountId }, { successMessage: 'Renamed.' });
  const close = () => setName(undefined);
  const changed = name?.trim() ?? '';
  return (
    <>
      <Button onClick={() => setName(present)}>Rename</Button>
      {name !== undefined && (
        <Dialog
          close={close}
          header="Rename account"
          {...changing('Rename', rename, { name: changed }, close, { disabled: changed === '' || changed === present })}
        >
          <Field label="Name" description="Members see it; keys and limits stay as they are.">
            <Input value={name} change={setName} />
          </Field>
        </Dialog>
      )}
    </>
  );
}
