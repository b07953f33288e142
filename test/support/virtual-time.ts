// Time that passes only when everything waits for it: tests make many calls at once and wait for minutes, but never sleep.

export interface VirtualTime {
  /** Milliseconds; jumps to the next wake-up when nothing else is in progress. */
  readonly clock: { now: number };
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The fetch for clients: time does not pass while one of its requests is in progress. */
  readonly fetch: typeof fetch;
  /** Lets time pass until the promise is settled. @throws Error if nothing is left that could settle it */
  until<T>(promise: Promise<T>): Promise<T>;
  /** Lets everything proceed that needs no time. */
  settle(): Promise<void>;
}

const TURNS = 10;

/** Moves the clock while sleepers wait. @param send the real fetch */
export function virtualTime(clock: { now: number }, send: typeof fetch): VirtualTime {
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  let inProgress = 0;

  async function settle(): Promise<void> {
    for (let turn = 0; turn < TURNS || inProgress > 0; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  return {
    clock,
    settle,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        sleepers.push({ at: clock.now + milliseconds, wake });
      }),
    fetch: async (input, init) => {
      inProgress += 1;
      try {
        const { status, headers, ...answer } = await send(input, init).then(async (response) => ({
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        }));
        return new Response(answer.text, { status, headers });
      } finally {
        inProgress -= 1;
      }
    },
    until: async (promise) => {
      let settled = false;
      const done = () => {
        settled = true;
      };
      promise.then(done, done);
      for (await settle(); !settled; await settle()) {
        const next = Math.min(...sleepers.map(({ at }) => at));
        if (next === Number.POSITIVE_INFINITY) throw new Error('nobody waits for time to pass');
        clock.now = Math.max(clock.now, next);
        const due = sleepers.filter(({ at }) => at <= clock.now);
        sleepers = sleepers.filter(({ at }) => at > clock.now);
        for (const { wake } of due) wake();
      }
      return promise;
    },
  };
}
