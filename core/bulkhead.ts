// A bulkhead keeps one kind of work from taking a resource that other work needs too: little of it runs at a time, a little more waits,
// and the rest is refused at once. Of what runs and waits, nobody gets more than their share.

export interface BulkheadOptions {
  /** Pieces of work that run at a time, at least 1. */
  readonly concurrent: number;
  /** Pieces of work that wait beside them. */
  readonly queued: number;
}

/** How much of the places one of those who ask may have. */
export interface Share {
  /** Whose it is. */
  readonly key: string;
  /** Pieces of work that run at a time, at least 1. */
  readonly concurrent: number;
  /** Pieces of work that run or wait. */
  readonly inFlight: number;
}

export interface Bulkhead {
  /**
   * Runs the work when its turn comes: first come first served, but what would exceed a share lets others go first.
   *
   * @param shares that it counts for, all of them
   * @returns undefined if too many wait, or a share is used up: the work is not begun
   */
  run<T>(work: () => Promise<T>, shares?: readonly Share[]): Promise<T> | undefined;
}

interface Waiting {
  readonly shares: readonly Share[];
  readonly begin: () => void;
}

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

  /** A place passes straight to the next: nobody who comes in between can take it. */
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

/** Pieces of work by share. A share that nothing counts for takes no memory. */
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
