// The client's errors: one base type, and a subclass for bans, which the client never waits out.

import type { components } from './generated.ts';
import { readRefusal, requestIdOf, retryAfterSeconds, wholeNumber } from './responses.ts';

export type ErrorCode = components['schemas']['Error']['code'];

/**
 * An error response, after all attempts. Its fields come from the body and some headers.
 *
 * @example if (error instanceof PetstoreError && error.code === 'invalid_request') console.log(error.message, error.requestId);
 */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Whole seconds from the arrival of the response; undefined if the response did not specify a wait. */
  readonly retryAfterSeconds: number | undefined;
  /** When the limit that caused a 429 ends, by the server's clock if the response contains the time; undefined for other errors. */
  readonly retryAt: Date | undefined;
  /** Quote it when contacting support. */
  readonly requestId: string | undefined;

  /** @param receivedAt milliseconds since 1970 */
  constructor(body: components['schemas']['Error'], headers: Headers, receivedAt: number = Date.now()) {
    super(body.message);
    this.code = body.code;
    this.status = body.status;
    this.retryAfterSeconds = retryAfterSeconds(headers);
    this.retryAt = body.status === 429 ? endOfLimit(headers, receivedAt) : undefined;
    this.requestId = requestIdOf(headers);
  }
}

/**
 * The key is banned, because requests continued after a 429. Every request fails until the ban ends or is lifted.
 *
 * @example if (error instanceof ApiKeyBannedError) console.log(`banned until ${error.until.toISOString()}`);
 */
export class ApiKeyBannedError extends PetstoreError {
  override readonly name = 'ApiKeyBannedError';
  readonly until: Date;

  /** @param receivedAt milliseconds since 1970 */
  constructor(body: components['schemas']['Error'], headers: Headers, receivedAt: number = Date.now()) {
    super(body, headers, receivedAt);
    this.until = this.retryAt ?? new Date(receivedAt);
  }
}

/** Reads the error from a response; see readRefusal. Never rejects. */
export async function readError(response: Response): Promise<PetstoreError> {
  const { code = 'internal_error', message, status } = await readRefusal(response);
  const body = { code: code as ErrorCode, message, status };
  return code === 'api_key_banned' ? new ApiKeyBannedError(body, response.headers) : new PetstoreError(body, response.headers);
}

/** In a 429, X-RateLimit-Reset is the end of the window or of the ban. */
function endOfLimit(headers: Headers, receivedAt: number): Date | undefined {
  const reset = wholeNumber(headers, 'x-ratelimit-reset');
  const seconds = retryAfterSeconds(headers);
  if (reset !== undefined) return new Date(reset * 1_000);
  return seconds === undefined ? undefined : new Date(receivedAt + seconds * 1_000);
}
