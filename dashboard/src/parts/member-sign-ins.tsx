// The dialog in which owners see a member's sign-ins.

import { unwrap } from '../api.ts';
import { useRead } from '../queries.ts';
import { Dialog } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { SignInTable } from './sign-in-table.tsx';

export interface MemberSignInsProps {
  readonly accountId: string;
  readonly userId: string;
  /** Of the member. */
  readonly name: string;
  readonly close: () => void;
}

/** Dialog with the recent sign-ins of a member. */
export function MemberSignIns({ accountId, userId, name, close }: MemberSignInsProps) {
  const read = useRead(['sign-ins', accountId, userId], (api) =>
    unwrap(api.GET('/accounts/{accountId}/members/{userId}/sign-ins', { params: { path: { accountId, userId } } })),
  );
  return (
    <Dialog wide close={close} header={`Sign-ins: ${name}`}>
      <Loaded of={read}>
        {({ canList, signIns }) =>
          canList ? (
            <SignInTable
              signIns={signIns}
              description="Since they joined this account. Includes failed attempts with their email address, by them or someone else."
            />
          ) : (
            <p>This installation can’t list sign-ins.</p>
          )
        }
      </Loaded>
    </Dialog>
  );
}
