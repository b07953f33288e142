// Counts failures by address, in this process.

import { LeastRecentMap } from '../../core/least-recent-map.ts';
import { addressGroup, addressStanding } from '../../core/limits/address.ts';
import type { Standing } from '../../core/limits/decide.ts';
import { windowsAt } from '../../core/limits/windows.ts';

/** Addresses that a process counts at a time; beyond that it forgets the one that was quiet longest. */
const REMEMBERED_ADDRESSES = 50_000;

export interface AddressLimiter {
  /** How the address stands; counts nothing. */
  standing(address: string, now: number): Standing;
  /** Has the address used up its minute? */
  isExhausted(address: string, now: number): boolean;
  /** Counts a request. False if the address had none left. */
  count(address: string, now: number): boolean;
}

export function createAddressLimiter(): AddressLimiter {
  const counts = new LeastRecentMap<string, number>(REMEMBERED_ADDRESSES);
  let minute = 0;

  const usedOf = (group: string, now: number): number => {
    const current = windowsAt(now).minute;
    if (current !== minute) {
      counts.clear();
      minute = current;
    }
    return counts.get(group) ?? 0;
  };

  return {
    isExhausted: (address, now) => counts.size > 0 && addressStanding(usedOf(addressGroup(address), now), now).remaining === 0,
    standing: (address, now) => addressStanding(usedOf(addressGroup(address), now), now),
    count: (address, now) => {
      const group = addressGroup(address);
      const used = usedOf(group, now);
      if (addressStanding(used, now).remaining === 0) return false;
      counts.set(group, used + 1);
      return true;
    },
  };
}
