// The embedded service's timers for domains. They are durable because they are no timers at all: each domain says in the database
// when it wants to be looked at, and this loop asks for those whose time has come. A crash loses nothing but the round it was in.

import { advance } from '../functions/domains/advance.ts';
import type { DomainWork } from '../functions/domains/steps.ts';
import { sweepOrphans } from '../functions/domains/sweep.ts';
import { contain } from './containment.ts';

/** How often the database is asked, in milliseconds; a command of another process takes effect within. */
const POLL_MS = 250;
/** Domains worked on at a time. */
const AT_A_TIME = 8;
/** A domain whose step failed is left alone for so long. */
const AFTER_FAULT_MS = 5_000;
/** What a crash may have left at the edge is looked for at the start, and then so often. */
const SWEEP_MS = 24 * 3_600_000;

export interface DomainTimers {
  /** Ends after the steps that are under way. */
  stop(): Promise<void>;
}

export function startDomainTimers(work: DomainWork, onFault: (error: unknown) => void): DomainTimers {
  const underWay = new Map<string, Promise<void>>();
  const resting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function round(): Promise<void> {
    // More than fit: those that rest or are under way are among the due ones.
    const due = await work.domains.dueDomains(work.clock(), AT_A_TIME + underWay.size + resting.size);
    for (const { id } of due) {
      if (underWay.size >= AT_A_TIME) break;
      if (underWay.has(id) || resting.has(id)) continue;
      const step = contain(() => advance(work, id), onFault)
        .then(() => {})
        .catch((error) => {
          // By a timer, not by the clock, which may be set back.
          resting.add(id);
          setTimeout(() => resting.delete(id), AFTER_FAULT_MS).unref();
          onFault(error);
        })
        .finally(() => underWay.delete(id));
      underWay.set(id, step);
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
      await Promise.all([sweeping, ...underWay.values()]);
    },
  };
}
