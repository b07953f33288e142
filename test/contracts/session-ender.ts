// What every SessionEnder must do.

import { expect, test } from 'vitest';
import type { SessionEnder } from '../../core/identity/ports.ts';

export interface SessionWorld {
  readonly sessions: SessionEnder;
  /** Whether a session that the user began before can still be renewed. */
  canRenew(userId: string): Promise<boolean>;
}

/** Declares the suite for an adapter. @param makeWorld with the users `usr_ann` and `usr_bob`, each signed in */
export function sessionEnderContract(name: string, makeWorld: () => Promise<SessionWorld>): void {
  test(`SessionEnder contract: ${name}: ends all sessions of one user, again as well, and resolves for a user who does not exist`, async () => {
    const { sessions, canRenew } = await makeWorld();
    expect([await canRenew('usr_ann'), await canRenew('usr_bob')]).toEqual([true, true]);
    await sessions.endSessions('usr_ann');
    await sessions.endSessions('usr_ann');
    await sessions.endSessions('usr_nobody');
    expect([await canRenew('usr_ann'), await canRenew('usr_bob')]).toEqual([false, true]);
  });
}
