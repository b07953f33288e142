// An account's usage for the charts: everything that was read while the page is open.

import type { Usage } from './shapes.ts';

/** Number of minutes in a chart. */
const MINUTES_SHOWN = 60;
/** Fraction of a limit at which the owner is warned. */
const NEARLY_USED_UP = 0.8;

export type Minutes = Usage['history']['minutes'];

/** Merges earlier and new data, oldest first; newer data wins. */
export function mergeMinutes(known: Minutes, read: Minutes): Minutes {
  const merged = new Map([...known, ...read].map((minute) => [minute.startsAt, minute]));
  return [...merged.values()].sort((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt)).slice(-MINUTES_SHOWN);
}

export interface Warning {
  readonly severity: 'warning' | 'error';
  readonly header: string;
  /** The same for screen readers, without the share: a change of the share alone is not announced. */
  readonly announcement: string;
}

/** Returns the quota that is used up, or nearly so: the day before the minute, because it lasts longer. */
export function warningOf({ minute, day }: Pick<Usage, 'minute' | 'day'>): Warning | undefined {
  for (const { of, name } of [
    { of: day, name: 'today' },
    { of: minute, name: 'this minute' },
  ]) {
    const usedUp = `All requests for ${name} are used up`;
    if (of.remaining === 0) return { severity: 'error', header: usedUp, announcement: usedUp };
    const used = of.used / of.limit;
    if (used >= NEARLY_USED_UP)
      return {
        severity: 'warning',
        header: `${Math.floor(100 * used)}% of the requests for ${name} are used`,
        announcement: `Most of the requests for ${name} are used`,
      };
  }
  return undefined;
}
