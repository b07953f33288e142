// A bulkhead keeps one kind of work from taking a resource that other work needs too: little of it runs at a time, a little more waits,
// and the rest is refused at once.

export interface BulkheadOptions {
  /** Pieces of work that run at a time, at least 1. */
  readonly concurrent: number;
  /** Pieces of work that wait beside them. */
  readonly queued: number;
}

export interface Bulkhead {
  /** Runs the work when its turn comes, first come first served. @returns undefined if too many wait: the work is not begun */
  run<T>(work: () => Promise<T>): Promise<T> | undefined;
}

export function createBulkhead({ concurrent, queued }: BulkheadOptions): Bulkhead {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function whenItsTurn<T>(turn: Promise<void> | undefined, work: () => Promise<T>): Promise<T> {
    await turn;
    try {
      return await work();
    } finally {
      // A place passes straight to the next: nobody who comes in between can take it.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    run: (work) => {
      if (running < concurrent) {
        running += 1;
        return whenItsTurn(undefined, work);
      }
      if (waiting.length >= queued) return undefined;
      return whenItsTurn(new Promise<void>((resolve) => waiting.push(resolve)), work);
    },
  };
}
