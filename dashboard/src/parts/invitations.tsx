// An account's open invitations, for its owners: invite, send again, withdraw. Where the service sends no emails, the owner hands the link over.

import { useState } from 'react';
import { serviceClockAheadMs } from '../api.ts';
import { useCreation, useRead, useRequest } from '../queries.ts';
import type { Account, Invitation, Role } from '../shapes.ts';
import { Badge, Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input, Select } from '../ui/field.tsx';
import { changing, Dialog, useDraft } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { Field } from './refusal.tsx';
import { Breakable, Copy, daysUntil, localMinute } from './text.tsx';

const ROLES = [
  { value: 'member', label: 'Member' },
  { value: 'owner', label: 'Owner' },
] as const satisfies readonly { readonly value: Role; readonly label: string }[];

const MAY: Readonly<Record<Role, string>> = {
  member: "Works with projects, domains and keys. Can't manage members or delete projects.",
  owner: 'Can do everything, including removing other owners.',
};

/** What was sent, and its link if it was not mailed. */
interface Sent {
  readonly email: string;
  readonly link: string | null;
}

type OpenDialog =
  | { readonly kind: 'invite' }
  | { readonly kind: 'again'; readonly invitation: Invitation }
  | { readonly kind: 'sent'; readonly sent: Sent }
  | { readonly kind: 'withdraw'; readonly invitation: Invitation };

/** The invitations, with dialogs to change them. */
export function Invitations({ account: { accountId, name } }: { readonly account: Account }) {
  const invitations = useRead('/accounts/{accountId}/invitations', { accountId });
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  const sent = (result: Sent) => (result.link === null ? close() : setDialog({ kind: 'sent', sent: result }));
  return (
    <>
      <Loaded of={invitations}>
        {(items) => (
          <ItemTable
            title="Invitations"
            description="Each one is valid for seven days."
            actions={<Button onClick={() => setDialog({ kind: 'invite' })}>Invite</Button>}
            items={items}
            id={({ invitationId }) => invitationId}
            columns={[
              { header: 'Address', cell: ({ email }) => <Breakable text={email} />, text: ({ email }) => email },
              { header: 'Role', cell: ({ role }) => <Badge>{role}</Badge>, text: ({ role }) => role },
              {
                header: 'Invited',
                cell: (invitation) => (
                  <>
                    {localMinute(invitation.createdAt)}
                    <small>
                      <Breakable text={`by ${inviterOf(invitation)}`} />
                    </small>
                  </>
                ),
                text: ({ createdAt }) => createdAt,
              },
              {
                header: 'Expires',
                cell: ({ expiresAt }) => daysUntil(expiresAt, Date.now() + serviceClockAheadMs()),
                text: ({ expiresAt }) => expiresAt,
              },
              {
                header: 'Actions',
                cell: (invitation) => (
                  <div className="row">
                    <Button
                      kind="link"
                      label={`${againLabel(invitation)}: ${invitation.email}`}
                      onClick={() => setDialog({ kind: 'again', invitation })}
                    >
                      {againLabel(invitation)}
                    </Button>
                    <Button kind="link" label={`Withdraw: ${invitation.email}`} onClick={() => setDialog({ kind: 'withdraw', invitation })}>
                      Withdraw
                    </Button>
                  </div>
                ),
              },
            ]}
            empty={<p>No open invitations.</p>}
          />
        )}
      </Loaded>
      {dialog?.kind === 'invite' && <Invite accountId={accountId} name={name} close={close} sent={sent} />}
      {dialog?.kind === 'again' && <Again accountId={accountId} invitation={dialog.invitation} close={close} sent={sent} />}
      {dialog?.kind === 'sent' && <HandOver {...dialog.sent} close={close} />}
      {dialog?.kind === 'withdraw' && <Withdraw accountId={accountId} invitation={dialog.invitation} close={close} />}
    </>
  );
}

const inviterOf = ({ invitedBy: { userId, email } }: Invitation) => email ?? userId ?? 'the operator';
const againLabel = ({ mailed }: Invitation) => (mailed ? 'Resend' : 'New link');

interface InvitationDialogProps {
  readonly accountId: string;
  readonly close: () => void;
}

const useInvite = (accountId: string) => useCreation('/accounts/{accountId}/invitations', { accountId });

function Invite({ accountId, name, close, sent }: InvitationDialogProps & { readonly name: string; readonly sent: (result: Sent) => void }) {
  const [email, setEmail] = useDraft('email', '');
  const [role, setRole] = useDraft<Role>('role', 'member');
  const invite = useInvite(accountId);
  return (
    <Dialog close={close} header={`Invite to ${name}`} {...changing('Invite', invite, { email, role }, sent, { disabled: email.trim() === '' })}>
      <Field name="email" label="Email address" description="Only the user with this address can accept.">
        <Input inputMode="email" value={email} change={setEmail} />
      </Field>
      <Field label="Role" description={MAY[role]}>
        <Select value={role} options={ROLES} change={setRole} />
      </Field>
    </Dialog>
  );
}

function Again({
  accountId,
  invitation,
  close,
  sent,
}: InvitationDialogProps & { readonly invitation: Invitation; readonly sent: (result: Sent) => void }) {
  const { email, role, mailed } = invitation;
  const invite = useInvite(accountId);
  return (
    <Dialog close={close} header={`${againLabel(invitation)}: ${email}`} {...changing(againLabel(invitation), invite, { email, role }, sent)}>
      <Notice kind="info">
        {mailed ? 'A new email is sent' : 'A new link is made'}. The new link is valid for seven days; the old one stops working.
      </Notice>
    </Dialog>
  );
}

function HandOver({ email, link, close }: Sent & { readonly close: () => void }) {
  return (
    <Dialog close={close} stays wide header="Send this link" action={{ text: 'Done', run: close }}>
      <Notice kind="warning">
        This service sends no emails: send the link yourself. It is shown only this once. Only {email} can accept. If they can't sign in here yet, ask
        the operator to register them first.
      </Notice>
      <Copy text={`${location.origin}${link}`} label="Copy the link" />
    </Dialog>
  );
}

function Withdraw({ accountId, invitation: { invitationId, email }, close }: InvitationDialogProps & { readonly invitation: Invitation }) {
  const withdraw = useRequest(
    'DELETE',
    '/accounts/{accountId}/invitations/{invitationId}',
    { accountId, invitationId },
    { successMessage: 'Withdrawn.' },
  );
  return (
    <Dialog close={close} header={`Withdraw: ${email}`} {...changing('Withdraw', withdraw, undefined, close)}>
      <Notice kind="warning">The link stops working at once.</Notice>
    </Dialog>
  );
}
