// Who signed in, and who tried to: entries of the audit log in SQLite.

import type { DatabaseSync } from 'node:sqlite';
import { type SignInEvent, signInEvent } from '../../core/audit/changes.ts';
import type { Change } from '../../core/audit/entry.ts';
import { createSignInTally, type UnsuccessfulAttempt } from '../../core/identity/sign-in-tally.ts';
import { MINUTE_MS } from '../../core/limits/windows.ts';
import type { RecordChange } from '../store/sqlite/audit.ts';
import { transaction } from '../store/sqlite/transaction.ts';

export interface SignInLog {
  /** Records a sign-in. Rejects with StoreFault: then the user must not be signed in. */
  succeeded(event: Omit<SignInEvent, 'action' | 'count'>): Promise<void>;
  /** Records an attempt after the response, so that its duration says nothing about users. */
  unsuccessful(attempt: UnsuccessfulAttempt): void;
  /** Records what waits, and ends. */
  stop(): Promise<void>;
}

/** Creates the log. @param clock milliseconds since 1970 @param onFault called if attempts can't be recorded */
export function createSignInLog(database: DatabaseSync, record: RecordChange, clock: () => number, onFault: (error: unknown) => void): SignInLog {
  const tally = createSignInTally();
  const write = async (changes: readonly Change[]) => {
    if (changes.length > 0) await transaction(database, () => changes.forEach(record)).catch(onFault);
  };
  const timer = setInterval(() => void write(tally.due(clock())), MINUTE_MS).unref();
  return {
    succeeded: (event) => transaction(database, () => record(signInEvent({ ...event, action: 'sign_in.succeeded', count: 1 }))),
    unsuccessful: (attempt) => void setImmediate(() => void write(tally.add(attempt, clock()))),
    stop: async () => {
      clearInterval(timer);
      await write(tally.due(clock(), true));
    },
  };
}
