// An account's use of its quota as programs see it.

import type { PlanName } from '../access/plans.ts';
import type { Standing } from './decide.ts';
import type { Usage } from './ports.ts';

export interface ShownWindow {
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
  /** ISO 8601. */
  readonly resetAt: string;
}

export interface ShownUsage {
  readonly accountId: string;
  readonly plan: PlanName;
  readonly minute: ShownWindow;
  readonly day: ShownWindow;
  readonly bans: readonly { readonly keyId: string; readonly until: string; readonly level: number }[];
  /** Oldest first; the last of each is the current one. */
  readonly history: {
    readonly minutes: readonly { readonly startsAt: string; readonly admitted: number }[];
    readonly days: readonly { readonly startsAt: string; readonly admitted: number; readonly refused: number }[];
  };
}

export function shownUsage(accountId: string, { plan, standings, bans, history }: Usage): ShownUsage {
  return {
    accountId,
    plan,
    minute: shownWindow(standings.minute),
    day: shownWindow(standings.day),
    bans: bans.map(({ keyId, ban }) => ({ keyId, until: new Date(ban.until).toISOString(), level: ban.level })),
    history: {
      minutes: history.minutes.map((window) => ({ ...window, startsAt: new Date(window.startsAt).toISOString() })),
      days: history.days.map((window) => ({ ...window, startsAt: new Date(window.startsAt).toISOString() })),
    },
  };
}

function shownWindow({ limit, remaining, resetAt }: Standing): ShownWindow {
  return { used: limit - remaining, limit, remaining, resetAt: new Date(resetAt).toISOString() };
}
