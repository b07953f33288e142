// Adds sign-ins, and failed attempts, to the audit log.

import { type SignInEvent, signInEvent } from '../../core/audit/changes.ts';
import type { Change } from '../../core/audit/entry.ts';
import type { AuditLog } from '../../core/audit/ports.ts';
import { createSignInTally, type UnsuccessfulAttempt } from '../../core/identity/sign-in-throttle.ts';
import { MINUTE_MS } from '../../core/limits/windows.ts';

export interface SignInLog {
  /** Records a sign-in. If it rejects with StoreFault, the user must not be signed in. */
  succeeded(event: Omit<SignInEvent, 'action' | 'count'>): Promise<void>;
  /** Records an attempt after the response, so that the response time reveals nothing about users. */
  unsuccessful(attempt: UnsuccessfulAttempt): void;
  /** Records pending attempts. */
  flush(): Promise<void>;
  /** Records pending attempts, and stops. */
  stop(): Promise<void>;
}

/** Creates the log. @param clock milliseconds since 1970 @param onFault called if attempts can't be recorded */
export function createSignInLog({ record }: Pick<AuditLog, 'record'>, clock: () => number, onFault: (error: unknown) => void): SignInLog {
  const tally = createSignInTally();
  const write = async (changes: readonly Change[]) => {
    for (const change of changes) await record(change).catch(onFault);
  };
  const flush = () => write(tally.due(clock(), true));
  const timer = setInterval(() => void write(tally.due(clock())), MINUTE_MS).unref();
  return {
    succeeded: (event) => record(signInEvent({ ...event, action: 'sign_in.succeeded', count: 1 })),
    unsuccessful: (attempt) => void setImmediate(() => void write(tally.add(attempt, clock()))),
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
