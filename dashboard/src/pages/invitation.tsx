// The invitation whose link was opened, and the choice whether to accept it.

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../core/http/api-error.ts';
import { useApplication } from '../context.tsx';
import { forgetInvitation, pendingInvitation } from '../invitation.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { Ago, Breakable } from '../parts/text.tsx';
import { useRequest } from '../queries.ts';
import type { ReceivedInvitation, Role } from '../shapes.ts';
import { Facts, Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';

/** The page for an invitation. */
export function InvitationPage() {
  const [token] = useState(pendingInvitation);
  return (
    <Page title="Invitation">
      {token === undefined ? (
        <Notice kind="info" action={<Button href="/">Home</Button>}>
          No invitation found. Open the link you received.
        </Notice>
      ) : (
        <Pending token={token} />
      )}
    </Page>
  );
}

function Pending({ token }: { readonly token: string }) {
  const { api } = useApplication();
  // Not refetched automatically, because it no longer exists once accepted.
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => api.send('POST', '/invitations/view', {}, { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isUseless = invitation.error instanceof ApiError && invitation.error.status === 404;
  useEffect(() => {
    if (isUseless) forgetInvitation();
  }, [isUseless]);
  if (isUseless)
    return (
      <div role="alert">
        <Notice kind="error" title="This invitation can't be used" action={<Button href="/">Home</Button>}>
          It has expired, or was withdrawn, replaced or accepted, or the link is incomplete. If you have accepted it, you are a member: Home shows the
          account. Otherwise, ask for a new invitation.
        </Notice>
      </div>
    );
  return <Loaded of={invitation}>{(received) => <Received token={token} invitation={received} />}</Loaded>;
}

const MAY: Readonly<Record<Role, string>> = {
  owner: 'Owner: you may do everything in the account.',
  member: 'Member: you can work with projects, domains and keys.',
};

function Received({ token, invitation }: { readonly token: string; readonly invitation: ReceivedInvitation }) {
  const { accountName, role, email, invitedBy, expiresAt, forYou, member } = invitation;
  const { session, notify } = useApplication();
  const navigate = useNavigate();
  const accept = useRequest('POST', '/invitations/accept', {}, { reads: 'user' });
  const accepted = ({ accountId, name }: { readonly accountId: string; readonly name: string }) => {
    forgetInvitation();
    notify('success', `You are now a member of ${name}.`);
    void navigate({ to: '/accounts/$accountId/projects', params: { accountId } });
  };
  const declined = () => {
    forgetInvitation();
    void navigate({ to: '/' });
  };
  return (
    <div className="stack large">
      <Section>
        <Refusal failure={accept.error}>
          <Facts
            items={[
              { label: 'Account', value: <Breakable text={accountName} /> },
              { label: 'Your role', value: MAY[role] },
              { label: 'Invited by', value: <Breakable text={invitedBy ?? 'an owner of the account'} /> },
              { label: 'Sent to', value: <Breakable text={email} /> },
              { label: 'Expires', value: <Ago at={expiresAt} isAhead /> },
            ]}
          />
          {forYou && !member && (
            <div className="row">
              <Button kind="primary" busy={accept.isPending} onClick={() => accept.mutate({ token }, { onSuccess: accepted })}>
                Accept
              </Button>
              <Button onClick={declined}>Not now</Button>
            </div>
          )}
        </Refusal>
      </Section>
      {member && (
        <Notice kind="info" action={<Button href="/">Home</Button>}>
          You are already a member of this account.
        </Notice>
      )}
      {!forYou && !member && (
        <Notice
          kind="warning"
          title="This invitation is for another address"
          action={<Button onClick={() => void session.signOut()}>Sign out</Button>}
        >
          <p>
            Sign out, then sign in as <Breakable text={email} /> to return to this page.
          </p>
        </Notice>
      )}
    </div>
  );
}
