// Refusals are counted where they are given, in the process, and told to storage when it is asked anyway: the first costs no second
// write, and a flood one a minute. What a process has not told when it ends is lost: the figure is for people, nothing is decided by it.

import { LeastRecentMap } from '../../core/least-recent-map.ts';
import type { UsageStore } from '../../core/ports.ts';

/** Refusals are told together that come within so long. */
const TELL_EVERY_MS = 10_000;
/** Accounts with refusals that a process remembers. */
const REMEMBERED_ACCOUNTS = 10_000;

interface Untold {
  count: number;
  /** Since when. Milliseconds since 1970. */
  since: number;
}

export interface Refusals {
  /** Counts a refusal that was given. */
  count(accountId: string, now: number): void;
  /**
   * Storage is being asked about the account anyway: tells it what is due. Never rejects.
   *
   * @param all also what came just now. @default false
   */
  tell(accountId: string, now: number, all?: boolean): Promise<void>;
}

export function createRefusals(usage: Pick<UsageStore, 'countRefusals'>): Refusals {
  const accounts = new LeastRecentMap<string, Untold>(REMEMBERED_ACCOUNTS);

  return {
    count: (accountId, now) => {
      const known = accounts.get(accountId);
      if (known === undefined) accounts.set(accountId, { count: 1, since: now });
      else known.count += 1;
    },
    tell: async (accountId, now, all = false) => {
      const untold = accounts.get(accountId);
      if (untold === undefined || (!all && now - untold.since < TELL_EVERY_MS)) return;
      accounts.delete(accountId);
      // A fault may have counted them: told again, they could count twice.
      await usage.countRefusals(accountId, untold.count, now).catch(() => {});
    },
  };
}
