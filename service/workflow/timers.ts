// The embedded service's timers for domains. They are durable because they are not real timers: each domain's next check is stored in the database,
// and this loop queries for domains that are due. A crash loses only the current round.

import { randomUUID } from 'node:crypto';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainQueue, SweepStore } from '../../core/domains/queue.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { actingAs } from '../audit/acting.ts';
import { contain } from '../containment.ts';
import { advance } from './advance.ts';
import { sweepOrphans } from './sweep-orphans.ts';

/** Interval between database queries, in milliseconds. Commands from another process take effect within this time. */
const POLL_MS = 250;
/**
 * Slots for concurrent work, which is mostly waiting for name servers: up to 10 s. Domains that someone is waiting for have slots of their own, and
 * no account may take all. `ready`: domains fetched in advance, each account's first one before any second one, so that free slots are filled.
 */
const QUEUES = [
  { waitedFor: true, places: 32, perAccount: 4, ready: 64 },
  { waitedFor: false, places: 64, perAccount: 48, ready: 256 },
] as const;
/** How long a domain is left alone after a failed step, and all domains after a failed query, in milliseconds. */
const AFTER_FAULT_MS = 5_000;
/** Interval between edge sweeps, which find what a crash left behind, in milliseconds; the first sweep runs at startup. */
const SWEEP_MS = 24 * 3_600_000;

export interface DomainTimers {
  /** Stops the timers. Resolves once the steps in progress have ended. */
  stop(): Promise<void>;
}

interface UnderWay {
  readonly accountId: string;
  readonly step: Promise<void>;
}

/** The timers' dependencies. */
export type TimedWork = DomainWork & { readonly domains: DomainQueue; readonly sweeps: SweepStore };

/** Starts the timers. @param onFault called with the fault if a step, query or sweep fails */
export function startDomainTimers(work: TimedWork, onFault: (error: unknown) => void): DomainTimers {
  const queues = QUEUES.map((row) => ({ ...row, underWay: new Map<string, UnderWay>(), waiting: [] as Pick<Domain, 'id' | 'accountId'>[] }));
  const resting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function round(): Promise<void> {
    const now = work.clock();
    for (const queue of queues) {
      const { waitedFor, places, perAccount, ready } = queue;
      // Not queried, because a long queue is costly to sort, and there is enough to do. Domains that someone is waiting for are still found at once.
      if (!waitedFor && queue.waiting.length > places) {
        fill(queue);
        continue;
      }
      const except = [...resting, ...queues.flatMap(({ underWay }) => [...underWay.keys()])];
      queue.waiting = [...(await work.domains.queuedDomains({ waitedFor, now, limit: ready, perAccount: perAccount * 2, except }))];
      fill(queue);
    }
  }

  /** Starts work on waiting domains, if there are free slots. */
  function fill(queue: (typeof queues)[number]): void {
    const { underWay, places, perAccount } = queue;
    const ofAccount = Map.groupBy(underWay.values(), ({ accountId }) => accountId);
    const taken = new Map([...ofAccount].map(([accountId, steps]) => [accountId, steps.length]));
    const left: Pick<Domain, 'id' | 'accountId'>[] = [];
    for (const domain of stopped ? [] : queue.waiting) {
      const { id, accountId } = domain;
      const count = taken.get(accountId) ?? 0;
      if (queues.some((other) => other.underWay.has(id))) continue;
      if (underWay.size >= places || count >= perAccount) {
        left.push(domain);
        continue;
      }
      taken.set(accountId, count + 1);
      const step = perform(id).finally(() => {
        underWay.delete(id);
        fill(queue);
      });
      underWay.set(id, { accountId, step });
    }
    queue.waiting = left;
  }

  async function perform(id: string): Promise<void> {
    try {
      if ((await work.domains.claim?.(id)) === false) return;
      await contain(() => actingAs({ kind: 'workflow' }, () => advance(work, id)), onFault).finally(() => work.domains.release?.(id));
    } catch (error) {
      // Uses a timer, because the clock may be set back.
      resting.add(id);
      setTimeout(() => resting.delete(id), AFTER_FAULT_MS).unref();
      onFault(error);
    }
  }

  function next(pauseMs: number = POLL_MS): void {
    if (stopped) return;
    timer = setTimeout(() => {
      round().then(
        () => next(),
        (error: unknown) => {
          onFault(error);
          next(AFTER_FAULT_MS);
        },
      );
    }, pauseMs);
  }
  next();
  // The edge map is in the same database, so both are restored together, and an unknown domain is certainly gone.
  const sweep = () =>
    actingAs({ kind: 'sweep' }, () =>
      sweepOrphans(
        work,
        { store: work.sweeps, id: `timers ${randomUUID()}`, clock: work.clock, remainingMs: () => (stopped ? 0 : SWEEP_MS) },
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
      await Promise.all([sweeping, ...queues.flatMap(({ underWay }) => [...underWay.values()].map(({ step }) => step))]);
    },
  };
}
