// Recent sign-ins and attempts: those of the signed-in user or, for owners, those of a member.

import { useRead } from '../queries.ts';
import type { Member, SignIn } from '../shapes.ts';
import { Dialog } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';

const METHODS = { password: 'with the password', code: 'with a code', passkey: 'with a passkey' } as const;
const OUTCOMES = {
  succeeded: 'Signed in',
  failed: 'Failed attempt',
  refused: 'Refused after too many attempts',
  reset_requested: 'Password reset link requested',
} as const;

function whatOf({ outcome, method, count }: SignIn): string {
  const times = count === 1 ? '' : `, ${count} times`;
  return `${OUTCOMES[outcome]}${method === null ? '' : ` ${METHODS[method]}`}${times}`;
}

/** The table of sign-ins. @param description what the table contains */
export function SignInTable({ signIns, description }: { readonly signIns: readonly SignIn[]; readonly description: string }) {
  return (
    <ItemTable
      title="Recent sign-ins"
      description={description}
      items={signIns}
      id={({ at, outcome, method, address }) => [at, outcome, method, address].join(' ')}
      columns={[
        { header: 'What', text: whatOf },
        { header: 'Browser', text: ({ agent }) => agent ?? '' },
        { header: 'From', text: ({ address }) => address ?? 'several addresses' },
        { header: 'When', at: ({ at }) => at },
      ]}
      empty={<p>None yet.</p>}
    />
  );
}

/** Dialog with the recent sign-ins of a member. */
export function MemberSignIns({ accountId, userId, email }: Member & { readonly accountId: string }) {
  const read = useRead('/accounts/{accountId}/members/{userId}/sign-ins', { accountId, userId });
  return (
    <Dialog wide header={`Sign-ins: ${email ?? userId}`}>
      <Loaded of={read}>
        {({ canList, signIns }) =>
          canList ? (
            <SignInTable
              signIns={signIns}
              description="Since they joined this account. Includes failed attempts with their email address, by them or someone else."
            />
          ) : (
            <p>This installation can't list sign-ins.</p>
          )
        }
      </Loaded>
    </Dialog>
  );
}
