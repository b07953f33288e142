// Leases: one item takes about 1,000 writes a second, so an account that is busier than that can't have every request
// written. A process then takes requests in blocks, counted in both windows at once, and spends them by itself. What it does
// not spend is lost to the minute and given back to the day: a lost lease admits too few, never too many.

import type { Limits } from '../access/plans.ts';

/** Only accounts with a larger quota a minute are leased; of all others every request is written. */
export const LEASED_ABOVE_PER_MINUTE = 30_000;

/** Below so many requests a second of the whole account every request is written, though the quota is large. */
const LEASED_ABOVE_PER_SECOND = 200;

/** So long a process goes on without asking: by then a revoked key, a ban and a new plan take effect. */
export const LEASE_MS = 10_000;

/** A write is worth it for so many requests, unless the process sees fewer within LEASE_MS. */
const REQUESTS_A_WRITE = 50;

/** All processes together stay below so many writes a second; the item takes five times as many. */
const WRITES_A_SECOND = 200;

/** The share of a quota that runs out is not cut smaller than this: writes would go up, and what is left is spent anyway. */
const SMALLEST_BLOCK = 20;

/** How busy an account is, in requests a second. */
export interface Pace {
  /** Of this process. */
  readonly own: number;
  /** Of all processes. */
  readonly total: number;
}

export const UNKNOWN_PACE: Pace = { own: 0, total: 0 };

/** What a process takes at once. */
export interface Block {
  /** Requests to take from the minute and from the day; 0 only looks whether the key is still good. */
  readonly take: number;
  /** Requests taken earlier in this day that were not spent. */
  readonly back: number;
  /** The limits that `take` was reckoned with: others refuse the block. */
  readonly limits: Limits;
}

/**
 * How many requests a process should hold.
 *
 * @param room requests that the account has left, in the window that has fewer
 * @returns 1 where leases are not worth it: then each request is written by itself
 */
export function leaseSize(pace: Pace, room: number): number {
  if (pace.total < LEASED_ABOVE_PER_SECOND || pace.own <= 0) return 1;
  const worthIt = Math.max(REQUESTS_A_WRITE, pace.own, pace.total / WRITES_A_SECOND);
  const wanted = Math.min(worthIt, (pace.own * LEASE_MS) / 1000);
  // Near the end of the quota each process takes no more than its share of what is left, so that little strands.
  const processes = Math.max(1, pace.total / pace.own);
  const share = Math.max(SMALLEST_BLOCK, room / processes);
  return Math.max(1, Math.floor(Math.min(wanted, share, room)));
}

/**
 * May the block be taken? The one rule of every LeaseStore, beside that the key is good.
 *
 * @param used what both windows have counted so far
 */
export function mayTake(block: Block, limits: Limits, used: { readonly minute: number; readonly day: number }): boolean {
  return (
    block.limits.perMinute === limits.perMinute &&
    block.limits.perDay === limits.perDay &&
    used.day >= block.back &&
    used.minute + block.take <= limits.perMinute &&
    used.day + block.take - block.back <= limits.perDay
  );
}
