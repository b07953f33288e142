// The invitation whose link was opened: what it is, and whether to accept it.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../core/http/api-error.ts';
import { serviceClockAheadMs, unwrap } from '../api.ts';
import { useApplication } from '../context.tsx';
import { forgetInvitation, pendingInvitation } from '../invitation.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { Breakable, daysUntil } from '../parts/text.tsx';
import { useChange } from '../queries.ts';
import type { ReceivedInvitation, Role } from '../shapes.ts';

/** The page for an invitation. */
export function InvitationPage() {
  const [token] = useState(pendingInvitation);
  return (
    <Page title="Invitation">
      {token === undefined ? (
        <Alert type="info" action={<Button href="/">Home</Button>}>
          No invitation found. Open the link you received.
        </Alert>
      ) : (
        <Pending token={token} />
      )}
    </Page>
  );
}

function Pending({ token }: { readonly token: string }) {
  const { api } = useApplication();
  // Not read again automatically: once it is accepted, it is gone.
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => unwrap(api.POST('/invitations/view', { body: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isUseless = invitation.error instanceof ApiError && invitation.error.status === 404;
  useEffect(() => {
    if (isUseless) forgetInvitation();
  }, [isUseless]);
  if (isUseless)
    return (
      <div role="alert">
        <Alert type="error" header="This invitation can’t be used" action={<Button href="/">Home</Button>}>
          It has expired, or was withdrawn, replaced or accepted, or the link is incomplete. Ask for a new invitation.
        </Alert>
      </div>
    );
  return <Loaded of={invitation}>{(received) => <Received token={token} invitation={received} />}</Loaded>;
}

const MAY: Readonly<Record<Role, string>> = {
  owner: 'Owner: you may do everything in the account.',
  member: 'Member: you work with projects, domains and keys.',
};

function Received({ token, invitation }: { readonly token: string; readonly invitation: ReceivedInvitation }) {
  const { accountName, role, email, invitedBy, expiresAt, forYou, member } = invitation;
  const { session, notify } = useApplication();
  const navigate = useNavigate();
  const accept = useChange((api) => unwrap(api.POST('/invitations/accept', { body: { token } })), {
    stale: [['me']],
    showsFailure: true,
  });
  const decided = () => forgetInvitation();
  return (
    <SpaceBetween size="l">
      <Container>
        <Refusal failure={accept.error}>
          <KeyValuePairs
            columns={2}
            items={[
              { label: 'Account', value: <Breakable text={accountName} /> },
              { label: 'Your role', value: MAY[role] },
              { label: 'Invited by', value: <Breakable text={invitedBy ?? 'an owner of the account'} /> },
              { label: 'Sent to', value: <Breakable text={email} /> },
              { label: 'Expires', value: daysUntil(expiresAt, Date.now() + serviceClockAheadMs()) },
            ]}
          />
          {forYou && !member && (
            <SpaceBetween direction="horizontal" size="xs">
              <Button
                variant="primary"
                loading={accept.isPending}
                onClick={() =>
                  accept.mutate(undefined, {
                    onSuccess: ({ accountId, name }) => {
                      decided();
                      notify('success', `You are now a member of ${name}.`);
                      void navigate({ to: '/accounts/$accountId/projects', params: { accountId } });
                    },
                  })
                }
              >
                Accept
              </Button>
              <Button
                onClick={() => {
                  decided();
                  void navigate({ to: '/' });
                }}
              >
                Not now
              </Button>
            </SpaceBetween>
          )}
        </Refusal>
      </Container>
      {member && (
        <Alert type="info" action={<Button href="/">Home</Button>}>
          You are already a member of this account.
        </Alert>
      )}
      {!forYou && !member && (
        <Alert
          type="warning"
          header="This invitation is for another address"
          action={<Button onClick={() => void session.signOut()}>Sign out</Button>}
        >
          <Box>
            Sign out, then sign in as <Breakable text={email} /> to return to this page.
          </Box>
        </Alert>
      )}
    </SpaceBetween>
  );
}
