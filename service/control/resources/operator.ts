// Operations for operators, across the whole installation: all customers' accounts, plan requests, domains in trouble, and the service's health.

import * as z from 'zod';
import { type Account, NEVER } from '../../../core/access/account.ts';
import { resumeAccount, suspendAccount } from '../../../core/access/account-ends.ts';
import { changePlan } from '../../../core/access/accounts.ts';
import { decidePlanRequest, MAX_NOTE_LENGTH } from '../../../core/access/plan-requests.ts';
import { MAX_LIMIT, PLAN_NAMES } from '../../../core/access/plans.ts';
import { projectsAndDomainsOf } from '../../../core/domains/actions.ts';
import type { Domain } from '../../../core/domains/domain.ts';
import { domainView } from '../../../core/domains/domain-view.ts';
import { parseHostName } from '../../../core/domains/host-name.ts';
import { hostIn } from '../../../core/domains/pasted-host.ts';
import { DUE_POSITION_PATTERN } from '../../../core/domains/queue.ts';
import { isGone, isTroubled, nextCheckAt } from '../../../core/domains/states.ts';
import { MINUTE_MS } from '../../../core/limits/windows.ts';
import { pageByAge } from '../../../core/page.ts';
import { isName } from '../../../core/text.ts';
import { PATTERNS } from '../../openapi/schemas.ts';
import type { ControlPorts } from '../context.ts';
import * as example from '../examples.ts';
import { answer, type Implementations, ok, okPage, type ResourceRows, resource } from '../operation.ts';
import { account, accountId, CURSOR_ALLOWED, note, pageQuery, role, time, userId, wholeNumber } from '../shapes.ts';
import { accountView, domainViewWithRecords, memberView } from '../views.ts';
import { domain } from './domains.ts';

/** How long work must be overdue to count as late, in milliseconds. */
const LATE_MS = 5 * MINUTE_MS;
/** Maximum number of late items that are counted, and number of domains that a request reads per page. */
const MOST = 100;
/** Maximum number of pages of domains that a request reads to find some in trouble. */
const PAGES = 10;

const late = z
  .object({
    count: z.int().min(0).max(MOST).describe(`Items that have been due for more than 5 minutes; ${MOST} means that many or more`),
    since: time.nullable().describe('When the oldest late item was due; null if nothing is late'),
  })
  .meta({ id: 'LateWork', description: 'Work that is late.' });
const installation = z
  .object({
    checks: z
      .array(z.object({ name: z.string(), state: z.enum(['ok', 'warning', 'failed']), reason: z.string().nullable().describe('What was found') }))
      .nullable()
      .describe("What /readyz checks; null on AWS, where CloudWatch's alarms watch the stage"),
    accounts: z.object({ all: z.int().min(0), suspended: z.int().min(0), planRequests: z.int().min(0).describe('Open requests for another plan') }),
    domainWork: late.describe('Checks, certificates and removals of domains'),
    mail: late.nullable().describe('Emails to members; null if this installation sends none'),
  })
  .meta({ id: 'Installation', description: 'The state of the installation.' });
const customer = account.omit({ role: true }).meta({ id: 'Customer', description: 'An account, as operators see it.' });
const customerContents = z
  .object({
    members: z.array(z.object({ userId, email: z.string().nullable().describe('Null if users are managed elsewhere'), role })),
    keys: z.int().min(0).describe('API keys that are not revoked'),
    projects: z.int().min(0),
    domains: z.array(domain.pick({ host: true, displayHost: true, state: true, stateLabel: true, projectId: true })),
  })
  .meta({ id: 'CustomerContents', description: 'The members, keys, projects and domains of an account.' });
const troubledDomain = domain
  .extend({ accountId, accountName: z.string(), projectName: z.string() })
  .meta({ id: 'TroubledDomain', description: 'A custom domain in trouble, with its account and project.' });

