// Slows down password guessing: attempts are counted by name and by address. After some failures, a name has one attempt every few minutes, shared by
// all browsers that are new to its user; too many failures from an address block it for a while. An attempt counts before its password is checked, so
// parallel attempts are as slow as sequential ones. A device that the user has signed in from has its own budget: strangers' guesses don't use it up,
// so they can't lock the user out. A new password has new budgets, so guesses at the old one don't block it. Times are in milliseconds since 1970.

import { type SignInEvent, signInEvent } from '../audit/changes.ts';
import type { Change } from '../audit/entry.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Share } from '../bulkhead.ts';
import { addressGroup } from '../limits/address.ts';
import { DAY_MS, MINUTE_MS } from '../limits/windows.ts';

/** How long failures count for an address or a device. */
const WINDOW_MS = 15 * 60_000;
/**
 * How long a name waits for its next attempt, by the number of failures in the last hour; the first few are free, because people mistype. This allows
 * at most 300 attempts in any day, from any number of addresses, at a password that is not among the 10,000 most common ones.
 */
const NAME_WAITS_MS = [0, 0, 0, 0, 0, 60_000, 120_000, 240_000];
const LONGEST_NAME_WAIT_MS = 300_000;
/** How long failures count for a name: long enough that guessers gain nothing by pausing. */
const NAME_WINDOW_MS = 3_600_000;
/** Maximum number of failures per address, which a whole office may share. */
const FAILURES_BY_ADDRESS = 50;
/** Maximum number of failures per device. As strict as for names, because the device may have been stolen. */
const FAILURES_BY_DEVICE = 5;
/** Maximum number of names that are remembered; the same for addresses and for devices. */
const REMEMBERED = 10_000;
/** Maximum number of password checks for one address: how many may run, and how many may run or wait. A client that sends more delays only itself. */
const CHECKS_BY_ADDRESS = { concurrent: 1, inFlight: 3 };
/** A person types one password at a time. */
const CHECKS_BY_NAME = { concurrent: 1, inFlight: 1 };

export interface SignInAttempt {
  readonly name: string;
  /** An IPv6 address is counted by its /64, as for rate limits. */
  readonly address: string;
  /** The device id, if the user with this name has signed in from it before. */
  readonly device?: string | undefined;
  /** Changes with the user's password. */
  readonly generation?: string | undefined;
}

/** A counted attempt; the caller passes it back with its result. */
export interface CountedAttempt {
  readonly name: string;
  readonly addressGroup: string;
  readonly device: string | undefined;
  readonly generation: string | undefined;
  readonly at: number;
}

export type SignInDecision =
  | { readonly allowed: true; readonly attempt: CountedAttempt }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

export interface SignInThrottle {
  /** Counts an attempt as a failure, if the budget allows one. Only then may the password be checked. */
  begin(attempt: SignInAttempt, now: number): SignInDecision;
  /** Records that the password was right: this attempt and earlier failures for the name or device no longer count; attempts in progress still do. */
  succeeded(attempt: CountedAttempt): void;
  /** Records that the password was wrong. */
  failed(attempt: CountedAttempt): void;
  /** Records that the password was not checked after all. */
  takeBack(attempt: CountedAttempt): void;
}

/** Returns the shares of password checks that an attempt counts against. */
export function checkShares(attempt: CountedAttempt): readonly Share[] {
  return [
    { key: `address ${attempt.addressGroup}`, ...CHECKS_BY_ADDRESS },
    { key: budgetKey(attempt), ...CHECKS_BY_NAME },
  ];
}

/** Creates a throttle; its counts are in memory, so a restart resets them. */
export function createSignInThrottle(): SignInThrottle {
  const byWhom = { name: createAttempts(NAME_WINDOW_MS, slowedDown), device: createAttempts(WINDOW_MS, blockedAfter(FAILURES_BY_DEVICE)) };
  const byAddress = createAttempts(WINDOW_MS, blockedAfter(FAILURES_BY_ADDRESS));
  const failures = new WeakSet<CountedAttempt>();
  const budgetsOf = (attempt: CountedAttempt) => {
    if (attempt.device !== undefined) return [{ attempts: byWhom.device, key: budgetKey(attempt) }];
    return [
      { attempts: byWhom.name, key: budgetKey(attempt) },
      { attempts: byAddress, key: attempt.addressGroup },
    ];
  };
  const takeBack = (attempt: CountedAttempt) => {
    for (const { attempts, key } of budgetsOf(attempt)) attempts.remove(key, (each) => each === attempt);
  };
  return {
    begin: ({ name, address, device, generation }, now) => {
      const attempt: CountedAttempt = { name, addressGroup: addressGroup(address), device, generation, at: now };
      const budgets = budgetsOf(attempt);
      const retryAfterSeconds = Math.max(...budgets.map(({ attempts, key }) => attempts.waitSeconds(key, now)));
      if (retryAfterSeconds > 0) return { allowed: false, retryAfterSeconds };
      for (const { attempts, key } of budgets) attempts.add(key, attempt);
      return { allowed: true, attempt };
    },
    succeeded: (attempt) => {
      takeBack(attempt);
      // Attempts still being checked are kept, because they may be wrong: otherwise, each right password would allow five more guesses.
      byWhom[attempt.device === undefined ? 'name' : 'device'].remove(budgetKey(attempt), (each) => failures.has(each));
    },
    failed: (attempt) => void failures.add(attempt),
    takeBack,
  };
}

