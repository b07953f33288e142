// Operations on invitations: an owner invites an email address, and the user who has it accepts. Each `now` is in milliseconds since 1970.

import { isEmailAddress, normalEmail } from '../identity/user.ts';
import { DAY_MS } from '../limits/windows.ts';
import { invitationSent, memberAdded } from '../notifications/notification.ts';
import { type ActionRefusal, type ActionResult, refused } from '../refusal.ts';
import { quoted } from '../validate.ts';
import { type Account, OPERATOR, suspensionRefusal } from './account.ts';
import type { RandomBytes } from './base62.ts';
import { accountIdOfInvitation, generateInvitationToken, type Invitation, newInvitationId, parseInvitationToken } from './invitation.ts';
import { invitationLink } from './invitation-link.ts';
import { noAccount } from './keys.ts';
import type { Role } from './plans.ts';
import type { AccountStore, InvitationStore, MemberStore } from './ports.ts';

export const INVITATION_LIFETIME_DAYS = 7;
/** Maximum number of open invitations per account. */
export const MAX_OPEN_INVITATIONS = 20;
/** Maximum number of invitations per UTC day, repeats included, per account and per user, so that several accounts can't be used for bulk mail. */
export const MAX_INVITATIONS_PER_DAY = 30;

export interface InvitationPorts {
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly members: Pick<MemberStore, 'membersOf'>;
  readonly invitations: InvitationStore;
}

export interface InvitationRequest {
  readonly accountId: string;
  /** As typed. */
  readonly email: string;
  readonly role: Role;
  /** Id of the owner, or OPERATOR. */
  readonly invitedBy: string;
  /** Whether the link is sent to the address; if not, it is returned. */
  readonly mailed: boolean;
  readonly now: number;
}

/**
 * Invites an address; replaces an open invitation to it, whose links then stop working. Refuses an invalid address, and too many invitations.
 *
 * @returns the invitation, and its link unless it is sent by email: a path below the dashboard's origin, available only here
 */
export async function invite(
  ports: InvitationPorts,
  randomBytes: RandomBytes,
  { accountId, email: typed, role, invitedBy, mailed, now }: InvitationRequest,
): Promise<ActionResult<{ readonly invitation: Invitation; readonly link: string | undefined }>> {
  const email = normalEmail(typed);
  if (!isEmailAddress(email)) return refused('invalid_request', `email: got ${quoted(typed)}; allowed: an email address, such as ann@example.com`);
  if ((await ports.accounts.getAccount(accountId)) === undefined) return noAccount(accountId);
  const id = newInvitationId(accountId, randomBytes);
  const made = mailed ? undefined : generateInvitationToken(id, randomBytes);
  const invitation: Invitation = {
    id,
    accountId,
    email,
    role,
    invitedBy,
    mailed,
    createdAt: now,
    expiresAt: now + INVITATION_LIFETIME_DAYS * DAY_MS,
    digests: made === undefined ? [] : [made.digest],
  };
  const limits = { open: MAX_OPEN_INVITATIONS, perDay: MAX_INVITATIONS_PER_DAY };
  const added = await ports.invitations.addInvitation(invitation, limits, mailed ? invitationSent(invitation) : undefined);
  switch (added) {
    case 'too_many_open':
      return refused('conflict', `the account already has ${MAX_OPEN_INVITATIONS} open invitations, the maximum; withdraw one first`);
    case 'too_many_today': {
      const retryAfterSeconds = Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000);
      const message = `${MAX_INVITATIONS_PER_DAY} invitations were sent today for this account or by you, the maximum; try again tomorrow (UTC)`;
      return { ...refused('rate_limit_exceeded', message), retryAfterSeconds };
    }
    case 'added':
      return { ok: true, invitation, link: made && invitationLink(made.token) };
  }
}

