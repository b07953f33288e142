// A bulkhead keeps one kind of work from exhausting a resource that other work needs as well: a few tasks run at once, a few more wait, and the rest
// are refused immediately. No caller gets more than its share of the running and waiting slots.

export interface BulkheadOptions {
  /** Maximum number of tasks running at once, at least 1. */
  readonly concurrent: number;
  /** Maximum number of tasks waiting, in addition to those running. */
  readonly queued: number;
}

/** The number of slots that one caller may hold. */
export interface Share {
  readonly key: string;
  /** Maximum number of this caller's tasks running at once, at least 1. */
  readonly concurrent: number;
  /** Maximum number of this caller's tasks running or waiting. */
  readonly inFlight: number;
}

export interface Bulkhead {
  /**
   * Runs the work in turn: first come, first served, except that tasks that would exceed a share are passed over.
   *
   * @param shares all shares that the work counts against
   * @returns undefined, without starting the work, if too many tasks are waiting or a share is used up
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

  /** A slot is handed straight to the next task, so that a newcomer can't take it in between. */
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

/** Counts tasks by share. A share without tasks uses no memory. */
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
