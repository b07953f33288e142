// An account's open invitations, for its owners: invite, send again, withdraw. If the service sends no emails, the owner passes on the link.

import { useDialogs } from '../context.tsx';
import { useCreation, useRead, useRequest } from '../queries.ts';
import type { Account, Invitation, Role } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Input, Select } from '../ui/field.tsx';
import { changing, Dialog, useDraft } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { Field } from './refusal.tsx';
import { Ago, Breakable, Copy } from './text.tsx';

const ROLES = [
  { value: 'member', label: 'Member' },
  { value: 'owner', label: 'Owner' },
] as const satisfies readonly { readonly value: Role; readonly label: string }[];

const MAY: Readonly<Record<Role, string>> = {
  member: "Works with projects, domains and keys. Can't manage members or delete projects.",
  owner: 'Can do everything, including removing other owners.',
};

/** The invitation that was sent, and its link if it was not sent by email. */
interface Sent {
  readonly email: string;
  readonly link: string | null;
}

/** The invitations, with dialogs to change them. */
export function Invitations({ account: { accountId } }: { readonly account: Account }) {
  const invitations = useRead('/accounts/{accountId}/invitations', { accountId });
  return (
    <Loaded of={invitations}>
      {(items) => (
        <ItemTable
          title="Invitations"
          description="Each one is valid for seven days."
          items={items}
          id={({ invitationId }) => invitationId}
          nameOf={({ email }) => email}
          menu={(invitation) => [
            { text: againLabel(invitation), dialog: <Again accountId={accountId} invitation={invitation} /> },
            { text: 'Withdraw', risky: true, dialog: <Withdraw accountId={accountId} invitation={invitation} /> },
          ]}
          columns={[
            { header: 'Address', text: ({ email }) => email },
            { header: 'Role', cell: ({ role }) => <span className="badge">{role}</span>, text: ({ role }) => role },
            {
              header: 'Invited',
              cell: (invitation) => (
                <>
                  <Ago at={invitation.createdAt} />
                  <small className="muted">
                    <Breakable text={`by ${inviterOf(invitation)}`} />
                  </small>
                </>
              ),
              text: ({ createdAt }) => createdAt,
            },
            { header: 'Expires', isAhead: true, at: ({ expiresAt }) => expiresAt },
          ]}
          empty={<p>No open invitations.</p>}
        />
      )}
    </Loaded>
  );
}

const inviterOf = ({ invitedBy: { userId, email } }: Invitation) => email ?? userId ?? 'the operator';
const againLabel = ({ mailed }: Invitation) => (mailed ? 'Resend' : 'New link');

/** Sends an invitation, and shows its link if it was not sent by email. */
function useInvite(accountId: string) {
  const { open, close } = useDialogs();
  const made = ({ email, link }: Sent) => (link === null ? close() : open(<HandOver email={email} link={link} />));
  return useCreation('/accounts/{accountId}/invitations', { accountId }, { made });
}

/** Dialog to invite someone. */
export function Invite({ account: { accountId, name } }: { readonly account: Account }) {
  const [email, setEmail] = useDraft('email', '');
  const [role, setRole] = useDraft<Role>('role', 'member');
  const invite = useInvite(accountId);
  return (
    <Dialog header={`Invite to ${name}`} {...changing('Invite', invite, { email, role }, { disabled: email.trim() === '' })}>
      <Field name="email" label="Email address" description="Only the user with this address can accept.">
        <Input inputMode="email" value={email} change={setEmail} />
      </Field>
      <Field label="Role" description={MAY[role]}>
        <Select value={role} options={ROLES} change={setRole} />
      </Field>
    </Dialog>
  );
}

interface OfInvitation {
  readonly accountId: string;
  readonly invitation: Invitation;
}

function Again({ accountId, invitation }: OfInvitation) {
  const { email, role, mailed } = invitation;
  const invite = useInvite(accountId);
  return (
    <Dialog header={`${againLabel(invitation)}: ${email}`} {...changing(againLabel(invitation), invite, { email, role })}>
      <Notice kind="info">
        {mailed ? 'A new email will be sent' : 'A new link will be created'}. The new link is valid for seven days; the old one stops working.
      </Notice>
    </Dialog>
  );
}

function HandOver({ email, link }: { readonly email: string; readonly link: string }) {
  return (
    <Dialog stays wide header="Send this link" action={{ text: 'Done', run: (close) => close() }}>
      <Notice kind="warning">
        This service sends no emails: send the link yourself. It is shown only this once. Only {email} can accept. If they can't sign in here yet, ask
        the operator to register them first.
      </Notice>
      <div className="secret">
        <Copy text={`${location.origin}${link}`} label="Copy the link" />
      </div>
    </Dialog>
  );
}

function Withdraw({ accountId, invitation: { invitationId, email } }: OfInvitation) {
  const at = { accountId, invitationId };
  const withdraw = useRequest('DELETE', '/accounts/{accountId}/invitations/{invitationId}', at, { successMessage: 'Withdrawn.' });
  return (
    <Dialog header={`Withdraw: ${email}`} {...changing('Withdraw', withdraw, undefined, { isDangerous: true })}>
      <Notice kind="warning">The link stops working at once.</Notice>
    </Dialog>
  );
}
