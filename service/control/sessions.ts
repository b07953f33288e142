// Where the user is signed in, and how that ends.

import { refused } from '../../core/refusal.ts';
import { quoted } from '../../core/validate.ts';
import { type Answerer, ok } from './answer.ts';
import type { ControlPorts } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';

const DONE = { done: true } as const;

/** The handlers for sessions. */
export function sessionHandlers(answer: Answerer, { sessions, directory }: ControlPorts) {
  return {
    listSessions: answer(CONTROL_OPERATIONS.listSessions, async ({ caller }) => {
      if (sessions === undefined) return ok({ canList: false, accessEndsWithinSeconds: caller.tokenSeconds ?? 0, sessions: [] });
      const all = (await sessions.listSessions(caller.id)).map(({ id, client, agent = null, begunAt, usedAt }) => ({
        ...{ sessionId: id, client, agent, current: id === caller.sessionId },
        begunAt: new Date(begunAt).toISOString(),
        usedAt: new Date(usedAt).toISOString(),
      }));
      return ok({ canList: true, accessEndsWithinSeconds: 0, sessions: all });
    }),

    endSessions: answer(CONTROL_OPERATIONS.endSessions, async ({ caller, body: { sessionId } }) => {
      if (sessions === undefined) return refused('not_found', 'sessions can’t be told apart here; signOutEverywhere ends all of them');
      if (sessionId !== undefined)
        return (await sessions.endSession(caller.id, sessionId))
          ? ok(DONE)
          : refused('not_found', `no session ${quoted(sessionId)}; it may have ended`);
      if (caller.sessionId === undefined) return refused('conflict', 'this session began before sessions were told apart; sign in again first');
      await sessions.endOtherSessions(caller.id, caller.sessionId);
      return ok(DONE);
    }),

    signOutEverywhere: answer(CONTROL_OPERATIONS.signOutEverywhere, async ({ caller }) => {
      await directory.endSessions(caller);
      return ok(DONE);
    }),
  };
}
