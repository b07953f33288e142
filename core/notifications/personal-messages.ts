// Messages that can't be turned off: to an invited person, to the operator, and to a user who sets a new password. An invited person may not expect
// the message, or know us, so it says who sent the invitation, and that it can be ignored.

import { hash } from 'node:crypto';
import { type Account, OPERATOR, type PlanRequest } from '../access/account.ts';
import type { Invitation } from '../access/invitation.ts';
import { invitationLink } from '../access/invitation-link.ts';
import { planOf, type Role } from '../access/plans.ts';
import { printable } from '../domains/printable.ts';
import { layOut, type Message, quotedName } from './layout.ts';
import { messageIdOf } from './message.ts';
import type { Notification } from './notification.ts';

const LONGEST_ADDRESS = 254;

const MAY: Readonly<Record<Role, string>> = {
  owner: 'do everything in it, including managing its plan and members',
  member: 'work with its projects, domains and API keys',
};

/** What an invitation's message needs besides the invitation. */
export interface InvitationFacts {
  /** The account's name; undefined if it is unknown. */
  readonly account: string | undefined;
  /** The inviter's address; undefined if it is unknown. */
  readonly inviter: string | undefined;
  readonly token: string;
  /** Origin of the dashboard, without a trailing slash. */
  readonly dashboard: string;
}

/** Writes the message that invites an address to an account. */
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
    signature: 'You are receiving this email because someone invited this address. You are not on any mailing list.',
  });
}

/** The operator's id as a recipient in the outbox. */
export const OPERATOR_RECIPIENT = 'operator';

/** Writes the operator's message about a plan request. @param dashboard origin of the dashboard, without a trailing slash */
export function planRequestMessage(
  notification: Notification,
  { id, name, plan }: Pick<Account, 'id' | 'name' | 'plan'>,
  { plan: wanted, note }: Pick<PlanRequest, 'plan' | 'note'>,
  { to, dashboard }: { readonly to: string; readonly dashboard: string },
): Message {
  const noted = note === '' ? '' : ` Their note: ${quotedName(note)}.`;
  return layOut({
    id: messageIdOf(notification, OPERATOR_RECIPIENT),
    to,
    subject: `Plan request: ${planOf(wanted).label}`,
    paragraphs: [
      `The account ${quotedName(name)} (${id}), on the ${planOf(plan).label} plan, asks for ${planOf(wanted).label}.${noted}`,
      'Nothing changes until you decide. The account’s members then get an email.',
      `Decide on the command line: plan-requests approve ${id}, or plan-requests decline ${id} --reason "…".`,
    ],
    link: [`${dashboard}/`, 'Open the dashboard'],
    signature: 'You are receiving this email because your address is set as the operator’s.',
  });
}

/** Writes the message with a password link. @param link with the token */
export function resetMessage(email: string, link: string): Message {
  return layOut({
    id: `reset${hash('sha256', link, 'hex').slice(0, 32)}`,
    to: email,
    subject: 'Choose a new password for Petstore',
    paragraphs: [
      `Someone, probably you, asked to reset the password of ${email}.`,
      'To choose a new one, open the link within 30 minutes. It works only once.',
      'If it wasn’t you, ignore this email: your password has not changed.',
    ],
    link: [link, 'Choose a new password'],
    signature: 'You are receiving this email because this address belongs to a user of this service.',
  });
}
