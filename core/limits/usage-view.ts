// An account's quota usage as clients see it.

import type { PlanName } from '../access/plans.ts';
import type { QuotaStatus } from './decide.ts';
import type { PastWindow } from './history.ts';
import type { Usage } from './ports.ts';

export interface WindowView {
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
  /** ISO 8601. */
  readonly resetAt: string;
}

export interface UsageView {
  readonly accountId: string;
  readonly plan: PlanName;
  readonly minute: WindowView;
  readonly day: WindowView;
  readonly bans: readonly { readonly keyId: string; readonly until: string; readonly level: number }[];
  /** Oldest first; the last entry of each is the current window. */
  readonly history: {
    /** The last hour. */
    readonly minutes: readonly PastWindowView[];
    /** The last 24 hours. */
    readonly hours: readonly PastWindowView[];
    /** The last 30 days. */
    readonly days: readonly PastWindowView[];
  };
}

export interface PastWindowView {
  /** ISO 8601. */
  readonly startsAt: string;
  readonly admitted: number;
  readonly refused: number;
}

/** Returns the view of an account's usage. */
export function usageView(accountId: string, { plan, quotas, bans, history }: Usage): UsageView {
  return {
    accountId,
    plan,
    minute: windowView(quotas.minute),
    day: windowView(quotas.day),
    bans: bans.map(({ keyId, ban }) => ({ keyId, until: new Date(ban.until).toISOString(), level: ban.level })),
    history: { minutes: history.minutes.map(pastWindowView), hours: history.hours.map(pastWindowView), days: history.days.map(pastWindowView) },
  };
}

function pastWindowView({ startsAt, admitted, refused }: PastWindow): PastWindowView {
  return { startsAt: new Date(startsAt).toISOString(), admitted, refused };
}

function windowView({ limit, remaining, resetAt }: QuotaStatus): WindowView {
  return { used: limit - remaining, limit, remaining, resetAt: new Date(resetAt).toISOString() };
}
