// Leases: one DynamoDB item accepts about 1,000 writes a second, so not every request of a busier account can be written. Instead, a process takes
// requests in blocks, which are counted in both windows at once, and spends them without writes. Unspent requests are returned to the day, but not to
// the minute. A lost lease admits too few requests, never too many.

import type { Limits } from '../access/plans.ts';

/** Only accounts with a larger quota per minute get leases; for all others, every request is written. */
export const LEASED_ABOVE_PER_MINUTE = 30_000;

/** If the whole account sends fewer requests per second than this, every request is written, however large its quota. */
const LEASED_ABOVE_PER_SECOND = 200;

/** How long a process relies on a lease, in milliseconds: revoked keys, bans and new plans take effect within this time. */
export const LEASE_MS = 10_000;

/** A write should cover at least this many requests, unless the process gets fewer within LEASE_MS. */
const REQUESTS_A_WRITE = 50;

/** All processes together stay below this many writes a second; the item accepts five times as many. */
const WRITES_A_SECOND = 200;

/** The minimum share of a nearly used-up quota: smaller ones would cost more writes, although the rest is soon spent anyway. */
const SMALLEST_BLOCK = 20;

/** An account's request rate, per second. */
export interface Pace {
  /** In this process. */
  readonly own: number;
  /** In all processes. */
  readonly total: number;
}

export const UNKNOWN_PACE: Pace = { own: 0, total: 0 };

/** A block of requests that a process takes at once. */
export interface Block {
  /** Requests to take from the minute and the day; 0 only checks that the key is still valid. */
  readonly take: number;
  /** Unspent requests to return, taken earlier on this day. */
  readonly back: number;
  /** The limits used to calculate `take`; if they have changed, the block is refused. */
  readonly limits: Limits;
}

/** Returns how many requests a process should hold: 1 if a lease is not worthwhile. @param room requests left to the account in the tighter window */
export function leaseSize(pace: Pace, room: number): number {
  if (pace.total < LEASED_ABOVE_PER_SECOND || pace.own <= 0) return 1;
  const worthIt = Math.max(REQUESTS_A_WRITE, pace.own, pace.total / WRITES_A_SECOND);
  const wanted = Math.min(worthIt, (pace.own * LEASE_MS) / 1000);
  // Near the end of the quota, each process takes at most its share of the rest, so that few requests are left unspent.
  const processes = Math.max(1, pace.total / pace.own);
  const share = Math.max(SMALLEST_BLOCK, room / processes);
  return Math.max(1, Math.floor(Math.min(wanted, share, room)));
}

/** Whether the block may be taken: apart from the key's validity, the only condition. @param used current counts for both windows */
export function mayTake(block: Block, limits: Limits, used: { readonly minute: number; readonly day: number }): boolean {
  return (
    block.limits.perMinute === limits.perMinute &&
    block.limits.perDay === limits.perDay &&
    used.day >= block.back &&
    used.minute + block.take <= limits.perMinute &&
    used.day + block.take - block.back <= limits.perDay
  );
}
