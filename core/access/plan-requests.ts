// Owners request another plan, and operators decide. An account has one request; a later one replaces it. Times are in milliseconds since 1970.

import { type Notification, planRequested } from '../notifications/notification.ts';
import { type ActionResult, refused } from '../refusal.ts';
import { isLine } from '../text.ts';
import type { Account, PlanRequest } from './account.ts';
import { changePlan, type PlanChange, type PlanPorts } from './accounts.ts';
import { noAccount } from './keys.ts';
import { type AgreedLimits, type PlanName, planOf } from './plans.ts';
import type { AccountStore } from './ports.ts';

/** Maximum length of a note or a reason, in code points. */
export const MAX_NOTE_LENGTH = 500;

/** Whether the text can be a note to the operator, or a reason from them: up to 500 characters, on one line. */
export function isNote(text: string): boolean {
  return isLine(text, MAX_NOTE_LENGTH);
}

/** Requests a plan, replacing any earlier request. */
export async function requestPlan(
  { accounts }: { readonly accounts: Pick<AccountStore, 'setPlanRequest'> },
  account: Account,
  { plan, note, requestedBy }: Pick<PlanRequest, 'plan' | 'note' | 'requestedBy'>,
  now: number,
): Promise<ActionResult<{ readonly request: PlanRequest }>> {
  if (plan === account.plan) return refused('conflict', `the account is already on plan ${planOf(plan).label}`);
  const request = { plan, note, requestedBy, requestedAt: now };
  return (await accounts.setPlanRequest(account.id, request, planRequested(account.id, now))) ? { ok: true, request } : noAccount(account.id);
}

/** Withdraws a request, or dismisses a decided one. */
export async function withdrawPlanRequest(
  { accounts }: { readonly accounts: Pick<AccountStore, 'setPlanRequest'> },
  account: Account,
): Promise<ActionResult<object>> {
  if (account.planRequest === undefined) return refused('not_found', 'the account has not asked for a plan');
  return (await accounts.setPlanRequest(account.id, undefined)) ? { ok: true } : noAccount(account.id);
}

export interface Decision {
  /** When the request being decided was made; the decision is refused if the owner has made another since. @default the open request */
  readonly requestedAt?: number;
  readonly approved: boolean;
  /** For the owner; may be empty. */
  readonly reason: string;
  /** The agreed quota, if the plan has no fixed one. */
  readonly agreed?: AgreedLimits;
}

/** Approves or declines an account's request and notifies its members. The plan changes first, so an interrupted decision can be repeated. */
export async function decidePlanRequest(
  ports: PlanPorts & { readonly accounts: Pick<AccountStore, 'setPlanRequest'> },
  accountId: string,
  { requestedAt, approved, reason, agreed = {} }: Decision,
  now: number,
): Promise<ActionResult<{ readonly plan: PlanName; readonly change: PlanChange | undefined }>> {
  if (!isNote(reason))
    return refused('invalid_request', `reason: got ${[...reason].length} characters; allowed: up to ${MAX_NOTE_LENGTH}, on one line`);
  const account = await ports.accounts.getAccount(accountId);
  if (account === undefined) return noAccount(accountId);
  const { planRequest: request } = account;
  if (request === undefined || request.decision !== undefined)
    return refused('conflict', `account ${accountId} has no open request`, '; petstore plan-requests list shows all');
  if (requestedAt !== undefined && requestedAt !== request.requestedAt)
    return refused('conflict', `account ${accountId} has asked again meanwhile, for plan ${request.plan}; review that request`);
  const changed = approved ? await changePlan(ports, accountId, { plan: request.plan, agreed }, now) : undefined;
  if (changed?.ok === false) return changed;
  const decided = { ...request, decision: { approved, reason, at: now } };
  const notification: Notification = {
    id: `plan_decided:${accountId}:${request.requestedAt}`,
    accountId,
    at: now,
    event: { kind: 'plan_decided', plan: request.plan, approved, reason },
  };
  await ports.accounts.setPlanRequest(accountId, decided, notification);
  return { ok: true, plan: request.plan, change: changed };
}
