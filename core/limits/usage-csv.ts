// An account's usage history as CSV, for spreadsheets.

/** What can be chosen: the last hour by minute, the last day by hour, the last 30 days by day. */
export const USAGE_WINDOWS = ['hour', 'day', 'month'] as const;
export type UsageWindow = (typeof USAGE_WINDOWS)[number];

/** What is shown of an account's history. */
interface Shown {
  readonly history: Readonly<
    Record<'minutes' | 'hours' | 'days', readonly { readonly startsAt: string; readonly admitted: number; readonly refused: number }[]>
  >;
}

/** The member of the history with a choice's windows, and what a line of the CSV calls one of them. */
const OF_WINDOW = {
  hour: { member: 'minutes', name: 'minute' },
  day: { member: 'hours', name: 'hour' },
  month: { member: 'days', name: 'day' },
} as const satisfies Readonly<Record<UsageWindow, { readonly member: keyof Shown['history']; readonly name: string }>>;

/** Returns the part of the history that was chosen, oldest first. */
export function windowsOf({ history }: Shown, window: UsageWindow): Shown['history']['minutes'] {
  return history[OF_WINDOW[window].member];
}

/**
 * Returns the history as CSV, oldest first: one line for each window, with its start in ISO 8601, in UTC. No value needs quotes. Lines are separated
 * by a line feed; the last one has none.
 *
 * @param windows what to include. @default the last hour by minute, then the last 30 days by day
 */
export function usageCsv(usage: Shown, windows: readonly UsageWindow[] = ['hour', 'month']): string {
  const rows = windows.flatMap((window) =>
    windowsOf(usage, window).map(({ startsAt, admitted, refused }) => [OF_WINDOW[window].name, startsAt, admitted, refused]),
  );
  return [['window', 'startsAt', 'admitted', 'refused'], ...rows].map((row) => row.join(',')).join('\n');
}
