// When to try again, and how long to wait: exponential with full jitter, and never before Retry-After.

export interface RetryOptions {
  /** Requests in all, the first among them. @default 6 */
  readonly maxAttempts?: number;
  /** Longest wait in milliseconds; an answer that asks for more is an error at once. @default 90,000 */
  readonly maxWaitMs?: number;
  /** Waits, and may end early when the signal is aborted; for tests. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Milliseconds that never step back, from any start; for tests. @default performance.now */
  readonly clock?: () => number;
  /** From 0 to 1, for the jitter; for tests. */
  readonly random?: () => number;
}

const FIRST_STEP_MS = 200;
const LONGEST_STEP_MS = 20_000;

/** Answers that a later request may fare better than: conflict in progress, too many, unavailable. */
const RETRIED_STATUS = new Set([409, 429, 503]);

export function isRetried(status: number): boolean {
  return RETRIED_STATUS.has(status);
}

/**
 * How long to wait before the next try.
 *
 * @param attempt the try that failed, from 1
 * @param retryAfterSeconds what the answer asked for
 * @returns milliseconds; undefined if there should be no other try
 */
export function waitBeforeRetry(attempt: number, retryAfterSeconds: number | undefined, options: RetryOptions): number | undefined {
  const { maxAttempts = 6 } = options;
  if (attempt >= maxAttempts) return undefined;
  const jitter = jitterMs(attempt, options);
  // All clients of an account are told the same moment: the jitter on top keeps them from coming at once.
  const wait = retryAfterSeconds === undefined ? jitter : retryAfterSeconds * 1_000 + jitter;
  return wait <= longestWaitMs(options) ? wait : undefined;
}

/** From nothing to a step that doubles with each try, up to 20 s. @param attempt the try that failed, from 1 */
export function jitterMs(attempt: number, { random = Math.random }: RetryOptions): number {
  return random() * Math.min(LONGEST_STEP_MS, FIRST_STEP_MS * 2 ** (attempt - 1));
}

export function longestWaitMs({ maxWaitMs = 90_000 }: RetryOptions): number {
  return maxWaitMs;
}

/** A wall clock that is set back would lengthen a wait. */
export function monotonic(): number {
  return performance.now();
}

/** Ends early when the signal is aborted. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
