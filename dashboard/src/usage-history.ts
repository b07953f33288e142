// An account's usage for its page: the chosen windows, and the chart's scale.

import type { UsageWindow } from '../../core/limits/usage-view.ts';
import type { Usage } from './shapes.ts';

/** Fraction of a limit at which the owner is warned. */
const NEARLY_USED_UP = 0.8;

export type Windows = readonly Usage['history']['minutes'][number][];

/** The labels for a choice and its windows. */
export const CHOICES = {
  hour: { label: 'Last hour', each: 'minute', none: 'No requests in the last hour.' },
  day: { label: 'Last 24 hours', each: 'hour', none: 'No requests in the last 24 hours.' },
  month: { label: 'Last 30 days', each: 'day', none: 'No requests in the last 30 days.' },
} as const satisfies Readonly<Record<UsageWindow, { readonly label: string; readonly each: string; readonly none: string }>>;

/** Returns the choice in a URL; the last hour if the URL has none, or an unknown one. @param given value of the URL's parameter */
export function choiceOf(given: unknown): UsageWindow {
  return typeof given === 'string' && Object.hasOwn(CHOICES, given) ? (given as UsageWindow) : 'hour';
}

/** Returns the totals of all windows. */
export function totalsOf(windows: Windows): { readonly admitted: number; readonly refused: number } {
  return {
    admitted: windows.reduce((sum, { admitted }) => sum + admitted, 0),
    refused: windows.reduce((sum, { refused }) => sum + refused, 0),
  };
}

/** The height of a chart, in requests: above the base line for admitted requests, and below it for refused ones. */
export interface Scale {
  readonly above: number;
  readonly below: number;
  /** The plan's limit, if it is low enough to be in the chart. */
  readonly limit: number | undefined;
}

/** Returns the scale for these windows: round numbers that no value exceeds. @param limit on the requests in a window. @default none */
export function scaleOf(windows: Windows, limit?: number): Scale {
  const most = Math.max(0, ...windows.map(({ admitted }) => admitted));
  const refused = Math.max(0, ...windows.map((window) => window.refused));
  const shown = limit !== undefined && limit <= 2 * roundUp(most) ? limit : undefined;
  return { above: roundUp(Math.max(1, most, shown ?? 0)), below: roundUp(refused), limit: shown };
}

/** Returns the next number that is 1, 2 or 5 followed by zeros; 0 for 0. */
function roundUp(count: number): number {
  if (count === 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(count));
  return unit * ([1, 2, 5].find((factor) => factor * unit >= count) ?? 10);
}

export interface Warning {
  readonly severity: 'warning' | 'error';
  readonly header: string;
  /** The same text for screen readers, but without the share, so that a change in the share alone is not announced. */
  readonly announcement: string;
}

/** Returns the quota that is used up, or nearly so. The day takes precedence over the minute, because it lasts longer. */
export function warningOf({ minute, day }: Pick<Usage, 'minute' | 'day'>): Warning | undefined {
  for (const { of, name } of [
    { of: day, name: 'today' },
    { of: minute, name: 'this minute' },
  ]) {
    const usedUp = `The quota for ${name} is used up`;
    if (of.remaining === 0) return { severity: 'error', header: usedUp, announcement: usedUp };
    const used = of.used / of.limit;
    if (used >= NEARLY_USED_UP)
      return {
        severity: 'warning',
        header: `${Math.floor(100 * used)}% of the quota for ${name} is used`,
        announcement: `Most of the quota for ${name} is used`,
      };
  }
  return undefined;
}
