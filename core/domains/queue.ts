// The storage port of the embedded timers, for platforms without a workflow engine.

import type { Domain } from './domain.ts';

/** The queue of domains due for a check. Rejects with StoreFault if storage fails. */
export interface DomainQueue {
  /**
   * Returns domains due for a check by `now`, at most `perAccount` for each account: each account's longest-waiting one first, then each account's
   * second, and so on. A domain whose state was stored in the future is due as well: that clock was wrong.
   *
   * @param now milliseconds since 1970
   * @param limit in total
   * @param perAccount not counting the excluded domains
   * @param waitedFor true: only domains that someone waits for, because an owner has just acted; false: only the others
   * @param except ids to exclude
   */
  queuedDomains(query: {
    readonly waitedFor: boolean;
    readonly now: number;
    readonly limit: number;
    readonly perAccount: number;
    readonly except: readonly string[];
  }): Promise<readonly Domain[]>;
}
