// An account's settings: what identifies it, and its end.

import { useParams } from '@tanstack/react-router';
import { DeleteAccount } from '../parts/delete-account.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Breakable, Copy, localMinute } from '../parts/text.tsx';
import { useAccountDetail } from '../queries.ts';
import { Facts, Section } from '../ui/blocks.tsx';

/** The page with an account's settings. */
export function AccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccountDetail(accountId);
  return (
    <Page title="Account settings">
      <Loaded of={account}>
        {(found) => (
          <div className="stack large">
            <Section>
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
