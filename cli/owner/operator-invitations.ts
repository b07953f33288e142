// Invitations, as an operator works with them.

import { OPERATOR } from '../../core/access/account.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import type { Invitation } from '../../core/access/invitation.ts';
import { invite, openInvitations, withdrawInvitation } from '../../core/access/invitations.ts';
import { noAccount } from '../../core/access/keys.ts';
import type { CommandStores } from '../../platforms/platform.ts';
import { invitationView } from '../../service/control/views.ts';
import { refusalError, resultOf } from '../context.ts';
import { invitationIn } from './named-domain.ts';
import type { OwnerPort } from './port.ts';

export interface OperatorInvitationsOptions {
  readonly withStores: <T>(work: (stores: CommandStores) => Promise<T>) => Promise<T>;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates these methods of the port. */
export function operatorInvitations({
  withStores,
  randomBytes,
  clock,
}: OperatorInvitationsOptions): Pick<OwnerPort, 'invite' | 'listInvitations' | 'withdrawInvitation'> {
  const rowIn = ({ users }: CommandStores, invitation: Invitation) => invitationView(invitation, { emailOf: (id) => users?.get(id)?.email });
  const listInvitations: OwnerPort['listInvitations'] = (accountId) =>
    withStores(async (stores) => {
      await expectAccount(stores, accountId);
      return (await openInvitations(stores, accountId, clock())).map((each) => rowIn(stores, each));
    });
  return {
    listInvitations,
    // Whether this installation sends emails is its own business, so an operator hands the link over.
    invite: (accountId, email, role) =>
      withStores(async (stores) => {
        const request = { accountId, email, role, invitedBy: OPERATOR, mailed: false, now: clock() };
        const { invitation, link = null } = resultOf(await invite(stores, randomBytes, request));
        return { ...rowIn(stores, invitation), link };
      }),
    withdrawInvitation: async (accountId, invitation) => {
      const invitationId = invitationIn(await listInvitations(accountId), invitation);
      resultOf(await withStores(({ invitations }) => withdrawInvitation(invitations, accountId, invitationId)));
      return invitationId;
    },
  };
}

/** @throws CliError if there is no such account */
export async function expectAccount({ accounts }: Pick<CommandStores, 'accounts'>, accountId: string): Promise<void> {
  if ((await accounts.getAccount(accountId)) === undefined) throw refusalError(noAccount(accountId));
}
