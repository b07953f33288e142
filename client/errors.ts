// The client's errors: one base type, and a subclass for bans, which the client never waits out.

import type { components } from './generated.ts';

export type ErrorCode = components['schemas']['Error']['code'];

/** An error response, after all attempts. Its fields come from the body and some headers. */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Whole seconds from the arrival of the response; undefined if the response did not specify a wait. */
  readonly retryAfterSeconds: number | undefined;
  /** When the limit behind a 429 ends, by the server's clock if the response contains the time; undefined for other errors. */
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
    this.requestId = headers.get('x-request-id') ?? undefined;
  }
}

/** The key is banned, because requests continued after a 429: every request fails until the ban ends or is lifted. */
export class ApiKeyBannedError extends PetstoreError {
  override readonly name = 'ApiKeyBannedError';
  /** When the ban ends. */
  readonly until: Date;

  /** @param receivedAt milliseconds since 1970 */
  constructor(body: components['schemas']['Error'], headers: Headers, receivedAt: number = Date.now()) {
    super(body, headers, receivedAt);
    this.until = this.retryAt ?? new Date(receivedAt);
  }
}

/** The codes for responses that API Gateway or a proxy made instead of the service: they have a status, but no code. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  413: 'payload_too_large',
  429: 'rate_limit_exceeded',
  431: 'headers_too_large',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/**
 * Reads the error from a response. If its body is not the service's, such as API Gateway's `{"message"}` or a proxy's HTML, its code follows from its
 * status. Never rejects.
 */
export async function readError(response: Response): Promise<PetstoreError> {
  const { headers, status } = response;
  // The connection may break before the body is complete.
  const text = await response.text().catch(() => '');
  let message = `HTTP ${status} with an unrecognized body`;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body && 'status' in body) {
      const error = body as components['schemas']['Error'];
      return error.code === 'api_key_banned' ? new ApiKeyBannedError(error, headers) : new PetstoreError(error, headers);
    }
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string') message = body.message;
  } catch {
    // Not JSON: handled below.
  }
  return new PetstoreError({ code: CODES[status] ?? 'internal_error', message, status }, headers);
}

/** Returns Retry-After in seconds; undefined if it is missing or not a whole number. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  return wholeNumber(headers, 'retry-after');
}

/** In a 429, X-RateLimit-Reset is the end of the window or of the ban. */
function endOfLimit(headers: Headers, receivedAt: number): Date | undefined {
  const reset = wholeNumber(headers, 'x-ratelimit-reset');
  const seconds = retryAfterSeconds(headers);
  if (reset !== undefined) return new Date(reset * 1_000);
  return seconds === undefined ? undefined : new Date(receivedAt + seconds * 1_000);
}

/** Parses a header with a whole number; undefined if missing or invalid. At most 12 digits, so that dates stay in range. */
export function wholeNumber(headers: Headers, name: string): number | undefined {
  const value = headers.get(name);
  return value !== null && /^\d{1,12}$/.test(value) ? Number(value) : undefined;
}
