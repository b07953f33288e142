// What those who drive domains by timers of their own ask, where no workflow engine does.

import type { Domain } from './domain.ts';

/** For who drives domains by timers of its own, where no workflow engine does. Rejects with StoreFault (core/store-fault.ts) if storage fails. */
export interface DomainQueue {
  /**
   * Domains that want to be looked at by this time, the one that waits longest first, but at most `perAccount` of each account.
   *
   * @param now milliseconds since 1970
   * @param limit of all together
   * @param perAccount beside those that are left out
   * @param waitedFor core/domains/states.ts, isWaitedFor: those alone, or the others alone
   * @param except ids that are left out
   */
  queuedDomains(query: {
    readonly waitedFor: boolean;
    readonly now: number;
    readonly limit: number;
    readonly perAccount: number;
    readonly except: readonly string[];
  }): Promise<readonly Domain[]>;
}
