// A gate that one key's calls go through: after a 429 none of them sends anything before the answer's Retry-After has passed. When it opens,
// one call goes ahead, and as many follow as its X-RateLimit-Remaining allows: most of a crowd would be refused.

import { ApiKeyBannedError, type PetstoreError, retryAfterSeconds, wholeNumber } from './errors.ts';
import { jitterMs, longestWaitMs, monotonic, type RetryOptions, wait } from './retry.ts';

/** The result of one request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly response: Response }
  /** The error is a promise, because its body comes after its headers; it never rejects. */
  | { readonly kind: 'refused'; readonly response: Response; readonly error: Promise<PetstoreError> }
  | { readonly kind: 'lost'; readonly error: unknown };

interface Closure {
  /** By the monotonic clock. */
  readonly until: number;
  readonly error: Promise<PetstoreError> | PetstoreError;
}

/** No limit and no ban lasts longer than a day: a longer Retry-After is a mistake of something in between. */
const LONGEST_CLOSURE_MS = 24 * 3_600_000;

/** Requests that go at once while nothing is known of the limit; the first answer says how many follow. */
const UNASKED = 5;

export class Gate {
  /** Calls that wait here or are on the wire. */
  calls = 0;
  #limit: Closure | undefined;
  #ban: Closure | undefined;
  /** Requests that may be sent, as far as is known. */
  #budget = UNASKED;
  /** X-RateLimit-Reset of the window that the budget is from; undefined before the first answer. */
  #window: number | undefined;
  #onWire = 0;
  /** Grows whenever the gate closes or is opened. What was sent before counts for nothing after. */
  #period = 0;
  /** Calls that wait for an answer to others. */
  readonly #queue: (() => void)[] = [];
  /** Calls that wait for the gate to open. */
  readonly #sleepers = new Set<() => void>();

  /** What keeps the gate closed. A ban counts for more than a limit that lasts longer. */
  closure(now: number): Closure | undefined {
    return [this.#ban, this.#limit].find((closure) => closure !== undefined && now < closure.until);
  }

  /**
   * Sends a request when it may be sent. To be called by what counts `calls`.
   *
   * @param attempt requests that the call has sent, at least 1: the jitter grows with them
   * @param send never rejects
   * @throws the error that has closed the gate, if it stays closed for longer than a call waits; of a ban at once
   */
  async pass(attempt: number, send: () => Promise<Outcome>, options: RetryOptions): Promise<Outcome> {
    const { clock = monotonic } = options;
    let slept: Closure | undefined;
    // Whatever was waited for, look again: the gate may have been closed anew. From the last look to sending, nothing else runs.
    for (;;) {
      const closure = this.closure(clock());
      if (closure !== undefined && closure !== slept) {
        await this.#waitFor(closure, attempt, options);
        // A sleep of the caller's own may take no time by our clock.
        if (options.sleep !== undefined && options.clock === undefined) slept = closure;
      } else if (this.#budget > 0 || this.#onWire === 0) break;
      else await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    // Nothing is left, or nobody knows: one call finds out.
    const probe = this.#budget <= 0;
    const period = this.#period;
    this.#budget -= 1;
    this.#onWire += 1;
    const outcome = await send();
    if (period === this.#period) {
      this.#onWire -= 1;
      this.#learn(probe, outcome);
    }
    if (outcome.kind === 'refused' && outcome.response.status === 429) this.#close(outcome.response.headers, outcome.error, clock);
    // If it is closed all look again, and wait for it to open.
    const closed = this.closure(clock()) !== undefined;
    for (const go of this.#queue.splice(0, closed ? this.#queue.length : Math.max(1, this.#budget))) go();
    return outcome;
  }

  open(): void {
    this.#limit = undefined;
    this.#ban = undefined;
    this.#begin();
    for (const wake of this.#sleepers) wake();
    for (const go of this.#queue.splice(0)) go();
  }

  /** From now on one call goes ahead, and its answer says how many follow. */
  #begin(): void {
    this.#period += 1;
    this.#budget = 0;
    this.#onWire = 0;
  }

  async #waitFor({ until, error }: Closure, attempt: number, options: RetryOptions): Promise<void> {
    const { clock = monotonic, sleep = wait } = options;
    if (error instanceof ApiKeyBannedError) throw error;
    // All that wait know the same moment: the jitter keeps them from coming at once.
    const pause = until - clock() + jitterMs(attempt, options);
    if (pause > longestWaitMs(options)) throw await error;
    const opened = new AbortController();
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = () => {
        opened.abort();
        resolve();
      };
    });
    this.#sleepers.add(wake);
    try {
      await Promise.race([sleep(pause, opened.signal), woken]);
    } finally {
      this.#sleepers.delete(wake);
    }
  }

  /** What is left for the account is left for those on the wire first. Answers may come in another order than they were given. */
  #learn(probe: boolean, outcome: Outcome): void {
    const quota = standingOf(outcome);
    if (quota === undefined) {
      // A fault says nothing of the limit, and is no reason to hold up the others.
      if (probe || this.#window === undefined) this.#budget = Number.POSITIVE_INFINITY;
      return;
    }
    const left = quota.remaining - this.#onWire;
    const isNews = probe || this.#window === undefined || quota.resetAt > this.#window;
    this.#budget = isNews ? left : Math.min(this.#budget, left);
    this.#window = Math.max(this.#window ?? 0, quota.resetAt);
  }

  /** An answer without Retry-After, as a proxy may give, closes nothing: its call backs off by itself. */
  #close(headers: Headers, error: Promise<PetstoreError>, clock: () => number): void {
    const seconds = retryAfterSeconds(headers);
    if (seconds === undefined) return;
    const closure: Closure = { until: clock() + Math.min(seconds * 1_000, LONGEST_CLOSURE_MS), error };
    this.#begin();
    // A late answer never shortens the wait that another has asked for.
    if (closure.until > (this.#limit?.until ?? 0)) this.#limit = closure;
    error.then((read) => {
      if (!(read instanceof ApiKeyBannedError)) return;
      if (this.#limit === closure) this.#limit = undefined;
      if (closure.until <= (this.#ban?.until ?? 0)) return;
      this.#ban = { until: closure.until, error: read };
      for (const wake of this.#sleepers) wake();
    });
  }
}

/** What an answer says of the account, its reset in Unix seconds. A fault shows the limit of the address instead. */
function standingOf(outcome: Outcome): { readonly remaining: number; readonly resetAt: number } | undefined {
  if (outcome.kind === 'lost' || outcome.response.status >= 500) return undefined;
  const { headers } = outcome.response;
  const remaining = wholeNumber(headers, 'x-ratelimit-remaining');
  return remaining === undefined ? undefined : { remaining, resetAt: wholeNumber(headers, 'x-ratelimit-reset') ?? 0 };
}
