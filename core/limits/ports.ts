// What admission needs of storage.

import type { PlanName } from '../access/plans.ts';
import type { Scope } from '../access/scopes.ts';
import type { AdmissionRequest } from './admit.ts';
import type { Ban } from './ban.ts';
import type { Decision, QuotaStatuses } from './decide.ts';
import type { History } from './history.ts';
import type { Block } from './lease.ts';

/** An account's use of its quota at a moment. */
export interface Usage {
  readonly plan: PlanName;
  readonly quotas: QuotaStatuses;
  /** Bans that have not ended, by key id. */
  readonly bans: readonly { readonly keyId: string; readonly ban: Ban }[];
  readonly history: History;
}

/** Every method rejects with StoreFault (core/store-fault.ts) if storage fails, and with nothing else. Times are milliseconds since 1970. */
export interface UsageStore {
  /**
   * Decides on a request and counts it, in one atomic step: of any number of concurrent requests exactly as many are
   * admitted as the limits allow, and a refused one counts in neither window. Answers as core/limits/decide.ts does.
   * A fault may have counted the request (never two), so it is not retried. The key's `lastUsedAt` moves with what is admitted.
   */
  admit(request: AdmissionRequest, now: number): Promise<Decision>;
  /** Does the account have this key, unexpired? A read: it costs less than `admit`, and touches no counter. */
  hasKey(request: AdmissionRequest, now: number): Promise<boolean>;
  /** Bans a key, unless a ban that ends later is in force when this one begins. Nothing happens if the account or the key is gone. */
  ban(request: AdmissionRequest, ban: Ban): Promise<void>;
  /**
   * Adds refusals of an account to the day of `now`, for people to see: they use up nothing. A fault may have added them, so it is
   * not retried.
   */
  countRefusals(accountId: string, count: number, now: number): Promise<void>;
  /** Costs the account nothing. Undefined: there is no such account. */
  usage(accountId: string, now: number): Promise<Usage | undefined>;
}

/** What a process learns with a block of requests. */
export interface LeaseGrant {
  readonly plan: PlanName;
  /** Of the key that asked. */
  readonly scopes: readonly Scope[];
  /** When the key that asked ends. Milliseconds since 1970. */
  readonly expiresAt: number;
  /** With the block counted. */
  readonly quotas: QuotaStatuses;
}

/** Rejects with StoreFault (core/store-fault.ts) if storage fails. */
export interface LeaseStore {
  /**
   * Takes a block of requests from both windows of `now` and gives back those of earlier blocks, in one atomic step: all of it
   * or nothing. Nothing, and undefined, if the key is not good or core/limits/lease.ts says that the block may not be taken.
   * Blocks and single requests together never exceed a limit. A fault may have taken the block, so it is not retried. `lastUsedAt` moves.
   */
  take(request: AdmissionRequest, block: Block, now: number): Promise<LeaseGrant | undefined>;
}
