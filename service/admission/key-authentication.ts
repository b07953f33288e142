// Authentication by API key as every keyed API has it: with its own refusal records and address limits, in this process.

import type { Stores } from '../../core/stores.ts';
import type { Middleware } from '../http/call.ts';
import { createAdmitter } from './admitter.ts';
import { authenticate, type Caller, type KeyAdvice, type KeyedOperation } from './authenticate.ts';
import { createLeasedUsage } from './leases.ts';
import { createAddressLimiter } from './minute-limiter.ts';
import type { Later } from './refusals.ts';

export interface KeyAuthenticationOptions {
  readonly stores: Pick<Stores, 'usage' | 'leases'>;
  readonly advice: KeyAdvice;
  /** Runs a function after the given number of milliseconds, unless the process ends first. @default a timer that does not keep the process alive */
  readonly later?: Later | undefined;
  /** Also send the draft RateLimit headers. */
  readonly draftHeaders: boolean;
}

/** Creates the middleware, for one API in one process. */
export function authenticateByKey<Op extends KeyedOperation>({
  stores,
  advice,
  later = byTimer,
  draftHeaders,
}: KeyAuthenticationOptions): Middleware<Op, Caller> {
  return authenticate<Op>({
    admitter: createAdmitter(stores.leases ? createLeasedUsage(stores.usage, stores.leases) : stores.usage, later),
    addresses: { keyless: createAddressLimiter(), unknownKeys: createAddressLimiter() },
    advice,
    draftHeaders,
  });
}

const byTimer: Later = (milliseconds, work) => {
  setTimeout(work, milliseconds).unref();
};
