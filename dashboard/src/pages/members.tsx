// Who may act for an account: roles, removing, leaving, handing over.

import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { changing, Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Invitations } from '../parts/invitations.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { SecondFactor } from '../parts/second-factor.tsx';
import { MemberSignIns } from '../parts/sign-in-table.tsx';
import { Breakable } from '../parts/text.tsx';
import { useAccount, useChange, useMe, useMembers, useRead } from '../queries.ts';
import type { Account, Member } from '../shapes.ts';
import { Badge, Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/field.tsx';

type Action = 'make owner' | 'make member' | 'remove' | 'leave';

/** The page with an account's members. */
export function MembersPage() {
  const { accountId = '' } = useParams({ strict: false });
  const members = useMembers(accountId);
  const account = useAccount(accountId);
  const me = useMe().data?.userId;
  const [chosen, setChosen] = useState<{ readonly member: Member; readonly action: Action }>();
  const [shown, setShown] = useState<Member>();
  const isOwner = account?.role === 'owner';
  return (
    <Page
      title="Members"
      description="Owners can do everything. Members work with projects, domains and keys, but can't manage members or delete projects."
    >
      <Loaded of={members}>
        {(items) => {
          const owners = items.filter(({ role }) => role === 'owner').length;
          return (
            <div className="stack large">
              <ItemTable
                title="Members"
                items={items}
                id={({ userId }) => userId}
                columns={[
                  {
                    header: 'Member',
                    cell: (member) => (
                      <>
                        <Breakable text={nameOf(member)} />
                        {member.userId === me && ' (you)'}
                        {member.email !== null && <small>{member.userId}</small>}
                      </>
                    ),
                    text: (member) => `${nameOf(member)} ${member.userId}`,
                  },
                  { header: 'Role', cell: ({ role }) => <Badge>{role}</Badge>, text: ({ role }) => role },
                  {
                    header: 'Actions',
                    cell: (member) => {
                      // The only owner must hand over first.
                      const isLastOwner = member.role === 'owner' && owners === 1;
                      const actions = actionsFor(member, { isOwner, isMe: member.userId === me });
                      return (
                        <div className="row">
                          {isOwner && (
                            <Button kind="link" label={`Sign-ins: ${nameOf(member)}`} onClick={() => setShown(member)}>
                              Sign-ins
                            </Button>
                          )}
                          {actions.map((action) => (
                            <Button
                              key={action}
                              kind="link"
                              label={`${LABELS[action]}: ${nameOf(member)}`}
                              disabled={isLastOwner}
                              why="Make another member an owner first."
                              onClick={() => setChosen({ member, action })}
                            >
                              {LABELS[action]}
                            </Button>
                          ))}
                        </div>
                      );
                    },
                  },
                ]}
                empty={<p>No members.</p>}
              />
              {isOwner && <SecondFactor account={account} />}
              {/* Last, and not earlier: what loads above it would move it. */}
              {isOwner && <Invitations account={account} />}
            </div>
          );
        }}
      </Loaded>
      {shown !== undefined && <MemberSignIns accountId={accountId} userId={shown.userId} name={nameOf(shown)} close={() => setShown(undefined)} />}
      {chosen !== undefined && account !== undefined && <Confirm account={account} {...chosen} close={() => setChosen(undefined)} />}
    </Page>
  );
}

const LABELS: Readonly<Record<Action, string>> = {
  'make owner': 'Make owner',
  'make member': 'Make member',
  remove: 'Remove',
  leave: 'Leave',
};

/** Names are their addresses, where the service knows them. */
const nameOf = ({ email, userId }: Member) => email ?? userId;

function actionsFor({ role }: Member, { isOwner, isMe }: { readonly isOwner: boolean; readonly isMe: boolean }): readonly Action[] {
  const change: readonly Action[] = role === 'owner' ? ['make member'] : ['make owner'];
  return [...(isOwner ? change : []), ...(isMe ? (['leave'] as const) : isOwner ? (['remove'] as const) : [])];
}

interface ConfirmProps {
  readonly account: Account;
  readonly member: Member;
  readonly action: Action;
  readonly close: () => void;
}

function Confirm({ account: { accountId, name }, member, action, close }: ConfirmProps) {
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
  const done = () => (action === 'leave' ? void navigate({ to: '/' }) : close());
  return (
    <Dialog
      close={close}
      header={`${LABELS[action]}: ${nameOf(member)}`}
      {...changing(LABELS[action], change, undefined, done, { disabled: goes && made.isPending })}
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
