// The control API's operations on invitations. Tokens of links are in bodies: paths get into logs.

import * as z from 'zod';
import { invitationInput, invitationTokenInput } from '../inputs.ts';
import { account, done, invitation, receivedInvitation, sentInvitation } from '../shapes.ts';
import type { ControlRow } from './row.ts';

export const INVITATION_ROWS = {
  listInvitations: {
    method: 'GET',
    path: '/accounts/{accountId}/invitations',
    summary: 'The invitations to the account that are open.',
    role: 'owner',
    status: 200,
    result: z.array(invitation),
  },
  inviteMember: {
    method: 'POST',
    path: '/accounts/{accountId}/invitations',
    summary: 'Invites an email address to the account.',
    role: 'owner',
    creates: true,
    body: invitationInput,
    status: 201,
    result: sentInvitation,
  },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/accounts/{accountId}/invitations/{invitationId}',
    summary: 'Withdraws an invitation.',
    role: 'owner',
    status: 200,
    result: done,
  },
  viewInvitation: {
    method: 'POST',
    path: '/invitations/view',
    summary: 'The invitation of a link.',
    body: invitationTokenInput,
    status: 200,
    result: receivedInvitation,
  },
  acceptInvitation: {
    method: 'POST',
    path: '/invitations/accept',
    summary: 'Accepts the invitation of a link: the user becomes a member of the account.',
    body: invitationTokenInput,
    status: 200,
    result: account,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;
