// Counts failures by address, in this process.

import { addressGroup, FAILURES_A_MINUTE } from '../../core/limits/address.ts';
import { createMinuteLimiter, type MinuteLimiter } from './minute-limiter.ts';

export interface AddressLimiter extends Pick<MinuteLimiter, 'quota' | 'count'> {
  /** Whether the address has used up its minute. */
  isExhausted(address: string, now: number): boolean;
}

/** Creates a limiter with FAILURES_A_MINUTE per address group. */
export function createAddressLimiter(): AddressLimiter {
  const limiter = createMinuteLimiter(FAILURES_A_MINUTE);
  return {
    quota: (address, now) => limiter.quota(addressGroup(address), now),
    count: (address, now) => limiter.count(addressGroup(address), now),
    isExhausted: (address, now) => limiter.quota(addressGroup(address), now).remaining === 0,
  };
}
