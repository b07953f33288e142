// An account's members and invitations. Owners send invitations, and the users of the invited addresses accept them. The tokens of invitation links
// are in request bodies, because paths are logged.

import * as z from 'zod';
import { changeRole, removeMember } from '../../../core/access/accounts.ts';
import { credentialsOf } from '../../../core/access/credentials.ts';
import { acceptInvitation, findInvitation, invite, isFor, openInvitations, withdrawInvitation } from '../../../core/access/invitations.ts';
import { ROLES } from '../../../core/access/plans.ts';
import { isEmailAddress, normalEmail } from '../../../core/identity/user.ts';
import { PATTERNS } from '../../openapi/schemas.ts';
import { type AccountPorts, type Caller, notFound } from '../context.ts';
import * as example from '../examples.ts';
import { answer, doneOr, type Implementations, OWNERS_ONLY, ok, type ResourceRows, resource } from '../operation.ts';
import { account, REPORTS_NOTHING, role, SIGN_INS, signIn, time, userId } from '../shapes.ts';
import { accountView, invitationView, memberView, signInView } from '../views.ts';

const member = z
  .object({ userId, email: z.string().nullable().describe('Null if users are managed elsewhere'), role })
  .meta({ id: 'Member', description: 'A user who may act for an account.' });
const credential = z
  .object({
    kind: z.enum(['key', 'deploy_token']),
    id: z.string().describe('Of the key or the token'),
    name: z.string(),
    projectId: z.string().nullable().describe('Of a deploy token; null for a key'),
  })
  .meta({ id: 'Credential', description: 'An API key or a deploy token, without its text.' });
const memberSignIns = z
  .object({
    canList: z.boolean().describe('Whether this installation can list sign-ins; if not, the list is empty'),
    signIns: z.array(signIn).describe(`The latest ${SIGN_INS}, newest first`),
  })
  .meta({ id: 'MemberSignIns', description: 'Recent sign-ins and sign-in attempts of a member.' });
const removeMemberQuery = z.object({
  credentials: z
    .enum(['keep', 'revoke'], 'keep or revoke')
    .optional()
    .meta({ description: 'Whether the keys and deploy tokens that the user has created are revoked, too. Without it, they are kept' }),
});
const invitationFacts = { email: z.string().describe('The invited address'), role: role.describe('The role of the invited user'), expiresAt: time };
const invitation = z
  .object({
    invitationId: z.string().meta({ description: 'Id of the invitation, not the link' }),
    ...invitationFacts,
    mailed: z.boolean().describe('Whether the link was sent to the address; otherwise, the response to inviteMember has it'),
    invitedBy: z
      .object({
        userId: userId.nullable().describe('Null: the operator'),
        email: z.string().nullable().describe('Null if users are managed elsewhere'),
      })
      .meta({ id: 'Inviter', description: 'Who has invited.' }),
    createdAt: time,
  })
  .meta({ id: 'Invitation', description: 'An invitation to an account, without its link.' });
const sentInvitation = invitation
  .extend({
    link: z
      .string()
      .nullable()
      .describe("To be handed to the invited person: a path below the dashboard's address. Only in this response; null if it is sent by mail"),
  })
  .meta({ id: 'SentInvitation', description: 'A new invitation.' });
const receivedInvitation = z
  .object({
    accountName: z.string(),
    ...invitationFacts,
    invitedBy: z.string().nullable().describe('Address of the owner who sent the invitation; null if it is unknown'),
    forYou: z.boolean().describe("Whether it is for the user's address; otherwise they can't accept it"),
    member: z.boolean().describe('Whether the user is a member already'),
  })
  .meta({ id: 'ReceivedInvitation', description: 'An invitation, as its recipient sees it.' });
const memberInput = z.strictObject({ role: z.enum(ROLES, `one of ${ROLES.join(', ')}`) }).meta({ id: 'MemberInput' });
const invitationInput = z
  .strictObject({
    email: z
      .string('an email address')
      .refine((typed) => isEmailAddress(normalEmail(typed)), 'an email address, such as ann@example.com')
      .meta({ description: 'The address to invite, in any case', maxLength: 254, pattern: PATTERNS.email }),
    role: z.enum(ROLES, `one of ${ROLES.join(', ')}`).default('member'),
  })
  .meta({ id: 'InvitationInput' });
const invitationTokenInput = z
  .strictObject({ token: z.string('a token').max(200, 'a token').describe("The part of the invitation's link after #") })
  .meta({ id: 'InvitationTokenInput' });

const USER_ID = new RegExp(PATTERNS.userId);

