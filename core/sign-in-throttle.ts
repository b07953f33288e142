// Sign-in is slow for those who guess: attempts are counted by name and by address, and too many of them close the door for a while. An
// attempt counts from before its password is checked, so that many at once are as slow as one after the other. A device that the user has signed in from has a budget of its own: what strangers guess counts neither for it
// nor against it, so that they can't lock the user out.

import { LeastRecentMap } from './least-recent-map.ts';
import { addressGroup } from './limits/address.ts';

const WINDOW_MS = 15 * 60_000;
/** A person mistypes a few times; one address may be a whole office. */
const FAILURES_BY_NAME = 5;
const FAILURES_BY_ADDRESS = 50;
/** As few as by name: a stolen device is a stranger's. */
const FAILURES_BY_DEVICE = 5;
/** Names, addresses and devices remembered, of each. */
const REMEMBERED = 10_000;

export interface SignInAttempt {
  readonly name: string;
  /** An address of IPv6 counts by its /64, as for the limits. */
  readonly address: string;
  /** The device, if the user with this name has signed in from it before. */
  readonly device?: string | undefined;
}

/** An attempt that has been counted, to be handed back. */
export interface CountedAttempt {
  readonly name: string;
  readonly addressGroup: string;
  readonly device: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export type SignInDecision =
  | { readonly allowed: true; readonly attempt: CountedAttempt }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

export interface SignInThrottle {
  /**
   * Counts an attempt as a failure, if there may be one: only then may its password be checked.
   *
   * @param now milliseconds since 1970
   */
  begin(attempt: SignInAttempt, now: number): SignInDecision;
  /** The password was right: the attempt counts as no failure, and what the name mistyped before is forgotten. */
  succeeded(attempt: CountedAttempt): void;
  /** The password was not checked after all. */
  takeBack(attempt: CountedAttempt): void;
}

export function createSignInThrottle(): SignInThrottle {
  const byName = createFailures(FAILURES_BY_NAME);
  const byAddress = createFailures(FAILURES_BY_ADDRESS);
  const byDevice = createFailures(FAILURES_BY_DEVICE);
  return {
    begin: ({ name, address, device }, now) => {
      const attempt: CountedAttempt = { name, addressGroup: addressGroup(address), device, at: now };
      const budgets = budgetsOf(attempt);
      const retryAfterSeconds = Math.max(...budgets.map(({ failures, key }) => failures.waitSeconds(key, now)));
      if (retryAfterSeconds > 0) return { allowed: false, retryAfterSeconds };
      for (const { failures, key } of budgets) failures.add(key, now);
      return { allowed: true, attempt };
    },
    succeeded: (attempt) => {
      const { name, addressGroup: group, device, at } = attempt;
      if (device !== undefined) return byDevice.forget(device);
      byName.forget(name);
      byAddress.takeBack(group, at);
    },
    takeBack: (attempt) => {
      for (const { failures, key } of budgetsOf(attempt)) failures.takeBack(key, attempt.at);
    },
  };

  function budgetsOf({ name, addressGroup: group, device }: CountedAttempt) {
    if (device !== undefined) return [{ failures: byDevice, key: device }];
    return [
      { failures: byName, key: name },
      { failures: byAddress, key: group },
    ];
  }
}

/** The failures of one kind of key. */
function createFailures(allowed: number) {
  const failures = new LeastRecentMap<string, readonly number[]>(REMEMBERED);
  // Failures of the future were counted before the clock was set back.
  const recent = (key: string, now: number) => (failures.get(key) ?? []).filter((at) => at > now - WINDOW_MS && at <= now);
  return {
    waitSeconds: (key: string, now: number): number => {
      const counted = recent(key, now);
      const [first] = counted.slice(-allowed);
      return first === undefined || counted.length < allowed ? 0 : Math.ceil((first + WINDOW_MS - now) / 1_000);
    },
    add: (key: string, now: number): void => failures.set(key, [...recent(key, now), now]),
    takeBack: (key: string, at: number): void => {
      const counted = failures.get(key) ?? [];
      const index = counted.lastIndexOf(at);
      if (index >= 0) failures.set(key, counted.toSpliced(index, 1));
    },
    forget: (key: string): void => failures.delete(key),
  };
}
