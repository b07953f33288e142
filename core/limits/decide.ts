// The decision on one request, based on what is stored for its account. Every adapter decides like this function: SQLite calls it, DynamoDB uses an
// equivalent condition (docs/decisions/0002-admission.md). Times are in milliseconds since 1970.

import type { Limits, PlanName, Scope } from '../access/plans.ts';
import { type Ban, isForgotten, isInForce } from './ban.ts';
import { endOfDay, endOfMinute, windowsAt } from './windows.ts';

/** What admission needs to know about a key. */
export interface KeyFacts {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
  /** Whether an owner has paused it. @default false */
  readonly paused?: boolean;
}

/** What is stored for a request's account and key, before the request is counted. */
export interface AccountSnapshot {
  readonly plan: PlanName;
  readonly limits: Limits;
  /** @default false */
  readonly suspended?: boolean;
  /** Undefined if the account does not have this key, or no longer has it. */
  readonly key: KeyFacts | undefined;
  /** The key's last ban, even if it has ended. */
  readonly ban: Ban | undefined;
  /** Requests admitted in the current minute and in the current day. */
  readonly used: { readonly minute: number; readonly day: number };
}

/** The values of the X-RateLimit headers. */
export interface QuotaStatus {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

/** The account's quota status in both windows. */
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
      /** When the last of the exceeded windows resets. */
      readonly retryAt: number;
      /** The key's last ban, which sets the length of the next one. Undefined if it no longer counts. */
      readonly lastBan: Ban | undefined;
    }
  | { readonly kind: 'banned'; readonly plan: PlanName; readonly quotas: QuotaStatuses; readonly retryAt: number }
  | { readonly kind: 'suspended'; readonly plan: PlanName; readonly quotas: QuotaStatuses }
  | { readonly kind: 'paused'; readonly plan: PlanName; readonly quotas: QuotaStatuses }
  | { readonly kind: 'unknown_key' };

/**
 * Whether the request counts in both windows. A suspended account's requests count although they are refused, so that a client that continues gets
 * 429. A paused key's don't, because the account's other keys are in use.
 */
export function isCounted({ kind }: Pick<Decision, 'kind'>): boolean {
  return kind === 'admitted' || kind === 'suspended';
}

/**
 * Decides on a request. The request is counted in both windows or in neither: a limited request, or one with a banned or paused key, uses no quota.
 *
 * @param account what is stored; undefined if there is no such account
 * @example const decision = decide({ plan: 'free', limits, key, ban: undefined, used: { minute: 59, day: 60 } }, now); if (decision.kind ===
 *   'limited') respond(429, { 'retry-after': decision.retryAt });
 */
export function decide(account: AccountSnapshot | undefined, now: number): Decision {
  if (account?.key === undefined || account.key.expiresAt <= now) return { kind: 'unknown_key' };
  const { plan, ban } = account;
  if (account.key.paused) return { kind: 'paused', plan, quotas: quotasOf(account.limits, account.used, now) };
  if (isInForce(ban, now)) {
    return { kind: 'banned', plan, quotas: quotasOf(account.limits, account.used, now), retryAt: ban.until };
  }
  const { minute, day } = account.used;
  const minuteFull = minute >= account.limits.perMinute;
  const dayFull = day >= account.limits.perDay;
  if (minuteFull || dayFull) {
    const quotas = quotasOf(account.limits, account.used, now);
    return {
      kind: 'limited',
      plan,
      quotas,
      retryAt: (dayFull ? quotas.day : quotas.minute).resetAt,
      lastBan: ban && isForgotten(ban, now) ? undefined : ban,
    };
  }
  const quotas = quotasOf(account.limits, { minute: minute + 1, day: day + 1 }, now);
  return account.suspended ? { kind: 'suspended', plan, quotas } : { kind: 'admitted', plan, scopes: account.key.scopes, quotas };
}

/** Returns the quota status of an account with these numbers of requests in the current windows. */
export function quotasOf(limits: Limits, used: { readonly minute: number; readonly day: number }, now: number): QuotaStatuses {
  const windows = windowsAt(now);
  return {
    minute: { limit: limits.perMinute, remaining: Math.max(0, limits.perMinute - used.minute), resetAt: endOfMinute(windows.minute) },
    day: { limit: limits.perDay, remaining: Math.max(0, limits.perDay - used.day), resetAt: endOfDay(windows.day) },
  };
}