const invitationExample = {
  invitationId: example.invitationId,
  email: 'ben@example.com',
  role: 'member',
  mailed: true,
  invitedBy: { userId: example.userId, email: 'ann@example.com' },
  createdAt: example.monday,
  expiresAt: '2026-03-09T09:00:00.000Z',
} as const;
const invitationTokenExample = `petstore_invite_${example.invitationId.slice(4)}ThisOneIsAnExample000000000000000001`;

export const MEMBER_OPERATIONS = resource('accounts', {
  listMembers: {
    route: 'GET /accounts/{accountId}/members',
    summary: 'The users who may act for the account.',
    description:
      'An owner may do everything. A member works with projects, domains, keys and deployments, but cannot change who belongs to the account or delete projects. Owners invite members; an operator can add them directly.',
    response: 'The members.',
    result: z.array(member),
    example: {
      response: [
        { userId: example.userId, email: 'ann@example.com', role: 'owner' },
        { userId: 'usr_2b9XkLw0Tq', email: 'ben@example.com', role: 'member' },
      ],
    },
  },
  changeMember: {
    route: 'PUT /accounts/{accountId}/members/{userId}',
    summary: "Changes a member's role, but not that of the last owner.",
    description:
      'Requires the owner role; owners may also step down themselves. To hand an account over, make another member an owner, then step down. Changing the role of the last owner returns 409.',
    response: 'The member, with the new role.',
    role: 'owner',
    needsRecentSignIn: { role: 'owner' },
    orSelf: true,
    body: memberInput,
    result: member,
    example: { body: { role: 'owner' }, response: { userId: 'usr_2b9XkLw0Tq', email: 'ben@example.com', role: 'owner' } },
  },
  listMemberCredentials: {
    route: 'GET /accounts/{accountId}/members/{userId}/credentials',
    summary: 'The active keys and deploy tokens that a user has created in the account.',
    description: 'Also for a former member: what they have created keeps working until it is revoked or expires.',
    response: 'The keys, then the tokens; empty for someone who has created none.',
    result: z.array(credential),
    example: {
      response: [
        { kind: 'key', id: example.keyId, name: 'Till', projectId: null },
        { kind: 'deploy_token', id: example.tokenId, name: 'CI', projectId: example.projectId },
      ],
    },
  },
  listMemberSignIns: {
    route: 'GET /accounts/{accountId}/members/{userId}/sign-ins',
    summary: "A member's recent sign-ins and sign-in attempts.",
    description:
      'Requires the owner role. Lists sign-ins from the last 400 days, but none from before the user last joined the account; for former members, returns 404. Cognito does not list sign-ins: on AWS the list is empty.',
    response: 'The sign-ins.',
    role: 'owner',
    result: memberSignIns,
    example: { response: { canList: true, signIns: example.signIns } },
  },
  removeMember: {
    route: 'DELETE /accounts/{accountId}/members/{userId}',
    summary: 'Removes a member from the account, but not the last owner.',
    description:
      'Takes effect at once. Requires the owner role; members may remove themselves. Removing the last owner of an account returns 409. With `credentials=revoke`, the keys and deploy tokens that the user has created are revoked after the user has been removed. If that is interrupted, repeat the request: it revokes the rest and returns 404.',
    query: removeMemberQuery,
    response: 'The user is no longer a member.',
    role: 'owner',
    orSelf: true,
    ...REPORTS_NOTHING,
  },
  listInvitations: {
    route: 'GET /accounts/{accountId}/invitations',
    summary: 'The open invitations to the account.',
    description:
      'Oldest first. Requires the owner role. An invitation is open for up to seven days, until it is accepted, withdrawn or replaced, or the person who sent it is no longer an owner.',
    response: 'The open invitations, without their links.',
    role: 'owner',
    result: z.array(invitation),
    example: { response: [invitationExample] },
  },
  inviteMember: {
    route: 'POST /accounts/{accountId}/invitations',
    summary: 'Invites an email address to the account.',
    description:
      'Requires the owner role. The address gets an email with a link; if the installation sends no emails, the link is in the response, to be handed over. Inviting an address again replaces its invitation, whose links stop working. An account has up to 20 open invitations (409). In a UTC day, up to 30 are sent for an account, and up to 30 by a user (429).',
    response: 'The invitation.',
    role: 'owner',
    needsRecentSignIn: { role: 'owner' },
    creates: true,
    body: invitationInput,
    result: sentInvitation,
    example: { body: { email: 'ben@example.com', role: 'member' }, response: { ...invitationExample, link: null } },
  },
  withdrawInvitation: {
    route: 'DELETE /accounts/{accountId}/invitations/{invitationId}',
    summary: 'Withdraws an invitation.',
    description: 'Its links stop working at once. Requires the owner role.',
    response: 'The invitation is withdrawn.',
    role: 'owner',
    ...REPORTS_NOTHING,
  },
  viewInvitation: {
    route: 'POST /invitations/view',
    summary: 'The invitation that a link belongs to.',
    description:
      'For the signed-in user who has the link. All links that can’t be used get the same 404: expired, withdrawn, replaced or accepted ones, and junk.',
    response: 'The invitation, and whether this user can accept it.',
    errors: ['not_found'],
    body: invitationTokenInput,
    result: receivedInvitation,
    example: {
      body: { token: invitationTokenExample },
      response: {
        accountName: 'My shop',
        role: 'member',
        email: 'ben@example.com',
        invitedBy: 'ann@example.com',
        expiresAt: '2026-03-09T09:00:00.000Z',
        forYou: true,
        member: false,
      },
    },
  },
  acceptInvitation: {
    route: 'POST /invitations/accept',
    summary: 'Accepts the invitation that a link belongs to: the user becomes a member of the account.',
    description:
      "Works once. The user's verified address must be the invited one: others get 403. A member keeps their role, and gets 409; the invitation is used up.",
    response: "The account, with the user's role.",
    errors: ['not_found', 'forbidden', 'account_suspended'],
    body: invitationTokenInput,
    result: account,
    example: { body: { token: invitationTokenExample }, response: { ...example.account, role: 'member' } },
  },
} as const satisfies ResourceRows);

