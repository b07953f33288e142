// Durations such as 90d, 24h, 30m and 45s.

import { InvalidArgumentError } from 'commander';
import { DAY_MS, MINUTE_MS } from '../core/limits/windows.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };
const LONGEST_MS = 3_650 * DAY_MS;

/**
 * Parses a duration.
 *
 * @returns milliseconds, from 0 to ten years
 * @throws InvalidArgumentError that says what is allowed
 */
export function parseDuration(text: string): number {
  const match = /^(\d{1,10})([smhd])$/.exec(text);
  const milliseconds = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? Number.NaN);
  if (!(milliseconds <= LONGEST_MS)) throw new InvalidArgumentError('allowed: an integer with s, m, h or d, such as 24h or 90d, at most 3650d');
  return milliseconds;
}