/** Returns an account's invitations that can be accepted (not expired, and the inviter is still an owner), oldest first. */
export async function openInvitations(
  { members, invitations }: Pick<InvitationPorts, 'members' | 'invitations'>,
  accountId: string,
  now: number,
): Promise<readonly Invitation[]> {
  const all = (await invitations.listInvitations(accountId)).filter(({ expiresAt }) => expiresAt > now);
  if (all.length === 0) return all;
  const owners = await ownersOf(members, accountId);
  return all.filter(({ invitedBy }) => owners.has(invitedBy));
}

/** Withdraws an account's invitation: its links stop working once this resolves. */
export async function withdrawInvitation(
  invitations: Pick<InvitationStore, 'removeInvitation'>,
  accountId: string,
  invitationId: string,
): Promise<ActionResult<object>> {
  const isGone = accountIdOfInvitation(invitationId) === accountId && (await invitations.removeInvitation(invitationId));
  return isGone ? { ok: true } : refused('not_found', `no invitation ${quoted(invitationId)} in this account; it may have been accepted meanwhile`);
}

/** The same refusal for all links that can't be used, so that it does not reveal which accounts and invitations exist. */
export const NO_INVITATION = refused(
  'not_found',
  'this invitation can’t be used: it has expired, or was withdrawn, replaced or accepted, or the link is incomplete; ask for a new invitation',
);

/** Finds a link's invitation, if it can be accepted. */
export async function findInvitation(
  { accounts, members, invitations }: InvitationPorts,
  token: string,
  now: number,
): Promise<ActionResult<{ readonly invitation: Invitation; readonly account: Account }>> {
  const parsed = parseInvitationToken(token);
  const invitation = parsed && (await invitations.getInvitation(parsed.invitationId));
  // This comparison need not take constant time, because it compares digests of 178 random bits.
  if (parsed === undefined || invitation === undefined || !invitation.digests.includes(parsed.digest) || invitation.expiresAt <= now)
    return NO_INVITATION;
  const [account, owners] = [await accounts.getAccount(invitation.accountId), await ownersOf(members, invitation.accountId)];
  return account === undefined || !owners.has(invitation.invitedBy) ? NO_INVITATION : { ok: true, invitation, account };
}

/** A user, with their verified address; undefined if they have none. */
export interface Invitee {
  readonly id: string;
  readonly email: string | undefined;
}

/** Whether an invitation is for this user. */
export function isFor({ email }: Invitation, user: Invitee): boolean {
  return user.email !== undefined && normalEmail(user.email) === email;
}

/** Makes the user a member, notifies the members and removes the invitation in one step. Refuses users with another address, and existing members. */
export async function acceptInvitation(
  ports: InvitationPorts,
  token: string,
  user: Invitee,
  now: number,
): Promise<ActionResult<{ readonly account: Account; readonly role: Role }>> {
  const found = await findInvitation(ports, token, now);
  if (!found.ok) return found;
  const { invitation, account } = found;
  if (!isFor(invitation, user)) return notForYou(invitation);
  const suspended = suspensionRefusal(account);
  if (suspended !== undefined) return suspended;
  const outcome = await ports.invitations.acceptInvitation(invitation, user.id, memberAdded(account.id, user.id, now, invitation.invitedBy));
  if (outcome === 'gone') return NO_INVITATION;
  return outcome === 'accepted' ? { ok: true, account, role: invitation.role } : refused('conflict', 'you are already a member of this account');
}

function notForYou({ email }: Invitation): ActionRefusal {
  return refused('forbidden', `this invitation is for ${email}; sign in as the user with this address`);
}

/** Returns the ids of everyone whose invitations can be accepted. */
async function ownersOf(members: Pick<MemberStore, 'membersOf'>, accountId: string): Promise<ReadonlySet<string>> {
  const owners = (await members.membersOf(accountId)).filter(({ role }) => role === 'owner');
  return new Set([OPERATOR, ...owners.map(({ userId }) => userId)]);
}