/** Implements the operations on members and invitations. */
export function memberHandlers(ports: AccountPorts): Implementations<typeof MEMBER_OPERATIONS> {
  const { members, invitations, directory, sessions, sendsMail, randomBytes } = ports;
  const inviteeOf = async (caller: Caller) => ({ id: caller.id, email: await directory.addressOf(caller, caller.id) });
  return {
    listMembers: async ({ account }) => {
      const all = await members.membersOf(account.id);
      const views = await Promise.all(all.map((each) => memberView(each, directory)));
      return ok(views.toSorted((a, b) => (a.userId < b.userId ? -1 : 1)));
    },

    changeMember: async ({ account, body: { role }, parameters: { userId } }) => {
      // Members may lower their own role, but not raise it.
      if (role === 'owner' && account.role !== 'owner') return OWNERS_ONLY;
      return answer(await changeRole(ports, account.id, { userId, role }), () => memberView({ userId, role }, directory));
    },

    listMemberCredentials: async ({ account, parameters: { userId }, now }) => {
      if (!USER_ID.test(userId)) return notFound('member', userId);
      const all = await credentialsOf(ports, account.id, userId, now);
      return ok(all.map(({ project, ...each }) => ({ ...each, projectId: project?.id ?? null })));
    },

    listMemberSignIns: async ({ account, parameters: { userId } }) => {
      if (!(await members.membersOf(account.id)).some((member) => member.userId === userId)) return notFound('member', userId);
      const found = await sessions?.listSignIns(userId, SIGN_INS, account.id);
      return ok({ canList: found !== undefined, signIns: (found ?? []).map(signInView) });
    },

    removeMember: async ({ account, caller, parameters: { userId }, query: { credentials }, now }) => {
      const removal = { by: caller.id, revokes: credentials === 'revoke', now };
      return doneOr(await removeMember(ports, account.id, userId, removal));
    },

    listInvitations: async ({ account, now }) =>
      ok(await Promise.all((await openInvitations(ports, account.id, now)).map((each) => invitationView(each, directory)))),

    inviteMember: async ({ account, caller, body, now }) => {
      const request = { accountId: account.id, ...body, invitedBy: caller.id, mailed: sendsMail, now };
      return answer(await invite(ports, randomBytes, request), async ({ invitation, link = null }) => ({
        ...(await invitationView(invitation, directory)),
        link,
      }));
    },

    withdrawInvitation: async ({ account, parameters: { invitationId } }) => doneOr(await withdrawInvitation(invitations, account.id, invitationId)),

    viewInvitation: async ({ caller, body, now }) => {
      const found = await findInvitation(ports, body.token, now);
      if (!found.ok) return found;
      const { invitation, account } = found;
      const [invitee, invitedBy, memberships] = await Promise.all([
        inviteeOf(caller),
        directory.addressOf(caller, invitation.invitedBy),
        members.membershipsOf(caller.id),
      ]);
      return ok({
        accountName: account.name,
        role: invitation.role,
        email: invitation.email,
        invitedBy: invitedBy ?? null,
        expiresAt: new Date(invitation.expiresAt).toISOString(),
        forYou: isFor(invitation, invitee),
        member: memberships.some(({ accountId }) => accountId === account.id),
      });
    },

    acceptInvitation: async ({ caller, body, now }) =>
      answer(await acceptInvitation(ports, body.token, await inviteeOf(caller), now), (accepted) =>
        accountView({ ...accepted.account, role: accepted.role }),
      ),
  };
}
