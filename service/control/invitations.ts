// Invitations: sent by owners, and accepted by the users of the invited addresses.

import { acceptInvitation, findInvitation, invite, isFor, openInvitations, withdrawInvitation } from '../../core/access/invitations.ts';
import { type Answerer, ok } from './answer.ts';
import type { Caller, ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';
import { accountView, invitationView } from './views.ts';

/** The handlers for invitations. */
export function invitationHandlers(answer: Answerer, ports: ControlPorts, owned: OwnedLookups) {
  const { invitations, directory, sendsMail, randomBytes } = ports;
  const inviteeOf = async (caller: Caller) => ({ id: caller.id, email: await directory.addressOf(caller, caller.id) });
  return {
    listInvitations: answer(CONTROL_OPERATIONS.listInvitations, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      return ok((await openInvitations(ports, found.account.id, asked.now)).map((each) => invitationView(each, directory)));
    }),

    inviteMember: answer(CONTROL_OPERATIONS.inviteMember, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const { caller, body, now } = asked;
      const request = { accountId: found.account.id, ...body, invitedBy: caller.id, mailed: sendsMail, now };
      const invited = await invite(ports, randomBytes, request);
      return invited.ok ? ok({ ...invitationView(invited.invitation, directory), link: invited.link ?? null }) : invited;
    }),

    withdrawInvitation: answer(CONTROL_OPERATIONS.withdrawInvitation, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const withdrawn = await withdrawInvitation(invitations, found.account.id, asked.parameters.invitationId ?? '');
      return withdrawn.ok ? ok({ done: true as const }) : withdrawn;
    }),

    viewInvitation: answer(CONTROL_OPERATIONS.viewInvitation, async ({ caller, body, now }) => {
      const found = await findInvitation(ports, body.token, now);
      if (!found.ok) return found;
      const { invitation, account } = found;
      const [invitee, invitedBy, role] = await Promise.all([
        inviteeOf(caller),
        directory.addressOf(caller, invitation.invitedBy),
        owned.roleFor({ caller, parameters: { accountId: account.id } }),
      ]);
      return ok({
        accountName: account.name,
        role: invitation.role,
        email: invitation.email,
        invitedBy: invitedBy ?? null,
        expiresAt: new Date(invitation.expiresAt).toISOString(),
        forYou: isFor(invitation, invitee),
        member: role !== undefined,
      });
    }),

    acceptInvitation: answer(CONTROL_OPERATIONS.acceptInvitation, async ({ caller, body, now }) => {
      const accepted = await acceptInvitation(ports, body.token, await inviteeOf(caller), now);
      return accepted.ok ? ok(accountView({ ...accepted.account, role: accepted.role })) : accepted;
    }),
  };
}
