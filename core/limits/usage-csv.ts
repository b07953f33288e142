// An account's usage history as CSV, for spreadsheets.

import type { UsageView } from './usage-view.ts';

/**
 * Returns the history as CSV, oldest first, minutes before days: one line for each window, with its start in ISO 8601, in UTC. Refused requests are
 * counted by day only, so they are empty for minutes. No value needs quotes. Lines are separated by a line feed; the last one has none.
 */
export function usageCsv({ history: { minutes, days } }: Pick<UsageView, 'history'>): string {
  const rows = [
    ['window', 'startsAt', 'admitted', 'refused'],
    ...minutes.map(({ startsAt, admitted }) => ['minute', startsAt, admitted, '']),
    ...days.map(({ startsAt, admitted, refused }) => ['day', startsAt, admitted, refused]),
  ];
  return rows.map((row) => row.join(',')).join('\n');
}