/** Returns the budget that an attempt counts against. Attempts from a known device have their own, and so do attempts after a new password. */
function budgetKey({ name, device, generation = '' }: CountedAttempt): string {
  return device === undefined ? `name ${generation} ${name}` : `device ${generation} ${device}`;
}

/** Returns the time at which the next attempt is allowed. @param times of the attempts that count, the latest last */
type NextAttempt = (times: readonly number[]) => number;

const slowedDown: NextAttempt = (times) => (times.at(-1) ?? 0) + (NAME_WAITS_MS[times.length] ?? LONGEST_NAME_WAIT_MS);

/** Blocks while this many attempts are in the window. */
function blockedAfter(allowed: number): NextAttempt {
  return (times) => (times.length < allowed ? 0 : (times.at(-allowed) ?? 0) + WINDOW_MS);
}

/** Counts attempts that failed or are still being checked, by one kind of key, within a window. */
function createAttempts(windowMs: number, nextAttempt: NextAttempt) {
  const counted = new BoundedMap<string, readonly CountedAttempt[]>(REMEMBERED);
  // Attempts with a time in the future were counted before the clock was set back.
  const recent = (key: string, now: number) => (counted.get(key) ?? []).filter(({ at }) => at > now - windowMs && at <= now);
  return {
    waitSeconds: (key: string, now: number): number => Math.max(0, Math.ceil((nextAttempt(recent(key, now).map(({ at }) => at)) - now) / 1_000)),
    add: (key: string, attempt: CountedAttempt): void => counted.set(key, [...recent(key, attempt.at), attempt]),
    remove: (key: string, isGone: (attempt: CountedAttempt) => boolean): void => {
      const left = (counted.get(key) ?? []).filter((each) => !isGone(each));
      if (left.length === 0) counted.delete(key);
      else counted.set(key, left);
    },
  };
}

// Failed and refused attempts to sign in, for the audit log, whose entries are kept for 400 days. Similar attempts become one entry with a count, so
// that strangers can't fill the disk. The first attempt is recorded at once; later ones are recorded at the end of the minute.

/** Maximum number of entries per UTC day for each user, and for all names without a user. Further attempts share an entry without an address. */
const ENTRIES_A_DAY = { user: 100, noUser: 1_000 };
/** Maximum number of kinds of attempts, and of users, that are remembered. */
const REMEMBERED_ATTEMPTS = 10_000;

/** An attempt that failed or was refused. */
export type UnsuccessfulAttempt = Omit<SignInEvent, 'count'> & { readonly action: Exclude<SignInEvent['action'], 'sign_in.succeeded'> };

export interface Waiting {
  readonly attempt: UnsuccessfulAttempt;
  /** When the last entry was recorded. */
  readonly since: number;
  /** How many attempts came after it. */
  readonly count: number;
}

export interface SignInTally {
  /** Counts an attempt. @returns the entry to record now, if any */
  add(attempt: UnsuccessfulAttempt, now: number): readonly Change[];
  /** Returns the entries for attempts whose minute has passed, or for all pending ones. @param now milliseconds since 1970 */
  due(now: number, all?: boolean): readonly Change[];
}

/** Creates a tally; its counts are in memory. */
export function createSignInTally(): SignInTally {
  const waiting = new BoundedMap<string, Waiting>(REMEMBERED_ATTEMPTS);
  const used = new BoundedMap<string, { readonly day: number; readonly entries: number }>(REMEMBERED_ATTEMPTS);

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

/** Whether the minute has passed. A time in the future was recorded before the clock was set back. */
function isOver(since: number, now: number): boolean {
  return now >= since + MINUTE_MS || now < since;
}

function keyOf({ action, method, userId, address }: UnsuccessfulAttempt): string {
  return [action, method, userId, address && addressGroup(address)].join(' ');
}
