// A gate for all calls with the same key. After a 429, no call sends anything until Retry-After has passed. When the gate opens, one call is sent
// first, because most would be refused if all were sent; its response's X-RateLimit-Remaining shows how many may follow.

import { ApiKeyBannedError, type PetstoreError } from './errors.ts';
import { type CallOptions, doneOrAborted } from './request.ts';
import { retryAfterSeconds, wholeNumber } from './responses.ts';
import { jitterMs, longestWaitMs, monotonic, type RetryOptions, wait } from './retry.ts';

/** The result of one request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly response: Response }
  /** The error is a promise because the body arrives after the headers. It never rejects. */
  | { readonly kind: 'refused'; readonly response: Response; readonly error: Promise<PetstoreError> }
  | { readonly kind: 'lost'; readonly error: unknown }
  /** The caller ended the call. */
  | { readonly kind: 'aborted'; readonly error: unknown };

interface Closure {
  /** In milliseconds of the monotonic clock. */
  readonly until: number;
  readonly error: Promise<PetstoreError> | PetstoreError;
}

/** No limit or ban lasts longer than a day; a longer Retry-After comes from a faulty intermediary. */
const LONGEST_CLOSURE_MS = 24 * 3_600_000;

/** Requests sent concurrently before the limit is known; the first response shows how many may follow. */
const INITIAL_BUDGET = 5;

class Gate {
  /** Number of calls that are waiting here or in flight. */
  calls = 0;
  #limit: Closure | undefined;
  #ban: Closure | undefined;
  /** How many requests may still be sent, as far as is known. */
  #budget = INITIAL_BUDGET;
  /** X-RateLimit-Reset of the window that the budget is for; undefined before the first response. */
  #window: number | undefined;
  #onWire = 0;
  /** Incremented when the gate closes or is opened, after which responses to earlier requests no longer change the budget. */
  #period = 0;
  /** Calls that are waiting for another call's response. */
  readonly #queue: (() => void)[] = [];
  /** Calls that are waiting for the gate to open. */
  readonly #sleepers = new Set<() => void>();

  /** Returns what keeps the gate closed. A ban takes precedence, even over a limit that lasts longer. */
  closure(now: number): Closure | undefined {
    return [this.#ban, this.#limit].find((closure) => closure !== undefined && now < closure.until);
  }

  /**
   * Sends a request as soon as it may be sent. The caller counts `calls`.
   *
   * @param attempt requests that the call has sent, at least 1: the jitter grows with it
   * @param send must not reject
   * @throws the error that closed the gate, if the wait would be too long, or immediately in case of a ban; the signal's reason, if it is aborted
   *   before the request is sent
   */
  async pass(attempt: number, send: () => Promise<Outcome>, options: RetryOptions & CallOptions): Promise<Outcome> {
    const { clock = monotonic, signal } = options;
    let slept: Closure | undefined;
    // Check again after every wait, because the gate may have closed in the meantime. Nothing else runs between the last check and sending.
    for (;;) {
      if (signal?.aborted) {
        // If it was this call's turn, the turn passes to the next call.
        this.#queue.shift()?.();
        throw signal.reason;
      }
      const closure = this.closure(clock());
      if (closure !== undefined && closure !== slept) {
        await this.#waitFor(closure, attempt, options);
        // A custom `sleep` does not necessarily advance the default clock.
        if (options.sleep !== undefined && options.clock === undefined) slept = closure;
      } else if (this.#budget > 0 || this.#onWire === 0) break;
      else await this.#waitForTurn(signal);
    }
    // If the budget is used up, this call is sent alone to find out the limit.
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
    // If the gate is closed, all waiting calls check again and wait for it to open.
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

  /** Restarts the budget: one call is sent first, and its response shows how many may follow. */
  #begin(): void {
    this.#period += 1;
    this.#budget = 0;
    this.#onWire = 0;
  }

  async #waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    let turn = () => {};
    await doneOrAborted(signal, (go) => {
      turn = go;
      this.#queue.push(go);
    });
    const place = this.#queue.indexOf(turn);
    if (place !== -1) this.#queue.splice(place, 1);
  }

  async #waitFor({ until, error }: Closure, attempt: number, options: RetryOptions & CallOptions): Promise<void> {
    const { clock = monotonic, sleep = wait, signal } = options;
    if (error instanceof ApiKeyBannedError) throw error;
    // All waiting calls wait for the same time, so jitter spreads them out.
    const pause = until - clock() + jitterMs(attempt, options);
    if (pause > longestWaitMs(options)) throw await error;
    const opened = new AbortController();
    let wake = () => {};
    const woken = doneOrAborted(signal, (done) => {
      wake = done;
      this.#sleepers.add(wake);
    });
    try {
      await Promise.race([sleep(pause, opened.signal), woken]);
    } finally {
      this.#sleepers.delete(wake);
      wake();
      opened.abort();
    }
  }

