// The message that invites an address to an account. Its reader may never have heard of us, and may not have asked for it: it says who invites, and that
// ignoring it is enough.

import { OPERATOR } from '../access/account.ts';
import type { Invitation } from '../access/invitation.ts';
import { invitationLink } from '../access/invitation-link.ts';
import type { Role } from '../access/permissions.ts';
import { printable } from '../domains/printable.ts';
import { layOut, type Message, quotedName } from './layout.ts';
import { messageIdOf } from './message.ts';
import type { Notification } from './notification.ts';

/** In characters: no address is longer. */
const LONGEST_ADDRESS = 254;

const MAY: Readonly<Record<Role, string>> = {
  owner: 'do everything in it, including managing its plan and members',
  member: 'work with its projects, domains and API keys',
};

/** What an invitation's message needs besides the invitation. */
export interface InvitationFacts {
  /** The account's name; undefined if it is unknown. */
  readonly account: string | undefined;
  /** The address of who invites; undefined if it is unknown. */
  readonly inviter: string | undefined;
  /** The link's token. */
  readonly token: string;
  /** Origin of the dashboard, without a trailing slash. */
  readonly dashboard: string;
}

/** Writes the message. */
export function invitationMessage(
  notification: Notification,
  { id, accountId, email, role, invitedBy, expiresAt }: Invitation,
  { account, inviter, token, dashboard }: InvitationFacts,
): Message {
  const to = account === undefined ? `the account ${accountId}` : `the account ${quotedName(account)}`;
  const who = inviter === undefined ? 'An owner' : printable(inviter, LONGEST_ADDRESS);
  const ends = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return layOut({
    id: messageIdOf(notification, id),
    to: email,
    subject: `You are invited to an account at Petstore`,
    paragraphs: [
      `${invitedBy === OPERATOR ? 'The operator of this service' : who} invites you to ${to}, as ${role === 'owner' ? 'an owner' : 'a member'}.`,
      `As soon as you accept, you can ${MAY[role]}. The invitation is for ${email} only, and expires at ${ends}.`,
      `To accept it, open the link, and sign in as ${email}. If you aren’t registered yet, sign up with this address; if there is no sign-up, ask the person who invited you. Don’t pass the link on.`,
      'If you did not expect this, ignore it: you become a member only if you accept.',
    ],
    link: [`${dashboard}${invitationLink(token)}`, 'View the invitation'],
    signature: 'You get this email because someone invited this address. You are not on any mailing list.',
  });
}
