// Checks a user's password, as often as guessing allows, and records attempts that fail.

import type { UserStore } from '../../core/identity/ports.ts';
import { checkShares, type SignInAttempt, type SignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import type { User } from '../../core/identity/user.ts';
import type { SignInLog } from './sign-in-log.ts';

/** By then all password checks that are waiting now have finished. */
export const BUSY_SECONDS = 5;

export interface PasswordAttempt extends SignInAttempt {
  readonly password: string;
  /** The user of the name, if there is one. */
  readonly userId: string | undefined;
  /** The browser in words. */
  readonly agent: string;
}

/** Who it is, or `wrong`; not checked: `busy`, if too many are being checked, or how long to wait. */
export type PasswordOutcome = User | 'wrong' | 'busy' | { readonly retryAfterSeconds: number };

/** Whether it is the right password. */
export function isRight(outcome: PasswordOutcome): outcome is User {
  return typeof outcome === 'object' && 'email' in outcome;
}

export interface PasswordCheckOptions {
  readonly users: Pick<UserStore, 'check'>;
  readonly throttle: SignInThrottle;
  readonly log: SignInLog;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates the check. It rejects with StoreFault, and nothing is counted then. */
export function createPasswordCheck({ users, throttle, log, clock }: PasswordCheckOptions) {
  return async ({ password, userId, agent, ...asked }: PasswordAttempt): Promise<PasswordOutcome> => {
    const decision = throttle.begin(asked, clock());
    const attempted = { userId, agent, address: asked.address, method: 'password' } as const;
    if (!decision.allowed) {
      log.unsuccessful({ ...attempted, action: 'sign_in.refused' });
      return decision;
    }
    const { attempt } = decision;
    const found = await users.check(asked.name, password, checkShares(attempt)).catch((error) => {
      throttle.takeBack(attempt);
      throw error;
    });
    if (found === 'busy') {
      throttle.takeBack(attempt);
      return 'busy';
    }
    if (found === undefined) {
      throttle.failed(attempt);
      log.unsuccessful({ ...attempted, action: 'sign_in.failed' });
      return 'wrong';
    }
    throttle.succeeded(attempt);
    return found;
  };
}
