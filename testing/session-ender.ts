// What every SessionEnder must do.

import { expect } from 'expect';
import type { SessionEnder } from '../core/identity/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface SessionWorld {
  readonly sessions: SessionEnder;
  /** Whether an earlier session of the user can still be renewed. */
  canRenew(userId: string): Promise<boolean>;
}

/** Declares the suite for an adapter. @param make returns an adapter that knows `usr_ann` and `usr_bob`, both signed in; called once */
export function sessionEnderContract(runner: TestFunction, make: Make<SessionWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'SessionEnder contract', options, { setUp: make });

  test('ends all sessions of one user, can be repeated, and resolves for a user who does not exist', async ({ sessions, canRenew }) => {
    expect([await canRenew('usr_ann'), await canRenew('usr_bob')]).toEqual([true, true]);
    await sessions.endSessions('usr_ann');
    await sessions.endSessions('usr_ann');
    await sessions.endSessions('usr_nobody');
    expect([await canRenew('usr_ann'), await canRenew('usr_bob')]).toEqual([false, true]);
  });
}
