// Failed and refused attempts to sign in, for the audit log, whose entries are kept for 400 days: many alike become one entry with a count, so that
// strangers can't fill the disk. The first one is recorded at once, those that follow within a minute when it is over.

import { type SignInEvent, signInEvent } from '../audit/changes.ts';
import type { Change } from '../audit/entry.ts';
import { BoundedMap } from '../bounded-map.ts';
import { addressGroup } from '../limits/address.ts';
import { DAY_MS, MINUTE_MS } from '../limits/windows.ts';

/** Entries a UTC day for each user, and for all attempts at names without one. More are counted, and recorded as one entry without an address. */
const ENTRIES_A_DAY = { user: 100, noUser: 1_000 };
/** Maximum number of kinds of attempts, and of users, that are remembered. */
const REMEMBERED = 10_000;

/** An attempt that failed or was refused. */
export type UnsuccessfulAttempt = Omit<SignInEvent, 'count'> & { readonly action: Exclude<SignInEvent['action'], 'sign_in.succeeded'> };

interface Waiting {
  readonly attempt: UnsuccessfulAttempt;
  /** When the last entry was recorded, in milliseconds since 1970. */
  readonly since: number;
  /** How many there were after it. */
  readonly count: number;
}

export interface SignInTally {
  /** Counts an attempt. @param now milliseconds since 1970 @returns the entry to record now, if any */
  add(attempt: UnsuccessfulAttempt, now: number): readonly Change[];
  /** The entries of attempts whose minute is over, or of all that wait. @param now milliseconds since 1970 */
  due(now: number, all?: boolean): readonly Change[];
}

/** Creates a tally; its counts are in memory. */
export function createSignInTally(): SignInTally {
  const waiting = new BoundedMap<string, Waiting>(REMEMBERED);
  const used = new BoundedMap<string, { readonly day: number; readonly entries: number }>(REMEMBERED);

  function isAllowed(userId: string | undefined, now: number): boolean {
    const day = Math.floor(now / DAY_MS);
    const before = used.get(userId ?? '');
    const entries = 1 + (before?.day === day ? before.entries : 0);
    if (entries > ENTRIES_A_DAY[userId === undefined ? 'noUser' : 'user']) return false;
    used.set(userId ?? '', { day, entries });
    return true;
  }

  function record(key: string, attempt: UnsuccessfulAttempt, count: number, now: number): readonly Change[] {
    waiting.delete(key);
    if (isAllowed(attempt.userId, now)) {
      waiting.set(key, { attempt, since: now, count: 0 });
      return [signInEvent({ ...attempt, count })];
    }
    const rest = keyOf({ ...attempt, address: undefined });
    waiting.set(rest, { attempt: { ...attempt, address: undefined }, since: now, count: count + (waiting.get(rest)?.count ?? 0) });
    return [];
  }

  return {
    add: (attempt, now) => {
      const key = keyOf(attempt);
      const { since = 0, count = 0 } = waiting.get(key) ?? {};
      if (isOver(since, now)) return record(key, attempt, count + 1, now);
      waiting.set(key, { attempt, since, count: count + 1 });
      return [];
    },
    due: (now, all = false) =>
      waiting.entries().flatMap(([key, { attempt, since, count }]) => {
        if (!all && !isOver(since, now)) return [];
        if (count > 0) return record(key, attempt, count, now);
        waiting.delete(key);
        return [];
      }),
  };
}

/** A time in the future is from before the clock was set back. */
function isOver(since: number, now: number): boolean {
  return now >= since + MINUTE_MS || now < since;
}

function keyOf({ action, method, userId, address }: UnsuccessfulAttempt): string {
  return [action, method, userId, address && addressGroup(address)].join(' ');
}
