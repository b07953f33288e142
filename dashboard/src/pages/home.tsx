// The start page: redirects to the first account's projects, or to the page that creates the first account.

import { Navigate } from '@tanstack/react-router';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useMe } from '../queries.ts';
import { Button } from '../ui/button.tsx';

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
      <div className="card narrow">
        <p>This page does not exist. The link may be incomplete, or the page may have been removed.</p>
        <div className="row">
          <Button kind="primary" href="/">
            Your projects
          </Button>
          <Button href="/docs">API reference</Button>
        </div>
      </div>
    </Page>
  );
}
