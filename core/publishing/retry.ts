// Retries of requests that failed because of the connection or the service.

import { ApiError, troubleOf } from '../http/api-error.ts';

/** How long to wait before each further try, in milliseconds; then the user is asked. */
const WAITS_MS = [1_000, 3_000, 9_000];
/** Refusals that may be different a moment later (RFC 9110 and 6585). */
const TEMPORARY_STATUS = [408, 429];

/** Waits, in milliseconds. Rejects with the signal's reason if it is aborted. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Does the work, and retries temporary failures. @throws what the last try threw, or the signal's reason */
export async function retrying<T>(work: () => Promise<T>, wait: Wait, signal: AbortSignal): Promise<T> {
  for (const milliseconds of WAITS_MS) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      await wait(milliseconds, signal);
    }
  }
  return work();
}

function isTemporary(error: unknown): boolean {
  return troubleOf(error) !== undefined || (error instanceof ApiError && TEMPORARY_STATUS.includes(error.status));
}
