// An account's settings: what identifies it, and its end.

import { useParams } from '@tanstack/react-router';
import { DeleteAccount } from '../parts/delete-account.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Rename } from '../parts/rename.tsx';
import { Breakable, Copy, localMinute } from '../parts/text.tsx';
import { useAccountDetail, useRequest } from '../queries.ts';
import type { Account } from '../shapes.ts';
import { Facts, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';

/** The page with an account's settings. */
export function AccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccountDetail(accountId);
  return (
    <Page title="Account settings">
      <Loaded of={account}>
        {(found) => (
          <div className="stack large">
            <Section title="About" actions={found.role === 'owner' && <Button dialog={<RenameAccount account={found} />}>Rename</Button>}>
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

function RenameAccount({ account }: { readonly account: Account }) {
  const rename = useRequest('PUT', '/accounts/{accountId}', account, { successMessage: 'Renamed.' });
  return <Rename what="account" present={account.name} description="Members see it; keys and limits stay as they are." change={rename} />;
}
