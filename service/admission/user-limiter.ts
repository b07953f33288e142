// Limits the requests of each user of the control API. A shared counter decides, so the limit holds for all processes together; a refusal is repeated
// from memory until its minute ends, so a flood costs each process one refused write a minute.

import { BoundedMap } from '../../core/bounded-map.ts';
import { minuteQuota } from '../../core/limits/address.ts';
import type { QuotaStatus } from '../../core/limits/decide.ts';
import type { MinuteCounter } from '../../core/limits/ports.ts';
import { windowsAt } from '../../core/limits/windows.ts';

/** Requests per user and minute. The dashboard sends about 60 when a page that refreshes itself is open. */
const REQUESTS_A_MINUTE = 600;
/** Number of refused users in memory; beyond that, the one refused first is looked up again. */
const REMEMBERED_USERS = 50_000;

export interface UserLimiter {
  /**
   * Counts a request of the user, unless the limit is used up. Rejects with StoreFault if the counter's storage fails.
   *
   * @returns whether the request is admitted, and the quota with it counted
   */
  admit(userId: string, now: number): Promise<{ readonly admitted: boolean; readonly quota: QuotaStatus }>;
}

/** Creates a limiter. @param counter shared by all processes */
export function createUserLimiter(counter: MinuteCounter): UserLimiter {
  /** The last minute in which the user was refused. */
  const refusedIn = new BoundedMap<string, number>(REMEMBERED_USERS);
  return {
    admit: async (userId, now) => {
      const { minute } = windowsAt(now);
      const counted = refusedIn.get(userId) === minute ? undefined : await counter.count(`user ${userId}`, REQUESTS_A_MINUTE, now);
      if (counted === undefined) refusedIn.set(userId, minute);
      return { admitted: counted !== undefined, quota: minuteQuota(REQUESTS_A_MINUTE, counted ?? REQUESTS_A_MINUTE, now) };
    },
  };
}
