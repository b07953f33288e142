// Bans of keys: how long they last, and whether a stored one is in force. When a key is banned is core/limits/refusal-record.ts.

import { DAY_MS, MINUTE_MS } from './windows.ts';

const FIRST_BAN_MS = 5 * MINUTE_MS;
const LONGEST_BAN_MS = DAY_MS;

/** Clocks of two machines differ by less than this. What begins later than that was stored by a clock that has been set back since. */
export const CLOCK_DIFFERENCE_MS = MINUTE_MS;

export interface Ban {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds since 1970; until then the key is refused. A ban that was lifted ended before it began, so that no clock brings it back. */
  readonly until: number;
  /** How many bans in a row: 1 is the first. It doubles the time. */
  readonly level: number;
}

/** Is the key refused for this ban at this moment? */
export function isInForce(ban: Ban | undefined, now: number): ban is Ban {
  return ban !== undefined && ban.until > now && !isFromFuture(ban, now);
}

/** Can the ban be lifted? Also one from the future, which another clock may still find in force. */
export function isLiftable(ban: Ban | undefined, now: number): ban is Ban {
  return ban !== undefined && ban.until > Math.max(now, ban.since);
}

/** The ban, lifted: in force by no clock that agrees with the one that stored it. */
export function lifted(ban: Ban): Ban {
  return { ...ban, until: ban.since - CLOCK_DIFFERENCE_MS };
}

/** Was the ban stored by a clock that has been set back since? It counts for nothing then. */
export function isFromFuture(ban: Ban, now: number): boolean {
  return ban.since > now + CLOCK_DIFFERENCE_MS;
}

/** Does the ban no longer count, not even for the length of the next? */
export function isForgotten(ban: Ban, now: number): boolean {
  return now - ban.until >= DAY_MS;
}

/** The next ban of a key: 5 minutes, doubled for each ban before it, at most 24 hours. After a day without a ban, the next is 5 minutes again. */
export function nextBan(last: Ban | undefined, now: number): Ban {
  const repeated = last !== undefined && !isFromFuture(last, now) && !isForgotten(last, now);
  const level = repeated ? last.level + 1 : 1;
  return { since: now, until: now + Math.min(FIRST_BAN_MS * 2 ** (level - 1), LONGEST_BAN_MS), level };
}
