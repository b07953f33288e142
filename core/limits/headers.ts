// The rate-limit headers of a response (specification, section 8).

import type { Decision, QuotaStatus, QuotaStatuses } from './decide.ts';
import { DAY_MS, MINUTE_MS } from './windows.ts';

/** Returns the `Retry-After` value for this time: whole seconds, rounded up, at least 1 (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(retryAt: number, now: number): number {
  return Math.max(1, Math.ceil((retryAt - now) / 1000));
}

/** Returns the quota that the headers show. */
export function headerQuota(decision: Exclude<Decision, { kind: 'unknown_key' }>): QuotaStatus {
  const { minute, day } = decision.quotas;
  switch (decision.kind) {
    case 'admitted':
    case 'suspended':
    case 'paused':
      return day.remaining < minute.remaining ? day : minute;
    case 'limited':
      return decision.retryAt === day.resetAt && day.remaining === 0 ? day : minute;
    case 'banned':
      // A banned key has no requests left until the ban ends, whatever its windows show.
      return { limit: minute.limit, remaining: 0, resetAt: decision.retryAt };
  }
}

/** Adds X-RateLimit-Limit, -Remaining and -Reset; the reset is a Unix timestamp in seconds, rounded up. */
export function addRateLimitHeaders(headers: Record<string, string>, quota: QuotaStatus): void {
  headers['x-ratelimit-limit'] = String(quota.limit);
  headers['x-ratelimit-remaining'] = String(quota.remaining);
  headers['x-ratelimit-reset'] = String(Math.ceil(quota.resetAt / 1000));
}

/** `RateLimit` and `RateLimit-Policy` from draft-ietf-httpapi-ratelimit-headers-10, which is not an RFC yet. */
export function draftRateLimitHeaders(quotas: QuotaStatuses, now: number): Record<'ratelimit' | 'ratelimit-policy', string> {
  const { minute, day } = quotas;
  const item = (name: string, quota: QuotaStatus) => `"${name}";r=${quota.remaining};t=${retryAfterSeconds(quota.resetAt, now)}`;
  return {
    ratelimit: `${item('minute', minute)}, ${item('day', day)}`,
    'ratelimit-policy': `"minute";q=${minute.limit};w=${MINUTE_MS / 1000}, "day";q=${day.limit};w=${DAY_MS / 1000}`,
  };
}
