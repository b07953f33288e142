// Numbers of any size on the command line, such as 1000, 2.5K, 10M and 3G.

import { InvalidArgumentError } from 'commander';
import { DAY_MS, MINUTE_MS } from '../core/limits/windows.ts';

/** Powers of ten. */
const SUFFIXES: Readonly<Record<string, number>> = { '': 0, K: 3, M: 6, G: 9 };
const LARGEST = 1e15;
const EXAMPLES = 'from 0 to 1,000,000G, such as 1000, 2.5K, 10M or 3G';

/** Parses a number with an optional K, M or G. @returns a number from 0 to 10^15 @throws InvalidArgumentError that says what is allowed */
export function parseQuantity(text: string): number {
  const value = numberIn(text);
  if (!(value <= LARGEST)) throw new InvalidArgumentError(`allowed: a number ${EXAMPLES}`);
  return value;
}

/** Parses a whole number of things; see parseQuantity. @throws InvalidArgumentError that says what is allowed */
export function parseCount(text: string): number {
  const value = numberIn(text);
  if (!(value <= LARGEST && Number.isInteger(value))) throw new InvalidArgumentError(`allowed: a whole number ${EXAMPLES}`);
  return value;
}

/** @returns NaN if the text is not such a number */
function numberIn(text: string): number {
  const [, digits, suffix = ''] = /^(\d{1,15}(?:\.\d{1,6})?)([KMG]?)$/i.exec(text) ?? [];
  // The suffix is parsed as an exponent, because 2.3 × 1000 is not exactly 2300.
  return Number(digits === undefined ? undefined : `${digits}e${SUFFIXES[suffix.toUpperCase()]}`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };
const LONGEST_MS = 3_650 * DAY_MS;

/** Parses a duration such as 90d, 24h, 30m or 45s. @returns milliseconds, at most ten years @throws InvalidArgumentError that says what is allowed */
export function parseDuration(text: string): number {
  const match = /^(\d{1,10})([smhd])$/.exec(text);
  const milliseconds = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? Number.NaN);
  if (!(milliseconds <= LONGEST_MS)) throw new InvalidArgumentError('allowed: an integer with s, m, h or d, such as 24h or 90d, at most 3650d');
  return milliseconds;
}