const limit = wholeNumber(`an integer from 1 to ${MAX_LIMIT}`, 1, MAX_LIMIT);
const agreed = {
  perMinute: limit.optional().describe('Requests a minute; required for the plan enterprise, and not allowed for others'),
  perDay: limit.optional().describe('Requests a day; required for the plan enterprise, and not allowed for others'),
};
const planInput = z.strictObject({ plan: z.enum(PLAN_NAMES, `one of ${PLAN_NAMES.join(', ')}`), ...agreed }).meta({ id: 'PlanInput' });
const TIME_ALLOWED = 'the requestedAt of the request, such as 2026-03-03T00:00:00.000Z';
const decisionInput = z
  .strictObject({
    requestedAt: z
      .string(TIME_ALLOWED)
      .max(40, TIME_ALLOWED)
      .transform(Date.parse)
      .meta({ description: 'Which request: its `requestedAt`. The owner may have made another one meanwhile', type: 'string', maxLength: 40 }),
    approved: z.boolean('true or false'),
    reason: note('For the members'),
    ...agreed,
  })
  .meta({ id: 'PlanDecisionInput' });
const REASON_ALLOWED = `1 to ${MAX_NOTE_LENGTH} characters, on one line, not blank`;
const suspensionInput = z
  .strictObject({
    reason: z
      .string('a text')
      .refine((text) => isName(text, MAX_NOTE_LENGTH), REASON_ALLOWED)
      .meta({
        description: 'For the members: not blank, without control characters',
        minLength: 1,
        maxLength: MAX_NOTE_LENGTH,
        pattern: PATTERNS.name,
      }),
  })
  .meta({ id: 'SuspensionInput' });
const SEARCH_ALLOWED = 'up to 320 characters';
const customersQuery = pageQuery.extend({
  search: z.string(SEARCH_ALLOWED).max(320, SEARCH_ALLOWED).optional().meta({
    description: "Part of the account's name; or the id of the account, a member or a project; a member's whole address; or a custom domain",
    maxLength: 320,
  }),
  only: z
    .enum(['suspended', 'plan_request'], 'suspended or plan_request')
    .optional()
    .meta({ description: '`suspended`: suspended accounts; `plan_request`: those with an open request for a plan', example: 'plan_request' }),
});
const troubledQuery = z.strictObject({
  cursor: z.string(CURSOR_ALLOWED).regex(new RegExp(DUE_POSITION_PATTERN), CURSOR_ALLOWED).optional().meta({
    description: 'Where the page starts: taken from the `Link` header of the previous page',
    pattern: DUE_POSITION_PATTERN,
    example: '1772445600000 dom_p3Wn5Yc8Ke',
  }),
});

const { role: _, ...customerExample } = example.account;
const contentsExample = {
  members: [{ userId: example.userId, email: 'ann@example.com', role: 'owner' }],
  keys: 2,
  projects: 1,
  domains: [{ host: example.host, displayHost: example.host, state: 'live', stateLabel: 'Live', projectId: example.projectId }],
} as const;
const requestExample = { plan: 'business', note: 'We are opening a second shop in May', requestedAt: example.tuesday, decision: null } as const;

