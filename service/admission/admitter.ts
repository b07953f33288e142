// Admission as the service runs it: conduct in this process, accounts in storage. Together they answer as
// core/limits/admit.ts does.

import { LeastRecentMap } from '../../core/least-recent-map.ts';
import type { AdmissionRequest } from '../../core/limits/admit.ts';
import { afterStorage, answerFromMemory, type Conduct } from '../../core/limits/conduct.ts';
import type { Decision } from '../../core/limits/decide.ts';
import type { UsageStore } from '../../core/limits/ports.ts';
import { createRefusals, type Later } from './refusals.ts';

/** Keys whose refusals a process remembers, about 500 bytes each. */
const REMEMBERED_KEYS = 10_000;

/** What of storage admission needs. */
export type AdmissionStore = Pick<UsageStore, 'admit' | 'hasKey' | 'ban' | 'countRefusals'>;

export interface AdmitOptions {
  /** Look the key up before it is asked to count: for callers who have sent many unknown ones. @default false */
  readonly lookUpFirst?: boolean;
}

export interface Admitter {
  /** @param now when the request came, in milliseconds since 1970 */
  admit(request: AdmissionRequest, now: number, options?: AdmitOptions): Promise<Decision>;
}

/** @param later does some work after so many milliseconds */
export function createAdmitter(usage: AdmissionStore, later: Later): Admitter {
  const conducts = new LeastRecentMap<string, Conduct>(REMEMBERED_KEYS);
  const known = new LeastRecentMap<string, true>(REMEMBERED_KEYS);
  const refusals = createRefusals(usage, later);

  function remember({ digest }: AdmissionRequest, conduct: Conduct | undefined): void {
    if (conduct === undefined) conducts.delete(digest);
    else conducts.set(digest, conduct);
  }

  async function ask(request: AdmissionRequest, now: number, lookUpFirst: boolean): Promise<Decision> {
    const { digest } = request;
    if (lookUpFirst && !known.has(digest) && !(await usage.hasKey(request, now))) return { kind: 'unknown_key' };
    const decided = await usage.admit(request, now);
    if (decided.kind === 'admitted' && !known.has(digest)) known.set(digest, true);
    // Read again: while storage was being asked, another request of this key may have been refused.
    const before = conducts.get(digest);
    if (before === undefined && (decided.kind === 'admitted' || decided.kind === 'unknown_key')) return decided;
    const { decision, conduct, ban } = afterStorage(before, decided, now);
    remember(request, conduct);
    if (ban !== undefined) await usage.ban(request, ban);
    return decision;
  }

  return {
    admit: async (request, now, { lookUpFirst = false } = {}) => {
      const before = conducts.get(request.digest);
      const memory = answerFromMemory(before, now);
      if (memory.conduct !== before) remember(request, memory.conduct);
      const decision = memory.kind === 'repeat' ? memory.refusal : await ask(request, now, lookUpFirst);
      if (decision.kind === 'limited' || decision.kind === 'banned') await refusals.count(request.accountId, now);
      return decision;
    },
  };
}
