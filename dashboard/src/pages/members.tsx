// An account's members: changing roles, removing, leaving, handing over.

import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { changing, Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Invitations, Invite } from '../parts/invitations.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { SecondFactor } from '../parts/second-factor.tsx';
import { MemberSignIns } from '../parts/sign-in-table.tsx';
import { Breakable } from '../parts/text.tsx';
import { useAccount, useChange, useMe, useMembers, useRead } from '../queries.ts';
import type { Account, Member } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/field.tsx';
import type { MenuItem } from '../ui/menu.tsx';

type Action = 'make owner' | 'make member' | 'remove' | 'leave';

/** The page with an account's members. */
export function MembersPage() {
  const { accountId = '' } = useParams({ strict: false });
  const members = useMembers(accountId);
  const account = useAccount(accountId);
  const me = useMe().data?.userId;
  const isOwner = account?.role === 'owner';
  return (
    <Page
      title="Members"
      description="Owners can do everything. Members work with projects, domains and keys, but can't manage members or delete projects."
      actions={
        isOwner && (
          <Button kind="primary" dialog={<Invite account={account} />}>
            Invite
          </Button>
        )
      }
    >
      <Loaded of={members}>
        {(items) => {
          const owners = items.filter(({ role }) => role === 'owner').length;
          const menuOf = (member: Member): readonly MenuItem[] => {
            // A sole owner must hand the account over.
            const disabled = member.role === 'owner' && owners === 1;
            const signIns = <MemberSignIns accountId={accountId} {...member} />;
            return [
              ...(isOwner ? [{ text: 'Sign-ins', dialog: signIns }] : []),
              ...actionsFor(member, { isOwner, isMe: member.userId === me }).map((action) => ({
                text: labelOf(action),
                risky: action === 'remove' || action === 'leave',
                disabled,
                why: 'Make another member an owner first.',
                dialog: account && <Confirm account={account} member={member} action={action} />,
              })),
            ];
          };
          return (
            <div className="stack large">
              <ItemTable
                title="Members"
                items={items}
                id={({ userId }) => userId}
                nameOf={nameOf}
                menu={menuOf}
                columns={[
                  {
                    header: 'Member',
                    cell: (member) => (
                      <>
                        <Breakable text={nameOf(member)} />
                        {member.userId === me && ' (you)'}
                        {member.email !== null && <small className="hint muted">{member.userId}</small>}
                      </>
                    ),
                    text: (member) => `${nameOf(member)} ${member.userId}`,
                  },
                  { header: 'Role', cell: ({ role }) => <span className="badge">{role}</span>, text: ({ role }) => role },
                ]}
                empty={<p>No members.</p>}
              />
              {isOwner && <SecondFactor account={account} />}
              {/* Last, because anything that loads above it would move it. */}
              {isOwner && <Invitations account={account} />}
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

const labelOf = (action: Action) => action.charAt(0).toUpperCase() + action.slice(1);

/** A member's name is their address, if the service knows it. */
const nameOf = ({ email, userId }: Member) => email ?? userId;

function actionsFor({ role }: Member, { isOwner, isMe }: { readonly isOwner: boolean; readonly isMe: boolean }): readonly Action[] {
  const change: readonly Action[] = role === 'owner' ? ['make member'] : ['make owner'];
  return [...(isOwner ? change : []), ...(isMe ? (['leave'] as const) : isOwner ? (['remove'] as const) : [])];
}

function Confirm({ account, member, action }: { readonly account: Account; readonly member: Member; readonly action: Action }) {
  const { accountId, name } = account;
  const navigate = useNavigate();
  const at = { accountId, userId: member.userId };
  const goes = action === 'remove' || action === 'leave';
  const [revokes, setRevokes] = useState(false);
  const made = useRead('/accounts/{accountId}/members/{userId}/credentials', at);
  const credentials = goes ? (made.data ?? []) : [];
  const change = useChange(
    async (api) => {
      if (goes) await api.send('DELETE', '/accounts/{accountId}/members/{userId}', at, { query: revokes ? { credentials: 'revoke' } : {} });
      else await api.send('PUT', '/accounts/{accountId}/members/{userId}', at, { body: { role: action === 'make owner' ? 'owner' : 'member' } });
    },
    action === 'leave' ? { reads: 'user' } : {},
  );
  const done = action === 'leave' && { done: () => void navigate({ to: '/' }) };
  return (
    <Dialog
      header={`${labelOf(action)}: ${nameOf(member)}`}
      {...changing(labelOf(action), change, undefined, { ...done, disabled: goes && made.isPending, isDangerous: goes })}
    >
      <div className="stack">
        <Notice kind={action === 'make owner' ? 'info' : 'warning'}>{CONSEQUENCES[action](nameOf(member), name)}</Notice>
        {credentials.length > 0 && (
          <p>
            {action === 'leave' ? 'What you created here keeps working:' : 'What they created keeps working:'}
            <ul>
              {credentials.map(({ kind, id, name: named }) => (
                <li key={id}>
                  {kind === 'key' ? 'Key' : 'Deploy token'} <Breakable text={named} />
                </li>
              ))}
            </ul>
            <Checkbox checked={revokes} change={setRevokes}>
              Revoke all of these now
            </Checkbox>
          </p>
        )}
      </div>
    </Dialog>
  );
}

const CONSEQUENCES: Readonly<Record<Action, (member: string, account: string) => string>> = {
  'make owner': (member, account) => `${member} will be able to do everything in ${account}, including removing you.`,
  'make member': (member) => `${member} will no longer be able to manage members or delete projects. Invitations they sent are withdrawn.`,
  remove: (member, account) => `${member} loses access to ${account} at once. Invitations they sent are withdrawn.`,
  leave: (_member, account) => `You lose access to ${account} at once. Only an owner can invite you again.`,
};
