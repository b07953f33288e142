// Tests that count the requests of a UTC day.

import { setTimeout } from 'node:timers/promises';

const DAY_MS = 86_400_000;
/** Longer than any of them takes on a busy machine. */
const NEEDED_MS = 120_000;

/** Waits, shortly before midnight, until the next day has begun: this one must not end meanwhile. */
export async function atADayWithTime(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < NEEDED_MS) await setTimeout(left + 1_000);
}
