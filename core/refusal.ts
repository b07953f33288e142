// An expected failure that the caller can act on: a value, not an exception.

import type { QuotaStatus } from './limits/decide.ts';

export interface ActionRefusal {
  readonly ok: false;
  /**
   * `not_found`: does not exist, or does not belong to the caller. `forbidden`: the caller's role does not allow it. `conflict`: not possible in the
   * current state. `account_suspended`: not possible while the account is suspended. `insufficient_user_authentication`: requires a recent sign-in.
   * `second_factor_required`: the password alone is not enough. `precondition_failed`: changed since it was read.
   */
  readonly code:
    | 'not_found'
    | 'forbidden'
    | 'account_suspended'
    | 'insufficient_user_authentication'
    | 'second_factor_required'
    | 'invalid_request'
    | 'conflict'
    | 'precondition_failed'
    | 'rate_limit_exceeded'
    | 'unavailable';
  /** What was given, what is allowed, and what to do. */
  readonly message: string;
  /** A helpful command, which only the command line adds to the message, because other callers may have no shell. @default nothing */
  readonly atCommandLine?: string;
  /** Seconds until a retry makes sense, a whole number. @default unknown */
  readonly retryAfterSeconds?: number;
  /** The quota status of the limit that was reached, unless it is the account's own quota. */
  readonly quota?: QuotaStatus;
}

export type ActionResult<T> = ({ readonly ok: true } & T) | ActionRefusal;

/** Builds a refusal. @param atCommandLine what the command line adds to the message. @default nothing */
export function refused(code: ActionRefusal['code'], message: string, atCommandLine?: string): ActionRefusal {
  return { ok: false, code, message, ...(atCommandLine !== undefined && { atCommandLine }) };
}

/** Builds the refusal for a change to something that has changed since the caller read it. */
export function changedMeanwhile(what: string): ActionRefusal {
  return refused('precondition_failed', `${what} was changed meanwhile, so your change was not stored; read it again, and repeat your change`);
}

/** A storage fault, such as a timeout, throttling, a full disk or a malformed item. The message is for logs, not for callers. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  /** `unavailable` may be temporary; `corrupt` means that stored data can't be understood. */
  readonly kind: 'unavailable' | 'corrupt';

  constructor(kind: 'unavailable' | 'corrupt', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
