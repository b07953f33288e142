// When to retry and how long to wait: exponential backoff with full jitter, never before Retry-After.

import { doneOrAborted } from './request.ts';

export interface RetryOptions {
  /** Maximum number of requests, including the first. @default 6 */
  readonly maxAttempts?: number;
  /** Longest wait, in milliseconds; a response that requires more fails immediately. @default 90,000 */
  readonly maxWaitMs?: number;
  /** Waits, and may stop early if the signal is aborted; for tests. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Monotonic time in milliseconds, with any origin; for tests. @default performance.now */
  readonly clock?: () => number;
  /** A number from 0 to 1, for the jitter; for tests. */
  readonly random?: () => number;
}

const FIRST_STEP_MS = 200;
const LONGEST_STEP_MS = 20_000;

/** Statuses that may be temporary: a request in progress, too many requests, a fault of the service or of what is in front of it. */
const RETRIED_STATUS = new Set([409, 429, 500, 502, 503, 504]);

/** Whether a response with this status is retried. */
export function isRetried(status: number): boolean {
  return RETRIED_STATUS.has(status);
}

/**
 * Returns the wait before the next attempt, in milliseconds; undefined if there should be none.
 *
 * @param attempt the attempt that failed, from 1
 * @param retryAfterSeconds the response's Retry-After
 */
export function waitBeforeRetry(attempt: number, retryAfterSeconds: number | undefined, options: RetryOptions): number | undefined {
  const { maxAttempts = 6 } = options;
  if (attempt >= maxAttempts) return undefined;
  const jitter = jitterMs(attempt, options);
  // All of an account's clients get the same time; the added jitter spreads them out.
  const wait = retryAfterSeconds === undefined ? jitter : retryAfterSeconds * 1_000 + jitter;
  return wait <= longestWaitMs(options) ? wait : undefined;
}

/** Returns a random time from 0 to a step that doubles with each attempt, up to 20 s. @param attempt the attempt that failed, from 1 */
export function jitterMs(attempt: number, { random = Math.random }: RetryOptions): number {
  return random() * Math.min(LONGEST_STEP_MS, FIRST_STEP_MS * 2 ** (attempt - 1));
}

/** Returns the longest wait, in milliseconds. */
export function longestWaitMs({ maxWaitMs = 90_000 }: RetryOptions): number {
  return maxWaitMs;
}

/** The default clock. A wall clock that is set back would lengthen a wait. */
export function monotonic(): number {
  return performance.now();
}

/** Waits; stops early if the signal is aborted. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return doneOrAborted(signal, (done) => {
    timer = setTimeout(done, milliseconds);
  }).finally(() => clearTimeout(timer));
}

/** Returns 128 random bits as text. Browsers have crypto.randomUUID only on pages that are served over HTTPS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
