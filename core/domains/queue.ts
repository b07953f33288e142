// The storage ports for the embedded timers and the sweeps: which domains are due, on platforms without a workflow engine.

import type { Page } from '../page.ts';
import type { Domain } from './domain.ts';
import { nextCheckAt } from './states.ts';

/** The queue of domains due for a check. Rejects with StoreFault if storage fails. */
export interface DomainQueue {
  /**
   * Returns domains due for a check by `now`, at most `perAccount` for each account: first each account's longest-waiting domain, then each account's
   * second, and so on. A domain whose state has a time in the future is due as well, because only a wrong clock can have set it.
   *
   * @param now milliseconds since 1970
   * @param limit in total
   * @param perAccount not counting the excluded domains
   * @param waitedFor true: only domains that someone is waiting for, because an owner has just acted; false: only the other domains
   * @param except ids to exclude
   */
  queuedDomains(query: {
    readonly waitedFor: boolean;
    readonly now: number;
    readonly limit: number;
    readonly perAccount: number;
    readonly except: readonly string[];
  }): Promise<readonly Domain[]>;
  /**
   * Claims a domain for this process until `release`; a process that ends loses its claim within a minute. Returns false if another process has it.
   * @default only one process works on the queue
   */
  claim?(id: string): Promise<boolean>;
  release?(id: string): Promise<void>;
}

// Positions in the list of due domains, which is ordered by the time of the next check and then by id.

/** Builds a page of due domains, for DomainStore.dueDomains. @param limit the number of domains queried; a shorter page is the last one */
export function duePage(items: readonly Domain[], limit: number): Page<Domain> {
  const last = items.length < limit ? undefined : items.at(-1);
  return { items, next: last && `${nextCheckAt(last.state) ?? 0} ${last.id}` };
}

/** Matches positions. */
export const DUE_POSITION_PATTERN = '^[0-9]{1,16} dom_[0-9A-Za-z]{1,64}$';

/** Parses the position after which a page begins. @param after @default before the first domain */
export function parseDuePosition(after: string | undefined): { readonly wakeAt: number; readonly id: string } {
  const [wakeAt = '', id = ''] = (after ?? '-1 ').split(' ');
  return { wakeAt: Number(wakeAt), id };
}

// The storage port for the sweeps: the progress of each, so that a run can end at any time and the next one can continue.

/**
 * `domains`: the domains that are due; `edge`: what exists at the edge; `changes`: what was changed; `visits`: what the edge has logged. `publishing`
 * is not a sweep, but a lock that is taken for each change to the edge map.
 */
export type SweepName = 'domains' | 'edge' | 'changes' | 'visits' | 'publishing';

/** Whether a run still holds a sweep at a given time; see SweepStore.take. Times are in milliseconds since 1970. */
export function isTaken(takenUntil: number, now: number, until: number): boolean {
  return takenUntil > now && takenUntil - now <= 2 * (until - now);
}

/** Numbers by name. */
export type Counts = Readonly<Record<string, number>>;

/** A sweep goes through one or more lists, one after another. */
export interface SweepCycle {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Index of the current list. */
  readonly list: number;
  /** The position in the current list. @default its beginning */
  readonly after?: string;
  /** What was counted in the lists before the current one. */
  readonly before: Counts;
  /** What has been counted in the current list so far. */
  readonly current: Counts;
}

export interface SweepProgress {
  /** The cycle in progress. @default none */
  readonly cycle?: SweepCycle;
  /** What the last complete cycle counted. @default no cycle was completed */
  readonly last?: Counts;
  /** When that cycle began, in milliseconds since 1970. @default unknown */
  readonly lastStartedAt?: number;
}

/** Every method rejects only with StoreFault, if storage fails. */
export interface SweepStore {
  /** Returns a sweep's progress, whether or not a run holds it. */
  read(name: SweepName): Promise<SweepProgress>;
  /**
   * Takes a sweep for one run; of concurrent runs, at most one gets it. A sweep that is taken for more than twice as long as this run needs counts as
   * free, because it was taken while the clock was wrong. Times are in milliseconds since 1970.
   *
   * @param run an id that is different for each run
   * @param until the time by which the run will have released the sweep or ended
   * @returns the sweep's progress; undefined if another run holds it
   */
  take(name: SweepName, run: string, now: number, until: number): Promise<SweepProgress | undefined>;
  /** Stores the run's progress. Returns false, storing nothing, if it no longer holds the sweep. @param until as in `take`; 0 releases the sweep */
  save(name: SweepName, run: string, progress: SweepProgress, until: number): Promise<boolean>;
  /** Returns the time at which something was first reported, in milliseconds since 1970; `now` if it has not been reported for a week or more. */
  firstReported(thing: string, now: number): Promise<number>;
}
