// Sign-in is slow for whoever guesses: failures are counted by name and by address, and too many of them close the door for a while.

import { LeastRecentMap } from './least-recent-map.ts';
import { addressGroup } from './limits/address.ts';

const WINDOW_MS = 15 * 60_000;
/** A person mistypes a few times; one address may be a whole office. */
const FAILURES_BY_NAME = 5;
const FAILURES_BY_ADDRESS = 50;
/** Names and addresses remembered. */
const REMEMBERED = 10_000;

/** Addresses of IPv6 count by their /64, as for the limits. */
export interface SignInThrottle {
  /** @returns seconds until another try is allowed; 0: now */
  waitSeconds(name: string, address: string, now: number): number;
  failed(name: string, address: string, now: number): void;
  succeeded(name: string): void;
}

export function createSignInThrottle(): SignInThrottle {
  const byName = new LeastRecentMap<string, readonly number[]>(REMEMBERED);
  const byAddress = new LeastRecentMap<string, readonly number[]>(REMEMBERED);
  // Failures of the future were counted before the clock was set back.
  const recent = (map: typeof byName, key: string, now: number) => (map.get(key) ?? []).filter((at) => at > now - WINDOW_MS && at <= now);
  const wait = (failures: readonly number[], allowed: number, now: number) => {
    const [first] = failures.slice(-allowed);
    return first === undefined || failures.length < allowed ? 0 : Math.ceil((first + WINDOW_MS - now) / 1_000);
  };
  return {
    waitSeconds: (name, address, now) =>
      Math.max(wait(recent(byName, name, now), FAILURES_BY_NAME, now), wait(recent(byAddress, addressGroup(address), now), FAILURES_BY_ADDRESS, now)),
    failed: (name, address, now) => {
      byName.set(name, [...recent(byName, name, now), now]);
      const group = addressGroup(address);
      byAddress.set(group, [...recent(byAddress, group, now), now]);
    },
    succeeded: (name) => byName.delete(name),
  };
}
