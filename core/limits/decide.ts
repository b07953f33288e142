// One decision on one request, from what is stored of its account. Every adapter answers as this function does: SQLite
// by calling it, DynamoDB by a condition that says the same (docs/decisions/0002-admission.md).

import type { Limits, PlanName } from '../access/plans.ts';
import type { Scope } from '../access/scopes.ts';
import { type Ban, isInForce } from './ban.ts';
import { endOfDay, endOfMinute, windowsAt } from './windows.ts';

/** What is stored of the account and the key of a request, before it is counted. */
export interface AccountSnapshot {
  readonly plan: PlanName;
  readonly limits: Limits;
  /** Undefined if the account has no such key, or no longer. */
  readonly key: { readonly scopes: readonly Scope[]; readonly expiresAt: number } | undefined;
  /** The key's last ban, also one that has ended. */
  readonly ban: Ban | undefined;
  /** Requests admitted in the current minute and in the current day. */
  readonly used: { readonly minute: number; readonly day: number };
}

/** What the X-RateLimit headers show. */
export interface QuotaStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since 1970. */
  readonly resetAt: number;
}

/** How the account stands in both windows. */
export interface QuotaStatuses {
  readonly minute: QuotaStatus;
  readonly day: QuotaStatus;
}

export type Decision =
  | { readonly kind: 'admitted'; readonly plan: PlanName; readonly scopes: readonly Scope[]; readonly quotas: QuotaStatuses }
  | {
      readonly kind: 'limited';
      readonly plan: PlanName;
      readonly quotas: QuotaStatuses;
      /** When the refused window that resets last resets. Milliseconds since 1970. */
      readonly retryAt: number;
      /** The key's last ban, for the length of the next. */
      readonly lastBan: Ban | undefined;
    }
  | { readonly kind: 'banned'; readonly plan: PlanName; readonly quotas: QuotaStatuses; readonly retryAt: number }
  | { readonly kind: 'unknown_key' };

/**
 * Decides on a request. Both windows are all-or-nothing: a refused request uses up neither.
 *
 * @param account what is stored, undefined if there is no such account
 * @param now milliseconds since 1970
 */
export function decide(account: AccountSnapshot | undefined, now: number): Decision {
  if (account?.key === undefined || account.key.expiresAt <= now) return { kind: 'unknown_key' };
  const { plan, ban } = account;
  if (isInForce(ban, now)) {
    return { kind: 'banned', plan, quotas: quotasOf(account.limits, account.used, now), retryAt: ban.until };
  }
  const { minute, day } = account.used;
  const minuteFull = minute >= account.limits.perMinute;
  const dayFull = day >= account.limits.perDay;
  if (minuteFull || dayFull) {
    const quotas = quotasOf(account.limits, account.used, now);
    return { kind: 'limited', plan, quotas, retryAt: (dayFull ? quotas.day : quotas.minute).resetAt, lastBan: ban };
  }
  const quotas = quotasOf(account.limits, { minute: minute + 1, day: day + 1 }, now);
  return { kind: 'admitted', plan, scopes: account.key.scopes, quotas };
}

/** How an account stands that has used so much of the windows of this moment. */
export function quotasOf(limits: Limits, used: { readonly minute: number; readonly day: number }, now: number): QuotaStatuses {
  const windows = windowsAt(now);
  return {
    minute: { limit: limits.perMinute, remaining: Math.max(0, limits.perMinute - used.minute), resetAt: endOfMinute(windows.minute) },
    day: { limit: limits.perDay, remaining: Math.max(0, limits.perDay - used.day), resetAt: endOfDay(windows.day) },
  };
}
