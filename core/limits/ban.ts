// Key bans: how long they last, and whether one is in force. refusal-record.ts decides when a key is banned. Times are in milliseconds since 1970.

import { DAY_MS, MINUTE_MS } from './windows.ts';

const FIRST_BAN_MS = 5 * MINUTE_MS;
const LONGEST_BAN_MS = DAY_MS;

/** The maximum difference between two machines' clocks. A ban that begins later than that from now was stored by a clock since set back. */
export const CLOCK_DIFFERENCE_MS = MINUTE_MS;

export interface Ban {
  readonly since: number;
  /** The key is refused until then. A lifted ban ends before it begins, so that no clock finds it in force. */
  readonly until: number;
  /** Number of consecutive bans: 1 for the first. Each level doubles the duration. */
  readonly level: number;
}

/** Whether the ban is in force at this moment. */
export function isInForce(ban: Ban | undefined, now: number): ban is Ban {
  return ban !== undefined && ban.until > now && !isFromFuture(ban, now);
}

/** Whether the ban can be lifted. True even for a ban that begins in the future, because it may be in force according to another clock. */
export function isLiftable(ban: Ban | undefined, now: number): ban is Ban {
  return ban !== undefined && ban.until > Math.max(now, ban.since);
}

/** Returns the ban as lifted: no longer in force by the clock that stored it, or by any clock that agrees with it. */
export function lifted(ban: Ban): Ban {
  return { ...ban, until: ban.since - CLOCK_DIFFERENCE_MS };
}

/** Whether the ban was stored by a clock that has since been set back. Such a ban is ignored. */
export function isFromFuture(ban: Ban, now: number): boolean {
  return ban.since > now + CLOCK_DIFFERENCE_MS;
}

/** Whether a new ban replaces the key's last ban. The last ban is kept if it ends later, unless the clock that stored it has since been set back. */
export function replaces(ban: Ban, last: Ban | undefined): boolean {
  return last === undefined || last.until < ban.until || isFromFuture(last, ban.since);
}

/** Whether the ban no longer counts, not even towards the length of the next. */
export function isForgotten(ban: Ban, now: number): boolean {
  return now - ban.until >= DAY_MS;
}

/** Returns a key's next ban: 5 minutes, doubled for each earlier ban, at most 24 hours. After a day without a ban, it is 5 minutes again. */
export function nextBan(last: Ban | undefined, now: number): Ban {
  const repeated = last !== undefined && !isFromFuture(last, now) && !isForgotten(last, now);
  const level = repeated ? last.level + 1 : 1;
  return { since: now, until: now + Math.min(FIRST_BAN_MS * 2 ** (level - 1), LONGEST_BAN_MS), level };
}
