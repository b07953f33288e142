// Admission as the service runs it: conduct in this process, accounts in storage. Together they answer as
// core/limits/admit.ts does.

import { LeastRecentMap } from '../../core/least-recent-map.ts';
import type { AdmissionRequest } from '../../core/limits/admit.ts';
import { type Conduct, isEarly, repeatRefusal, takeUp } from '../../core/limits/conduct.ts';
import type { Ban, Decision } from '../../core/limits/decide.ts';
import type { UsageStore } from '../../core/ports.ts';
import { createRefusals } from './refusals.ts';

/** Keys whose refusals a process remembers, about 500 bytes each. */
const REMEMBERED_KEYS = 10_000;

/** What of storage admission needs. */
export type AdmissionStore = Pick<UsageStore, 'admit' | 'ban' | 'countRefusals'>;

export interface Admitter {
  /** @param now milliseconds since 1970 */
  admit(request: AdmissionRequest, now: number): Promise<Decision>;
  /** Has this process admitted the key of late? */
  knows(digest: string): boolean;
}

export function createAdmitter(usage: AdmissionStore): Admitter {
  const conducts = new LeastRecentMap<string, Conduct>(REMEMBERED_KEYS);
  const known = new LeastRecentMap<string, true>(REMEMBERED_KEYS);
  const refusals = createRefusals(usage);

  async function remember(request: AdmissionRequest, conduct: Conduct | undefined, ban: Ban | undefined, now: number): Promise<void> {
    if (conduct === undefined) conducts.delete(request.digest);
    else conducts.set(request.digest, conduct);
    if (ban === undefined) return;
    await usage.ban(request, ban);
    // Whoever looks for the reason of the ban finds the refusals before it.
    await refusals.tell(request.accountId, now, true);
  }

  async function ask(request: AdmissionRequest, conduct: Conduct | undefined, now: number): Promise<Decision> {
    const early = isEarly(conduct, now);
    const decided = await usage.admit(request, now);
    if (decided.kind === 'admitted') {
      if (!known.has(request.digest)) known.set(request.digest, true);
      if (conduct === undefined) return decided;
    }
    // Read again: while storage was asked, another request of this key may have been refused, and struck.
    const current = conducts.get(request.digest);
    const taken = takeUp(current, decided, early, now);
    if (taken.decision.kind === 'limited' || taken.decision.kind === 'banned') refusals.count(request.accountId, now);
    await remember(request, taken.conduct, taken.ban, now);
    return taken.decision;
  }

  return {
    admit: async (request, now) => {
      const conduct = conducts.get(request.digest);
      const repeat = repeatRefusal(conduct, now);
      if (repeat.kind !== 'ask') {
        refusals.count(request.accountId, now);
        await remember(request, repeat.conduct, repeat.kind === 'ban' ? repeat.ban : undefined, now);
        return repeat.refusal;
      }
      const decision = await ask(request, conduct, now);
      if (decision.kind !== 'unknown_key') await refusals.tell(request.accountId, now);
      return decision;
    },
    knows: (digest) => known.has(digest),
  };
}
