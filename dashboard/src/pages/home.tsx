// The start page: redirects to the first account's projects, or to the creation of the first account.

import { Navigate } from '@tanstack/react-router';
import { Failure, Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useMe } from '../queries.ts';

/** The start page. */
export function Home() {
  const me = useMe();
  return (
    <Loaded of={me}>
      {({ accounts: [account] }) =>
        account === undefined ? (
          <Navigate to="/accounts/new" replace />
        ) : (
          <Navigate to="/accounts/$accountId/projects" params={{ accountId: account.accountId }} replace />
        )
      }
    </Loaded>
  );
}

/** The page for unknown URLs. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Failure error={new Error('This page does not exist.')} />
    </Page>
  );
}
