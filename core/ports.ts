// All stores.

import type { AccountStore } from './access/ports.ts';
import type { DomainCounts } from './domains/states.ts';
import type { LeaseStore, UsageStore } from './limits/ports.ts';
import type { Page } from './page.ts';
import type { PetStore } from './pets/ports.ts';

/** Everything that the service stores. */
export interface Stores {
  /** For stores with several concurrent writers; absent if a single process has exclusive use of the store. */
  readonly leases?: LeaseStore;
  readonly pets: PetStore;
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
}

/** A value or a promise of it, to be awaited. */
export type Awaitable<T> = T | Promise<T>;

/** A port whose methods return values instead of promises wherever the port allows it. */
export type Immediate<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...parameters: infer Parameters) => infer Result
    ? [Exclude<Result, Promise<unknown>>] extends [never]
      ? Port[Name]
      : (...parameters: Parameters) => Exclude<Result, Promise<unknown>>
    : Port[Name];
};

// The storage port for what an installation's hosts share besides records: secret keys, and work that is done once for all hosts.

/** Every method rejects only with StoreFault. */
export interface InstallationStore {
  /** Returns the secret stored under a name, the same one for concurrent callers; undefined if there is none. @param fresh stored if there is none */
  keys(name: string, fresh?: string): Promise<string | undefined>;
  /** Opens the outbox, or closes and empties it; nothing is added while it is closed. */
  setOutboxOpen(isOpen: boolean): Promise<void>;
  /** Returns a page of ids of the projects with more than `most` deployments. @param after `next` of the previous page */
  crowdedProjects(most: number, after?: string): Promise<Page<string>>;
  /** Removes rows that have expired. @param now milliseconds since 1970 @returns the numbers removed, by table */
  removeExpired(now: number, isTimeLeft: () => boolean): Promise<Readonly<Record<string, number>>>;
  /** Returns what is due, by queue. @param now milliseconds since 1970 */
  dueItems(now: number): Promise<Readonly<Record<QueueName, DueItems>>>;
  /** Returns the numbers of domains by state and by certificate expiry; the numbers may be a few minutes old. */
  domainCounts(): Promise<DomainCounts>;
  /** Returns how many accounts are waiting for a decision on a plan request. */
  openPlanRequests(): Promise<number>;
}

/** The queues of work that is done later. */
export const QUEUE_NAMES = ['domains', 'notifications', 'file_removals'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export interface DueItems {
  readonly count: number;
  /** When the first of the items became due, in milliseconds since 1970. Undefined if none is due. */
  readonly since: number | undefined;
}

/** What metrics and the health check report about an installation. */
export type InstallationState = Pick<InstallationStore, 'dueItems' | 'domainCounts' | 'openPlanRequests'>;

/** The names of two entries in InstallationStore: which installation is being moved here, and when all of it had arrived. */
export const MOVING = 'moving';
export const MOVED = 'moved';

/** Whether an installation is being moved here, in which case nothing may work on it yet. */
export async function isMoving(installation: Pick<InstallationStore, 'keys'>): Promise<boolean> {
  return (await installation.keys(MOVING)) !== undefined && (await installation.keys(MOVED)) === undefined;
}

// An installation that is being moved accepts no changes during the last seconds of the move.

/** Whether an installation accepts changes. */
export interface Changes {
  /** Whether changes are currently refused. */
  isStopped(): boolean;
  /** Tracks work that may change something, so that a stop of changes waits for it to end. @returns the work */
  follow<T>(work: Promise<T>): Promise<T>;
}