export const OPERATOR_OPERATIONS = resource('operator', {
  getInstallation: {
    route: 'GET /operator/installation',
    summary: 'The state of the installation: its checks, late work, and what waits for a decision.',
    description: 'The checks of /readyz, how many accounts there are, and what is late. Late work is done as soon as its cause is gone.',
    response: 'The installation.',
    operator: true,
    result: installation,
    example: {
      response: {
        checks: [{ name: 'storage', state: 'ok', reason: null }],
        accounts: { all: 12, suspended: 0, planRequests: 1 },
        domainWork: { count: 0, since: null },
        mail: { count: 2, since: example.tuesday },
      },
    },
  },
  listCustomers: {
    route: 'GET /operator/accounts',
    summary: 'All accounts, or those that match a search.',
    description: 'All accounts of the installation, oldest first. Searching for an address works where the service itself manages users: not on AWS.',
    response: 'The accounts.',
    operator: true,
    query: customersQuery,
    paged: true,
    result: z.array(customer),
    example: { response: [{ ...customerExample, planRequest: requestExample }] },
  },
  getCustomer: {
    route: 'GET /operator/accounts/{accountId}',
    summary: 'Any account.',
    description: 'An account of the installation.',
    response: 'The account.',
    operator: true,
    result: customer,
    example: { response: customerExample },
  },
  getCustomerContents: {
    route: 'GET /operator/accounts/{accountId}/contents',
    summary: 'The members of any account, and what it has.',
    description: 'Who its members are, how many keys and projects it has, and its custom domains.',
    response: 'The contents.',
    operator: true,
    result: customerContents,
    example: { response: contentsExample },
  },
  setPlan: {
    route: 'PUT /operator/accounts/{accountId}/plan',
    summary: "Changes an account's plan.",
    description:
      'Takes effect within a minute. A larger plan lifts the bans on the account’s keys. A plan without custom domains suspends the account’s domains within five minutes. An open request for a plan stays open.',
    response: 'The account.',
    operator: true,
    needsRecentSignIn: true,
    body: planInput,
    result: customer,
    example: { body: { plan: 'enterprise', perMinute: 5_000, perDay: 1_000_000 }, response: customerExample },
  },
  decidePlanRequest: {
    route: 'POST /operator/accounts/{accountId}/plan-request/decision',
    summary: 'Approves or declines a request for a plan.',
    description:
      'An approved request changes the plan. The account’s members get an email. Without an open request, or if another one was made meanwhile, returns 409.',
    response: 'The account, with the decision.',
    operator: true,
    needsRecentSignIn: true,
    body: decisionInput,
    result: customer,
    example: {
      body: { requestedAt: example.tuesday, approved: false, reason: 'Please pay the April invoice first' },
      response: {
        ...customerExample,
        planRequest: { ...requestExample, decision: { approved: false, reason: 'Please pay the April invoice first', at: example.tuesday } },
      },
    },
  },
  suspendAccount: {
    route: 'PUT /operator/accounts/{accountId}/suspension',
    summary: 'Suspends an account: its keys are refused, and its sites are not served.',
    description:
      'Nothing is deleted. Members are sent the reason by email, and can still view and delete. An account that is already suspended gets the new reason.',
    response: 'The account.',
    operator: true,
    needsRecentSignIn: true,
    body: suspensionInput,
    result: customer,
    example: {
      body: { reason: 'unpaid since May' },
      response: { ...customerExample, suspension: { since: example.tuesday, reason: 'unpaid since May' } },
    },
  },
  resumeAccount: {
    route: 'DELETE /operator/accounts/{accountId}/suspension',
    summary: 'Ends the suspension of an account.',
    description: 'Its keys work again within a minute, and its domains are checked and served again.',
    response: 'The account.',
    operator: true,
    needsRecentSignIn: true,
    result: customer,
    example: { response: customerExample },
  },
  listTroubledDomains: {
    route: 'GET /operator/domains',
    summary: 'Custom domains in trouble, of all accounts.',
    description:
      'Domains whose record is wrong, or whose certificate was refused, is late, has expired or could not be renewed: in the order in which they are checked next. A page may be empty without being the last: each request reads up to 1,000 domains.',
    response: 'The domains.',
    operator: true,
    query: troubledQuery,
    paged: true,
    result: z.array(troubledDomain),
    example: { response: [] },
  },
} as const satisfies ResourceRows);

