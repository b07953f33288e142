// The embedded service's timers for domains. They are durable because they are not real timers: each domain's next check is stored in the database,
// and this loop queries for domains that are due. A crash loses only the current round.

import type { DomainQueue } from '../../core/domains/queue.ts';
import type { SweepStore } from '../../core/domains/sweep-store.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { actingAs } from '../audit/acting.ts';
import { contain } from '../containment.ts';
import { advance } from './advance.ts';
import { sweepOrphans } from './sweep-orphans.ts';

/** Interval between database queries, in milliseconds; another process's command takes effect within it. */
const POLL_MS = 250;
/**
 * Maximum number of domains worked on at a time. Most of the work is waiting for name servers, up to 10 s for silent ones, so work that someone
 * waits for has separate slots, and no account may take all of them.
 */
const QUEUES = [
  { waitedFor: true, places: 32, perAccount: 2 },
  { waitedFor: false, places: 16, perAccount: 4 },
] as const;
/** How long a domain is left alone after a failed step, in milliseconds. */
const AFTER_FAULT_MS = 5_000;
/** Interval between sweeps for what a crash left behind at the edge, in milliseconds; the first sweep runs at startup. */
const SWEEP_MS = 24 * 3_600_000;

export interface DomainTimers {
  /** Stops the timers once the steps in progress have ended. */
  stop(): Promise<void>;
}

/** The timers' dependencies. */
export type TimedWork = DomainWork & { readonly domains: DomainQueue; readonly sweeps: SweepStore };

/** Starts the timers. @param onFault called with the fault if a step, query or sweep fails */
export function startDomainTimers(work: TimedWork, onFault: (error: unknown) => void): DomainTimers {
  const underWay = QUEUES.map(() => new Map<string, { readonly accountId: string; readonly step: Promise<void> }>());
  const resting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function round(): Promise<void> {
    const now = work.clock();
    for (const [index, { waitedFor, places, perAccount }] of QUEUES.entries()) {
      const mine = underWay[index] as (typeof underWay)[number];
      const limit = places - mine.size;
      if (limit <= 0) continue;
      const except = [...resting, ...underWay.flatMap((queue) => [...queue.keys()])];
      for (const { id, accountId } of await work.domains.queuedDomains({ waitedFor, now, limit, perAccount, except })) {
        const ofAccount = [...mine.values()].filter((other) => other.accountId === accountId).length;
        if (ofAccount < perAccount) mine.set(id, { accountId, step: perform(id).finally(() => mine.delete(id)) });
      }
    }
  }

  async function perform(id: string): Promise<void> {
    try {
      await contain(() => actingAs({ kind: 'workflow' }, () => advance(work, id)), onFault);
    } catch (error) {
      // Uses a timer, because the clock may be set back.
      resting.add(id);
      setTimeout(() => resting.delete(id), AFTER_FAULT_MS).unref();
      onFault(error);
    }
  }

  function next(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      round().catch(onFault).finally(next);
    }, POLL_MS);
  }
  next();
  // One process has the database and the edge, which are restored together: a domain that is unknown is gone.
  const sweep = () =>
    actingAs({ kind: 'sweep' }, () =>
      sweepOrphans(
        work,
        { store: work.sweeps, id: 'timers', clock: work.clock, remainingMs: () => (stopped ? 0 : SWEEP_MS) },
        { unknownForMs: 0, onFault },
      ),
    ).then(() => {}, onFault);
  let sweeping = sweep();
  const sweeper = setInterval(() => {
    sweeping = sweep();
  }, SWEEP_MS);

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      clearInterval(sweeper);
      await Promise.all([sweeping, ...underWay.flatMap((queue) => [...queue.values()].map(({ step }) => step))]);
    },
  };
}
