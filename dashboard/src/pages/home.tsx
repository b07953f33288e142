// The start: on to the first account's projects, or to make the first account.

import { Navigate } from '@tanstack/react-router';
import { Loaded } from '../parts/failure.tsx';
import { useMe } from '../queries.ts';

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
