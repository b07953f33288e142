// What can't be done for a reason that the caller can act on: a value, not an exception.

import type { QuotaStatus } from './limits/decide.ts';

export interface ActionRefusal {
  readonly ok: false;
  /** `not_found`: there is no such thing, or it is not the caller's. `conflict`: not in the state that it is in. */
  readonly code: 'not_found' | 'invalid_request' | 'conflict' | 'rate_limit_exceeded' | 'unavailable';
  /** What was given, what is allowed, what to do. */
  readonly message: string;
  /** When to try again, in whole seconds. @default nobody knows */
  readonly retryAfterSeconds?: number;
  /** Of the limit that was reached, where it is not the caller's own. */
  readonly quota?: QuotaStatus;
}

export type ActionResult<T> = ({ readonly ok: true } & T) | ActionRefusal;

export function refused(code: ActionRefusal['code'], message: string): ActionRefusal {
  return { ok: false, code, message };
}