  /** The remaining quota is first reserved for requests that have already been sent. Responses may arrive out of order. */
  #learn(probe: boolean, outcome: Outcome): void {
    if (outcome.kind === 'aborted') return;
    const quota = quotaOf(outcome);
    if (quota === undefined) {
      // A fault says nothing about the limit, so it is no reason to hold up other calls.
      if (probe || this.#window === undefined) this.#budget = Number.POSITIVE_INFINITY;
      return;
    }
    const left = quota.remaining - this.#onWire;
    const isNews = probe || this.#window === undefined || quota.resetAt > this.#window;
    this.#budget = isNews ? left : Math.min(this.#budget, left);
    this.#window = Math.max(this.#window ?? 0, quota.resetAt);
  }

  /** A 429 without Retry-After, which a proxy may send, does not close the gate; the call backs off on its own. */
  #close(headers: Headers, error: Promise<PetstoreError>, clock: () => number): void {
    const seconds = retryAfterSeconds(headers);
    if (seconds === undefined) return;
    const closure: Closure = { until: clock() + Math.min(seconds * 1_000, LONGEST_CLOSURE_MS), error };
    this.#begin();
    // A late response never shortens the wait that another response required.
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

/** Returns the account's quota as shown in a response, with the reset in Unix seconds. Ignores a 5xx, whose headers show the address's limit. */
function quotaOf(outcome: Outcome): { readonly remaining: number; readonly resetAt: number } | undefined {
  if (!('response' in outcome) || outcome.response.status >= 500) return undefined;
  const { headers } = outcome.response;
  const remaining = wholeNumber(headers, 'x-ratelimit-remaining');
  return remaining === undefined ? undefined : { remaining, resetAt: wholeNumber(headers, 'x-ratelimit-reset') ?? 0 };
}

// This process's gates, by base URL and key. A gate is kept while calls use it, or while it is closed.

const gates = new Map<string, Gate>();

/** Returns the number of gates; for tests. */
export function rememberedGates(): number {
  return gates.size;
}

/** Sends a request through the gate with this name; see Gate.pass. */
export async function throughGate(
  name: string,
  attempt: number,
  send: () => Promise<Outcome>,
  options: RetryOptions & CallOptions,
): Promise<Outcome> {
  const gate = gates.get(name) ?? new Gate();
  gates.set(name, gate);
  gate.calls += 1;
  try {
    return await gate.pass(attempt, send, options);
  } finally {
    gate.calls -= 1;
    if (gate.calls === 0) forget(name, gate, (options.clock ?? monotonic)());
  }
}

/** Opens the gate; waiting calls continue. */
export function openGate(name: string): void {
  gates.get(name)?.open();
  if (gates.get(name)?.calls === 0) gates.delete(name);
}

/** Deletes the gate. If it is closed, keeps it, and instead deletes unused gates that have opened since. */
function forget(name: string, gate: Gate, now: number): void {
  if (gate.closure(now) === undefined) gates.delete(name);
  else for (const [each, other] of gates) if (other.calls === 0 && other.closure(now) === undefined) gates.delete(each);
}
