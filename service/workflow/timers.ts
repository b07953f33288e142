// The embedded service's timers for domains. They are durable because they are no timers at all: each domain says in the database
// when it wants to be looked at, and this loop asks for those whose time has come. A crash loses nothing but the round it was in.

import type { DomainQueue } from '../../core/domains/queue.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { contain } from '../containment.ts';
import { advance } from './advance.ts';
import { sweepOrphans } from './sweep.ts';

/** How often the database is asked, in milliseconds; a command of another process takes effect within. */
const POLL_MS = 250;
/**
 * Domains worked on at a time. Work is mostly waiting for name servers, up to 10 s for silent ones, so what somebody waits for has places of
 * its own, and no account may take them all.
 */
const QUEUES = [
  { waitedFor: true, places: 32, perAccount: 2 },
  { waitedFor: false, places: 16, perAccount: 4 },
] as const;
/** A domain whose step failed is left alone for so long. */
const AFTER_FAULT_MS = 5_000;
/** What a crash may have left at the edge is looked for at the start, and then so often. */
const SWEEP_MS = 24 * 3_600_000;

export interface DomainTimers {
  /** Ends after the steps that are under way. */
  stop(): Promise<void>;
}

/** What the timers work with. */
export type TimedWork = DomainWork & { readonly domains: DomainQueue };

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
      await contain(() => advance(work, id), onFault);
    } catch (error) {
      // By a timer, not by the clock, which may be set back.
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
  const sweep = () => sweepOrphans(work).catch(onFault);
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
