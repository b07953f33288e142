// Admission in the service: refusal records are in this process, accounts in storage. It makes the same decisions as core/limits/admit.ts.

import { BoundedMap } from '../../core/bounded-map.ts';
import type { AdmissionRequest } from '../../core/limits/admit.ts';
import { type Decision, isCounted } from '../../core/limits/decide.ts';
import type { UsageStore } from '../../core/limits/ports.ts';
import { afterStorage, answerFromMemory, type RefusalRecord } from '../../core/limits/refusal-record.ts';
import { createRefusals, type Later } from './refusals.ts';

/** Maximum number of keys whose refusals a process remembers, at about 500 bytes each. */
const REMEMBERED_KEYS = 10_000;

/** The storage methods that admission needs. */
export type AdmissionStore = Pick<UsageStore, 'admit' | 'hasKey' | 'ban' | 'countRefusals'>;

export interface AdmitOptions {
  /** Whether to look up the key before counting the request, which is done for clients that have sent many unknown keys. @default false */
  readonly lookUpFirst?: boolean;
}

export interface Admitter {
  /** @param now when the request arrived, in milliseconds since 1970 */
  admit(request: AdmissionRequest, now: number, options?: AdmitOptions): Promise<Decision>;
}

/** @param later runs a function after the given number of milliseconds */
export function createAdmitter(usage: AdmissionStore, later: Later): Admitter {
  const records = new BoundedMap<string, RefusalRecord>(REMEMBERED_KEYS);
  const known = new BoundedMap<string, true>(REMEMBERED_KEYS);
  const refusals = createRefusals(usage, later);

  function remember({ digest }: AdmissionRequest, record: RefusalRecord | undefined): void {
    if (record === undefined) records.delete(digest);
    else records.set(digest, record);
  }

  async function ask(request: AdmissionRequest, now: number, lookUpFirst: boolean): Promise<Decision> {
    const { digest } = request;
    if (lookUpFirst && !known.has(digest) && !(await usage.hasKey(request, now))) return { kind: 'unknown_key' };
    const decided = await usage.admit(request, now);
    if (decided.kind === 'admitted' && !known.has(digest)) known.set(digest, true);
    // Read again, because another request with this key may have been refused while storage was queried.
    const before = records.get(digest);
    if (before === undefined && (decided.kind === 'unknown_key' || isCounted(decided))) return decided;
    const { decision, record, ban } = afterStorage(before, decided, now);
    remember(request, record);
    if (ban !== undefined) await usage.ban(request, ban);
    return decision;
  }

  return {
    admit: async (request, now, { lookUpFirst = false } = {}) => {
      const before = records.get(request.digest);
      const memory = answerFromMemory(before, now);
      if (memory.record !== before) remember(request, memory.record);
      const decision = memory.kind === 'repeat' ? memory.refusal : await ask(request, now, lookUpFirst);
      if (decision.kind === 'limited' || decision.kind === 'banned') await refusals.count(request.accountId, now);
      return decision;
    },
  };
}
