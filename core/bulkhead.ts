// A bulkhead keeps one kind of work from taking a resource that other work needs too: a few tasks run at a time, a few more wait, and the rest are
// refused at once. No caller gets more than its share of the running and waiting places.

export interface BulkheadOptions {
  /** Tasks that run at a time, at least 1. */
  readonly concurrent: number;
  /** Tasks that may wait in addition. */
  readonly queued: number;
}

/** The part of the places that one caller may hold. */
export interface Share {
  /** Identifies the caller. */
  readonly key: string;
  /** Tasks of this caller that run at a time, at least 1. */
  readonly concurrent: number;
  /** Tasks of this caller that run or wait. */
  readonly inFlight: number;
}

export interface Bulkhead {
  /**
   * Runs the work in turn: first come, first served, but work that would exceed a share lets others pass.
   *
   * @param shares all the shares that the work counts towards
   * @returns undefined if too many wait or a share is used up: the work has not started
   */
  run<T>(work: () => Promise<T>, shares?: readonly Share[]): Promise<T> | undefined;
}

interface Waiting {
  readonly shares: readonly Share[];
  readonly begin: () => void;
}

/** Creates a bulkhead. */
export function createBulkhead({ concurrent, queued }: BulkheadOptions): Bulkhead {
  const waiting: Waiting[] = [];
  const runningOf = createCounts();
  const inFlightOf = createCounts();
  let running = 0;

  const mayRun = (shares: readonly Share[]) => running < concurrent && shares.every((share) => runningOf.of(share) < share.concurrent);

  function begin(shares: readonly Share[]): void {
    running += 1;
    runningOf.add(shares, 1);
  }

  /** A place is handed straight to the next task, so that a newcomer can't take it in between. */
  function end(shares: readonly Share[]): void {
    running -= 1;
    runningOf.add(shares, -1);
    inFlightOf.add(shares, -1);
    for (let next = nextIndex(); next >= 0; next = nextIndex()) {
      const [turn] = waiting.splice(next, 1);
      begin(turn?.shares ?? []);
      turn?.begin();
    }
  }

  const nextIndex = () => waiting.findIndex(({ shares }) => mayRun(shares));

  async function whenItsTurn<T>(turn: Promise<void> | undefined, work: () => Promise<T>, shares: readonly Share[]): Promise<T> {
    await turn;
    try {
      return await work();
    } finally {
      end(shares);
    }
  }

  return {
    run: (work, shares = []) => {
      const now = mayRun(shares);
      if (!now && waiting.length >= queued) return undefined;
      if (shares.some((share) => inFlightOf.of(share) >= share.inFlight)) return undefined;
      inFlightOf.add(shares, 1);
      if (!now) return whenItsTurn(new Promise<void>((resolve) => waiting.push({ shares, begin: resolve })), work, shares);
      begin(shares);
      return whenItsTurn(undefined, work, shares);
    },
  };
}

/** Number of tasks by share. A share without tasks takes no memory. */
function createCounts() {
  const counts = new Map<string, number>();
  const of = ({ key }: Share) => counts.get(key) ?? 0;
  return {
    of,
    add: (shares: readonly Share[], pieces: 1 | -1): void => {
      for (const share of shares) {
        const count = of(share) + pieces;
        if (count === 0) counts.delete(share.key);
        else counts.set(share.key, count);
      }
    },
  };
}
