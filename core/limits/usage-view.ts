// An account's quota usage as clients see it. The control API's schema says what each member is.

import type { QuotaStatus } from './decide.ts';
import type { PastWindow } from './history.ts';
import type { Usage } from './ports.ts';

/** Returns the view of an account's usage. */
export function usageView(accountId: string, { plan, quotas, bans, history }: Usage) {
  return {
    accountId,
    plan,
    minute: windowView(quotas.minute),
    day: windowView(quotas.day),
    bans: bans.map(({ keyId, ban }) => ({ keyId, until: new Date(ban.until).toISOString(), level: ban.level })),
    history: { minutes: history.minutes.map(pastWindowView), hours: history.hours.map(pastWindowView), days: history.days.map(pastWindowView) },
  };
}

function pastWindowView({ startsAt, admitted, refused }: PastWindow) {
  return { startsAt: new Date(startsAt).toISOString(), admitted, refused };
}

function windowView({ limit, remaining, resetAt }: QuotaStatus) {
  return { used: limit - remaining, limit, remaining, resetAt: new Date(resetAt).toISOString() };
}
