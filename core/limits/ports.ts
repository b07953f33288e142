// Storage ports for admission.

import type { PlanName, Scope } from '../access/plans.ts';
import type { AdmissionRequest } from './admit.ts';
import type { Ban } from './ban.ts';
import type { Decision, QuotaStatuses } from './decide.ts';
import type { History } from './history.ts';
import type { Block } from './lease.ts';

/** An account's quota usage at a given time. */
export interface Usage {
  readonly plan: PlanName;
  readonly quotas: QuotaStatuses;
  /** Bans that have not ended, with the ids of their keys. */
  readonly bans: readonly { readonly keyId: string; readonly ban: Ban }[];
  readonly history: History;
}

/** Every method rejects only with StoreFault, if storage fails. Times are in milliseconds since 1970. */
export interface UsageStore {
  /**
   * Decides on a request and counts it, in one atomic step: of any number of concurrent requests, exactly as many are admitted as the limits allow.
   * Decides as `decide` does; a request counts in both windows if `isCounted`, otherwise in neither. After a fault, the request may have been counted
   * (once at most), so it is not retried. A counted request updates the key's `lastUsedAt`, and, within a minute, drops bans of the account that no
   * longer count (`isForgotten`). A store that can be read but not written may still decide, as long as it counts in memory and stores these counts
   * as soon as possible; they are lost if the process ends earlier.
   */
  admit(request: AdmissionRequest, now: number): Promise<Decision>;
  /** Whether the account has this key, and the key has not expired. Only reads, so it costs less than `admit` and changes no counter. */
  hasKey(request: AdmissionRequest, now: number): Promise<boolean>;
  /** Bans a key, unless a ban that ends later is in force when this one begins. Does nothing if the account or the key is gone. */
  ban(request: AdmissionRequest, ban: Ban): Promise<void>;
  /**
   * Adds refusals to the account's counters for the minute, hour and day that contain `now`, for display only; they use no quota. After a fault, they
   * may have been added, so the call is not retried.
   */
  countRefusals(accountId: string, count: number, now: number): Promise<void>;
  /**
   * Returns an account's usage without counting a request; undefined if there is no such account. The history has every request that `admit` and
   * LeaseStore counted, exactly once, in the window in which it was counted, whichever processes counted it and whenever they ended. It never blocks
   * `admit`: if it can't be written for a few minutes, it is completed later.
   */
  usage(accountId: string, now: number): Promise<Usage | undefined>;
}

/** Counts events by key and UTC minute, for all processes of a service together. */
export interface MinuteCounter {
  /**
   * Counts an event in the minute that contains `now`, in one atomic step: of any number of concurrent calls, exactly as many are counted as `limit`
   * allows. A call that is repeated because its response was lost may be counted twice. Rejects with StoreFault if storage fails.
   *
   * @returns the number of events in this minute, including this one; undefined if the limit is used up and the event was not counted
   */
  count(key: string, limit: number, now: number): Promise<number | undefined>;
}

/** What a process receives with a block of requests. */
export interface LeaseGrant {
  readonly plan: PlanName;
  /** Whether the account is suspended. If so, the block counts, but its requests are refused. @default false */
  readonly suspended?: boolean;
  /** Scopes of the key that made the request. */
  readonly scopes: readonly Scope[];
  /** When the key that made the request expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The quota status, including the block. */
  readonly quotas: QuotaStatuses;
}

/** Rejects with StoreFault if storage fails. */
export interface LeaseStore {
  /**
   * Takes a block of requests from the windows that contain `now` and gives back unspent requests from earlier blocks, in one atomic step. Changes
   * nothing and returns undefined if the key is not valid or `mayTake` refuses the block. Blocks and single requests together never exceed a limit.
   * After a fault, the block may have been taken, so the call is not retried. Updates `lastUsedAt`.
   */
  take(request: AdmissionRequest, block: Block, now: number): Promise<LeaseGrant | undefined>;
}
