// An account's quota usage as clients see it, and its history as CSV, for spreadsheets. The control API's schema describes each property.

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

/** The choices: the last hour by minute, the last day by hour, the last 30 days by day. */
export const USAGE_WINDOWS = ['hour', 'day', 'month'] as const;
export type UsageWindow = (typeof USAGE_WINDOWS)[number];

interface Shown {
  readonly history: Readonly<
    Record<'minutes' | 'hours' | 'days', readonly { readonly startsAt: string; readonly admitted: number; readonly refused: number }[]>
  >;
}

/** For each choice, the property of the history that holds its windows, and the name of a window in the CSV. */
const OF_WINDOW = {
  hour: { member: 'minutes', name: 'minute' },
  day: { member: 'hours', name: 'hour' },
  month: { member: 'days', name: 'day' },
} as const satisfies Readonly<Record<UsageWindow, { readonly member: keyof Shown['history']; readonly name: string }>>;

/** Returns the chosen part of the history, oldest first. */
export function windowsOf({ history }: Shown, window: UsageWindow): Shown['history']['minutes'] {
  return history[OF_WINDOW[window].member];
}

/**
 * Returns the history as CSV, oldest first: one line per window, with its start in ISO 8601 (UTC). No value needs quotes; no line feed ends the text.
 *
 * @param windows what to include. @default the last hour by minute, then the last 30 days by day
 */
export function usageCsv(usage: Shown, windows: readonly UsageWindow[] = ['hour', 'month']): string {
  const rows = windows.flatMap((window) =>
    windowsOf(usage, window).map(({ startsAt, admitted, refused }) => [OF_WINDOW[window].name, startsAt, admitted, refused]),
  );
  return [['window', 'startsAt', 'admitted', 'refused'], ...rows].map((row) => row.join(',')).join('\n');
}
