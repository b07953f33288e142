// Accounts, their plans, their usage, and their audit log.

import * as z from 'zod';
import { deleteAccount } from '../../../core/access/account-ends.ts';
import { createAccount, renameAccount } from '../../../core/access/accounts.ts';
import { withEmails } from '../../../core/access/key-view.ts';
import { noAccount } from '../../../core/access/keys.ts';
import { requestPlan, withdrawPlanRequest } from '../../../core/access/plan-requests.ts';
import { PLAN_NAMES } from '../../../core/access/plans.ts';
import { ACTOR_KINDS, AUDIT_ACTIONS, AUDIT_ID_PATTERN, auditEntryView } from '../../../core/audit/entry.ts';
import { projectsAndDomainsOf } from '../../../core/domains/actions.ts';
import { usageView } from '../../../core/limits/usage-view.ts';
import { MAX_PAGE_SIZE } from '../../../core/page.ts';
import { refused } from '../../../core/refusal.ts';
import type { AccountPorts, OwnedLookups } from '../context.ts';
import * as example from '../examples.ts';
import { answer, doneOr, type Implementations, ok, okPage, type ResourceRows, resource } from '../operation.ts';
import { account, accountId, CURSOR_ALLOWED, keyId, name, note, pageQuery, planName, REPORTS_NOTHING, time } from '../shapes.ts';
import { accountView } from '../views.ts';

const accountDetail = account
  .extend({
    used: z
      .object({ projects: z.int().min(0), domains: z.int().min(0).describe('Custom domains of all projects') })
      .describe("What counts towards the plan's limits"),
  })
  .meta({ id: 'AccountDetail', description: 'An account, with its usage.' });
const TIME_ALLOWED = 'an ISO 8601 time in UTC, such as 2026-03-03T00:00:00Z';

const window = z
  .object({ used: z.int().min(0), limit: z.int().min(1), remaining: z.int().min(0), resetAt: time })
  .meta({ id: 'UsageWindow', description: 'Usage of one window: a UTC minute or a UTC day.' });
const pastWindow = z
  .object({
    startsAt: time,
    admitted: z.int().min(0),
    refused: z.int().min(0).describe('Requests that got 429; reported up to a minute later'),
  })
  .meta({ id: 'PastWindow', description: 'Requests in a window of the usage history.' });
const usage = z
  .object({
    accountId,
    plan: planName,
    minute: window,
    day: window,
    bans: z.array(z.object({ keyId, until: time, level: z.int().min(0) })),
    history: z
      .object({
        minutes: z.array(pastWindow).describe('The last hour, by UTC minute'),
        hours: z.array(pastWindow).describe('The last 24 hours, by UTC hour'),
        days: z.array(pastWindow).describe('The last 30 days, by UTC day'),
      })
      .describe('Oldest first; the last entry of each list is the current window'),
  })
  .meta({ id: 'Usage', description: "An account's quota usage." });
const auditDetail = z.union([z.string(), z.number(), z.boolean()]).meta({ id: 'AuditDetail', description: 'A fact about a change.' });
const auditEntry = z
  .object({
    entryId: z.string(),
    at: time,
    action: z.enum(AUDIT_ACTIONS),
    subject: z.string().describe('Id of what has changed; for a record, its name'),
    actor: z.object({
      kind: z
        .enum(ACTOR_KINDS)
        .describe('`workflow`: the work on domains; `sweep`: the removal of what is no longer needed; `service`: the service itself'),
      id: z.string().nullable().describe('Of a user or a deploy token; otherwise null'),
      email: z.string().nullable().describe('Of a user; null if users are managed elsewhere, or no longer exist'),
      address: z.string().nullable().describe('IP address; null for the operator, for what happens automatically, and on AWS'),
    }),
    requestId: z.string().nullable().describe('`X-Request-Id` of the request that made the change; null without a request'),
    details: z.record(z.string(), auditDetail).describe('Facts that depend on the action'),
  })
  .meta({ id: 'AuditEntry', description: 'A change in an account.' });
const accountInput = z.strictObject({ name }).meta({ id: 'AccountInput' });
const planRequestInput = z
  .strictObject({
    plan: z.enum(PLAN_NAMES, `one of ${PLAN_NAMES.join(', ')}`),
    note: note('What the operator should know'),
  })
  .meta({ id: 'PlanRequestInput' });
const secondFactorInput = z
  .strictObject({ required: z.boolean('true or false').describe('Whether members must have signed in with a second factor') })
  .meta({ id: 'SecondFactorInput' });