/** Implements operators' operations. */
export function operatorHandlers(ports: ControlPorts): Implementations<typeof OPERATOR_OPERATIONS> {
  const { accounts, members, projects, domains, directory, outbox, readiness, rules } = ports;

  const view = (found: Account) => {
    const { role: _, ...rest } = accountView({ ...found, role: 'owner' });
    return rest;
  };

  const current = async (id: string) => view((await accounts.getAccount(id)) as Account);

  /** Returns the ids of accounts that a search finds by something other than their name. */
  async function accountsWith(text: string): Promise<ReadonlySet<string>> {
    const parsed = parseHostName(hostIn(text), rules.policy);
    const [memberships, claims, project] = await Promise.all([
      members.membershipsOf((await directory.userOf(text)) ?? text),
      parsed.ok ? domains.claimsOf(parsed.name.host) : [],
      projects.getProject(text),
    ]);
    const claimed = claims.filter(({ state }) => !isGone(state)).map(({ projectId }) => projects.getProject(projectId));
    const owners = (await Promise.all(claimed)).map((each) => each?.accountId);
    return new Set([text, ...memberships.map((each) => each.accountId), ...[...owners, project?.accountId].filter((each) => each !== undefined)]);
  }

  async function troubled(found: Domain, now: number) {
    const project = await projects.getProject(found.projectId);
    const owner = project && (await accounts.getAccount(project.accountId));
    if (project === undefined || owner === undefined) return undefined;
    return { ...domainViewWithRecords(found, project, rules, now), accountId: owner.id, accountName: owner.name, projectName: project.name };
  }

  return {
    getInstallation: async ({ now }) => {
      const [all, work, mail, ready] = await Promise.all([
        accounts.listAccounts(),
        domains.dueDomains(now - LATE_MS, MOST),
        outbox?.due(now - LATE_MS, MOST),
        readiness?.(),
      ]);
      return ok({
        checks: ready?.checks.map(({ name, state, reason = null }) => ({ name, state, reason })) ?? null,
        accounts: {
          all: all.length,
          suspended: all.filter(({ suspension }) => suspension !== undefined).length,
          planRequests: all.filter(hasOpenRequest).length,
        },
        // Domains that were changed just now may be returned as due as well, because clocks may differ.
        domainWork: lateView(work.items.map(({ state }) => nextCheckAt(state) ?? now).filter((at) => at <= now - LATE_MS)),
        mail: mail === undefined ? null : lateView(mail.map(({ notification }) => notification.at)),
      });
    },
    listCustomers: async ({ query: { search = '', only, ...page } }) => {
      const text = search.trim();
      const ids = text === '' ? new Set() : await accountsWith(text);
      const isMeant = ({ id, name }: Account) => text === '' || ids.has(id) || name.toLowerCase().includes(text.toLowerCase());
      const isWanted = (each: Account) => only === undefined || (only === 'suspended' ? each.suspension !== undefined : hasOpenRequest(each));
      const found = (await accounts.listAccounts()).filter((each) => isMeant(each) && isWanted(each));
      return okPage(pageByAge(found, 'oldest first', page), view);
    },
    getCustomer: async ({ account }) => ok(view(account)),
    getCustomerContents: async ({ account: { id }, now }) => {
      const [users, keys, has] = await Promise.all([members.membersOf(id), accounts.listKeys(id), projectsAndDomainsOf(ports, id)]);
      return ok({
        members: await Promise.all(users.map((each) => memberView(each, directory))),
        keys: keys.length,
        projects: has.projects.length,
        domains: has.domains.map((each) => {
          const { host, displayHost, state, stateLabel, projectId } = domainView(each, now);
          return { host, displayHost, state, stateLabel, projectId };
        }),
      });
    },
    setPlan: async ({ account: { id }, body: { plan, ...agreed }, now }) =>
      answer(await changePlan(ports, id, { plan, agreed }, now), () => current(id)),
    decidePlanRequest: async ({ account: { id }, body: { requestedAt, approved, reason, ...agreed }, now }) =>
      answer(await decidePlanRequest(ports, id, { requestedAt, approved, reason, agreed }, now), () => current(id)),
    suspendAccount: async ({ account: { id }, body: { reason }, now }) =>
      answer(await suspendAccount({ accounts, serving: ports }, id, reason, now), () => current(id)),
    resumeAccount: async ({ account: { id }, now }) => answer(await resumeAccount({ accounts, serving: ports }, id, now), () => current(id)),
    listTroubledDomains: async ({ query: { cursor }, now }) => {
      const found: Domain[] = [];
      let next = cursor;
      for (let page = 0; page < PAGES && (page === 0 || next !== undefined) && found.length < MOST; page += 1) {
        // Reads all domains that will ever be checked again.
        const read = await domains.dueDomains(NEVER, MOST, next);
        found.push(...read.items.filter(isTroubled));
        next = read.next;
      }
      const views = await Promise.all(found.map((each) => troubled(each, now)));
      return { ok: true, value: views.filter((each) => each !== undefined), next };
    },
  };
}

function hasOpenRequest({ planRequest }: Account): boolean {
  return planRequest !== undefined && planRequest.decision === undefined;
}

function lateView(times: readonly number[]) {
  return { count: times.length, since: times.length === 0 ? null : new Date(Math.min(...times)).toISOString() };
}
