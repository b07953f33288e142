// Recent sign-ins and attempts: those of the signed-in user, or those of a member for owners.

import type { SignIn } from '../shapes.ts';
import { ItemTable } from './item-table.tsx';
import { localMinute } from './text.tsx';

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

export interface SignInTableProps {
  readonly signIns: readonly SignIn[];
  /** What is in the table. */
  readonly description: string;
}

/** The table of sign-ins. */
export function SignInTable({ signIns, description }: SignInTableProps) {
  return (
    <ItemTable
      title="Recent sign-ins"
      description={description}
      items={signIns}
      id={({ at, outcome, method, address }) => [at, outcome, method, address].join(' ')}
      columns={[
        { header: 'What', cell: whatOf, text: whatOf },
        { header: 'Browser', cell: ({ agent }) => agent, text: ({ agent }) => agent },
        { header: 'From', cell: ({ address }) => address ?? 'several addresses', text: ({ address }) => address ?? '' },
        { header: 'When', cell: ({ at }) => localMinute(at), text: ({ at }) => at },
      ]}
      empty={<p>None yet.</p>}
    />
  );
}
