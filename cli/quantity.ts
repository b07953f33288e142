// Numbers of any size on the command line, such as 1000, 2.5K, 10M and 3G.

import { InvalidArgumentError } from 'commander';

const FACTORS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };
const LARGEST = 1e15;

/**
 * Parses a number with an optional K, M or G.
 *
 * @returns a number from 0 to 10^15
 * @throws InvalidArgumentError that says what is allowed
 */
export function parseQuantity(text: string): number {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)([KMG]?)$/i.exec(text);
  const value = Number(match?.[1]) * (FACTORS[match?.[2]?.toUpperCase() ?? ''] ?? Number.NaN);
  if (!(value <= LARGEST)) throw new InvalidArgumentError('allowed: a number from 0 to 1000000G, such as 1000, 2.5K, 10M or 3G');
  return value;
}