/** Selects entries of the audit log, and a page of them. */
const auditQuery = z.strictObject({
  since: z.iso
    .datetime(TIME_ALLOWED)
    .transform(Date.parse)
    .optional()
    .meta({ description: 'Entries from this time on', type: 'string', format: 'date-time', example: '2026-03-01T00:00:00Z' }),
  until: z.iso
    .datetime(TIME_ALLOWED)
    .transform(Date.parse)
    .optional()
    .meta({ description: 'Entries before then', type: 'string', format: 'date-time', example: '2026-03-04T00:00:00Z' }),
  limit: pageQuery.shape.limit.meta({ description: 'Items per page', type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE }),
  cursor: z.string(CURSOR_ALLOWED).regex(new RegExp(AUDIT_ID_PATTERN), CURSOR_ALLOWED).optional().meta({
    description: 'Where the page starts: taken from the `Link` header of the previous page',
    pattern: AUDIT_ID_PATTERN,
    example: 'aud_mmb4q7k000000h3Kd9Z',
  }),
});

const planRequestExample = { plan: 'business', note: 'We are opening a second shop in May', requestedAt: example.tuesday, decision: null } as const;

export const ACCOUNT_OPERATIONS = resource('accounts', {
  listAccounts: {
    route: 'GET /accounts',
    summary: 'The accounts the user is a member of.',
    description: 'The accounts the user is a member of, oldest first.',
    response: 'The accounts.',
    result: z.array(account),
    example: { response: [example.account] },
  },
  createAccount: {
    route: 'POST /accounts',
    summary: 'Creates an account on the Free plan, with the user as its owner.',
    description: 'Creates an account on the Free plan; an operator changes the plan. A user who is already a member of 5 accounts gets 409.',
    response: 'The new account.',
    creates: true,
    body: accountInput,
    result: account,
    example: { body: { name: 'My shop' }, response: { ...example.account, plan: 'free', limits: { perMinute: 60, perDay: 1_000 } } },
  },
  getAccount: {
    route: 'GET /accounts/{accountId}',
    summary: 'An account.',
    description: "One of the user's accounts, with its plan, its limits, and how many projects and custom domains it has.",
    response: 'The account.',
    result: accountDetail,
    example: { response: { ...example.account, used: { projects: 2, domains: 3 } } },
  },
  renameAccount: {
    route: 'PUT /accounts/{accountId}',
    summary: 'Gives an account another display name.',
    description: 'Only the name changes; the id, keys and limits stay.',
    response: 'The account.',
    role: 'owner',
    body: accountInput,
    result: account,
    example: { body: { name: 'Corner Shop' }, response: { ...example.account, name: 'Corner Shop' } },
  },
  deleteAccount: {
    route: 'DELETE /accounts/{accountId}',
    summary: 'Deletes an account without projects, with its keys, usage, members and invitations.',
    description:
      'Its keys are refused at once. Its usage, members, invitations and sandbox records are deleted with it; its entries in the audit log stay for 400 days. While it has projects, returns 409: delete them first.',
    response: 'The account is deleted.',
    errors: ['conflict'],
    role: 'owner',
    needsRecentSignIn: true,
    ...REPORTS_NOTHING,
  },
  requestPlan: {
    route: 'PUT /accounts/{accountId}/plan-request',
    summary: 'Asks the operator for another plan; replaces an earlier request.',
    description:
      'The operator sees the request, and approves or declines it; members get an email, if the installation sends any. Asking for the plan that the account is on returns 409.',
    response: 'The account, with the request.',
    role: 'owner',
    body: planRequestInput,
    result: account,
    example: { body: { plan: 'business', note: planRequestExample.note }, response: { ...example.account, planRequest: planRequestExample } },
  },
  withdrawPlanRequest: {
    route: 'DELETE /accounts/{accountId}/plan-request',
    summary: 'Withdraws the request for a plan, or dismisses a decided one.',
    description: 'Without a request, returns 404.',
    response: 'The account, without a request.',
    role: 'owner',
    result: account,
    example: { response: example.account },
  },
  requireSecondFactor: {
    route: 'PUT /accounts/{accountId}/second-factor',
    summary: 'Sets whether members must sign in with a second factor.',
    description:
      "While it is required, members whose sign-in had no second factor (a passkey, or a code after the password) get 403 for everything in the account. API keys and deploy tokens keep working. To require it, the owner's own sign-in must have had one. On AWS, returns 409: there, a stage setting requires a second factor from all users.",
    response: 'The account.',
    role: 'owner',
    needsRecentSignIn: { required: false },
    body: secondFactorInput,
    result: account,
    example: { body: { required: true }, response: { ...example.account, secondFactorRequired: true } },
  },
  getUsage: {
    route: 'GET /accounts/{accountId}/usage',
    summary: "An account's quota usage; does not count as a request.",
    description:
      'Usage for the current minute and day, the last hour by minute, the last day by hour, the last 30 days by day, and the bans in force. This request uses up no quota.',
    response: 'The usage.',
    result: usage,
    example: {
      response: {
        accountId: example.accountId,
        plan: 'pro',
        minute: { used: 3, limit: 300, remaining: 297, resetAt: '2026-03-03T10:16:00.000Z' },
        day: { used: 588, limit: 10_000, remaining: 9_412, resetAt: '2026-03-04T00:00:00.000Z' },
        bans: [],
        history: {
          minutes: [{ startsAt: example.tuesday, admitted: 3, refused: 0 }],
          hours: [{ startsAt: '2026-03-03T10:00:00.000Z', admitted: 46, refused: 0 }],
          days: [{ startsAt: '2026-03-03T00:00:00.000Z', admitted: 588, refused: 0 }],
        },
      },
    },
  },
  listAuditEntries: {
    route: 'GET /accounts/{accountId}/audit',
    summary: 'What was changed in the account, when, by whom and from where, newest first.',
    description:
      'Changes in the last 400 days to keys, members, invitations, plans, projects, deployments, deploy tokens and domains, by users, pipelines, the operator and the service itself. Requests to the catalogue API are not included. `details` has facts such as the role of a new member. For an export, follow the `Link` headers.',
    response: 'A page of entries, newest first.',
    role: 'owner',
    paged: true,
    query: auditQuery,
    result: z.array(auditEntry),
    example: {
      response: [
        {
          entryId: 'aud_mmb4q7k000000h3Kd9Z',
          at: example.tuesday,
          action: 'member.added',
          subject: 'usr_4wQ7nZk2Lm',
          actor: { kind: 'user', id: example.userId, email: 'ann@example.com', address: '192.0.2.17' },
          requestId: '3f1c5a9e-6b0f-4f5e-9d38-0a8f2d1c7b64',
          details: { role: 'member' },
        },
      ],
    },
  },
} as const satisfies ResourceRows);

