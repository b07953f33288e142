// The storage port of the sweeps: how far each has come, so that a run may end at any time and the next one continues.

/**
 * `domains`: the domains that are due; `edge`: what exists at the edge; `changes`: what was changed; `visits`: what the edge has logged.
 * `publishing` is no sweep, but is taken for each change of the edge map.
 */
export type SweepName = 'domains' | 'edge' | 'changes' | 'visits' | 'publishing';

/** Whether a run still has a sweep at a time: see SweepStore.take. Times in milliseconds since 1970. */
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
  /** What was counted in the current list so far. */
  readonly current: Counts;
}

export interface SweepProgress {
  /** The cycle that is under way. @default none */
  readonly cycle?: SweepCycle;
  /** What the last complete cycle counted. @default none was completed */
  readonly last?: Counts;
  /** When that cycle began, in milliseconds since 1970. @default unknown */
  readonly lastStartedAt?: number;
}

/** Every method rejects only with StoreFault, if storage fails. */
export interface SweepStore {
  /** Returns how far a sweep has come, whether a run has it or not. */
  read(name: SweepName): Promise<SweepProgress>;
  /**
   * Takes a sweep for one run. Of concurrent runs, at most one has it. One that is taken for more than twice as long as this run would take it was
   * taken with a wrong clock, and counts as free.
   *
   * @param run different for each run
   * @param now milliseconds since 1970
   * @param until the run gives it back or has ended by then, in milliseconds since 1970
   * @returns how far the sweep has come; undefined if another run has it
   */
  take(name: SweepName, run: string, now: number, until: number): Promise<SweepProgress | undefined>;
  /**
   * Stores how far the run has come. Returns false, and stores nothing, if it no longer has the sweep.
   *
   * @param until as in `take`; 0 gives it back
   */
  save(name: SweepName, run: string, progress: SweepProgress, until: number): Promise<boolean>;
  /** Returns when a thing was first reported, in milliseconds since 1970: `now` if it has not been reported for a week or more. */
  firstReported(thing: string, now: number): Promise<number>;
}
