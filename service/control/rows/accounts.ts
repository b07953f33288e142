// The control API's operations on accounts, their members, plans and usage.

import * as z from 'zod';
import { accountInput, auditQuery, memberInput, planRequestInput } from '../inputs.ts';
import { account, accountDetail, auditEntry, done, member, usage } from '../shapes.ts';
import type { ControlRow } from './row.ts';

export const ACCOUNT_ROWS = {
  listAccounts: { method: 'GET', path: '/accounts', summary: 'The accounts the user is a member of.', status: 200, result: z.array(account) },
  createAccount: {
    method: 'POST',
    path: '/accounts',
    summary: 'Creates an account on the Free plan, with the user as its owner.',
    creates: true,
    body: accountInput,
    status: 201,
    result: account,
  },
  getAccount: { method: 'GET', path: '/accounts/{accountId}', summary: 'An account.', status: 200, result: accountDetail },
  deleteAccount: {
    method: 'DELETE',
    path: '/accounts/{accountId}',
    summary: 'Deletes an account without projects, with its keys, usage, members and invitations.',
    role: 'owner',
    status: 200,
    result: done,
  },
  listAuditEntries: {
    method: 'GET',
    path: '/accounts/{accountId}/audit',
    summary: 'What was changed in the account, when, by whom and from where, the latest first.',
    role: 'owner',
    paged: true,
    query: auditQuery,
    status: 200,
    result: z.array(auditEntry),
  },
  listMembers: {
    method: 'GET',
    path: '/accounts/{accountId}/members',
    summary: 'The users who may act for the account.',
    status: 200,
    result: z.array(member),
  },
  changeMember: {
    method: 'PUT',
    path: '/accounts/{accountId}/members/{userId}',
    summary: "Changes a member's role. The last owner stays one.",
    role: 'owner',
    orSelf: true,
    body: memberInput,
    status: 200,
    result: member,
  },
  removeMember: {
    method: 'DELETE',
    path: '/accounts/{accountId}/members/{userId}',
    summary: 'Removes a member from the account. The last owner stays.',
    role: 'owner',
    orSelf: true,
    status: 200,
    result: done,
  },
  requestPlan: {
    method: 'PUT',
    path: '/accounts/{accountId}/plan-request',
    summary: 'Asks the operator for another plan; replaces an earlier request.',
    role: 'owner',
    body: planRequestInput,
    status: 200,
    result: account,
  },
  withdrawPlanRequest: {
    method: 'DELETE',
    path: '/accounts/{accountId}/plan-request',
    summary: 'Takes the request for a plan back, or puts a decided one away.',
    role: 'owner',
    status: 200,
    result: account,
  },
  getUsage: {
    method: 'GET',
    path: '/accounts/{accountId}/usage',
    summary: "An account's quota usage; does not count as a request.",
    status: 200,
    result: usage,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;