/** Implements the operations on accounts. */
export function accountHandlers(ports: AccountPorts, owned: Pick<OwnedLookups, 'accountsOf'>): Implementations<typeof ACCOUNT_OPERATIONS> {
  return {
    listAccounts: async ({ caller }) => ok((await owned.accountsOf(caller)).map(accountView)),

    createAccount: async ({ caller, body: { name }, now }) =>
      answer(await createAccount(ports, { name, plan: 'free', owner: caller.id }, ports.randomBytes, now), (made) =>
        accountView({ ...made.account, role: 'owner' }),
      ),

    getAccount: async ({ account }) => {
      const { projects, domains } = await projectsAndDomainsOf(ports, account.id);
      return ok({ ...accountView(account), used: { projects: projects.length, domains: domains.length } });
    },

    renameAccount: async ({ account, body: { name } }) =>
      answer(await renameAccount(ports, account.id, name), () => accountView({ ...account, name })),

    deleteAccount: async ({ account, now }) => doneOr(await deleteAccount(ports, account.id, now)),

    requestPlan: async ({ account, caller, body, now }) =>
      answer(await requestPlan(ports, account, { ...body, requestedBy: caller.id }, now), (requested) =>
        accountView({ ...account, planRequest: requested.request }),
      ),

    withdrawPlanRequest: async ({ account }) => {
      const { planRequest: _, ...rest } = account;
      return answer(await withdrawPlanRequest(ports, account), () => accountView(rest));
    },

    requireSecondFactor: async ({ account, caller, body: { required } }) => {
      if (required && !ports.knowsSecondFactors)
        return refused('conflict', 'this installation does not know how users sign in; its operator can require a second factor from all users');
      // If this were accepted, the owner who requests it would be refused from then on.
      if (required && caller.hasSecondFactor !== true)
        return refused('second_factor_required', 'set up a second factor yourself first, and sign in again with it');
      const { requiresSecondFactor: _, ...rest } = account;
      const isSet = await ports.accounts.setSecondFactor(account.id, required);
      return isSet ? ok(accountView({ ...rest, ...(required && { requiresSecondFactor: true }) })) : noAccount(account.id);
    },

    getUsage: async ({ account, now }) => {
      const usage = await ports.usage.usage(account.id, now);
      return usage === undefined ? noAccount(account.id) : ok(usageView(account.id, usage));
    },

    listAuditEntries: async ({ account, query: { since, until, limit = MAX_PAGE_SIZE, cursor } }) => {
      if (ports.audit === undefined) return refused('conflict', 'this installation keeps no audit log yet');
      const page = await ports.audit.entries({ accountId: account.id, since, until }, limit, cursor);
      return withEmails(ports.directory, (emailOf) => okPage(page, (entry) => auditEntryView(entry, emailOf)));
    },
  };
}
