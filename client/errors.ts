// What can go wrong, as one type, with a separate type for bans, which the client never waits out.

import type { components } from './generated.ts';

export type ErrorCode = components['schemas']['Error']['code'];

/** An answer that is an error, after all tries. Its fields are those of the body, and some headers. */
export class PetstoreError extends Error {
  override readonly name: string = 'PetstoreError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Whole seconds from when the answer came; undefined if the answer named none. */
  readonly retryAfterSeconds: number | undefined;
  /** When the limit of a 429 ends, by the server's clock if it named the moment; undefined for other errors. */
  readonly retryAt: Date | undefined;
  /** For support. */
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

/** The key kept sending after a 429 and is banned: every request fails until the ban ends or is lifted. */
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

/** The error of an answer, or one made of what came: a proxy in between may answer HTML. Never rejects. */
export async function readError(response: Response): Promise<PetstoreError> {
  const { headers, status } = response;
  // The connection may break before the body has come.
  const text = await response.text().catch(() => '');
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body && 'status' in body) {
      const error = body as components['schemas']['Error'];
      return error.code === 'api_key_banned' ? new ApiKeyBannedError(error, headers) : new PetstoreError(error, headers);
    }
  } catch {
    // Not JSON: below.
  }
  return new PetstoreError({ code: 'internal_error', message: `HTTP ${status} with an unknown body`, status }, headers);
}

export function retryAfterSeconds(headers: Headers): number | undefined {
  return wholeNumber(headers, 'retry-after');
}

/** X-RateLimit-Reset of a 429 is the end of the window or of the ban. */
function endOfLimit(headers: Headers, receivedAt: number): Date | undefined {
  const reset = wholeNumber(headers, 'x-ratelimit-reset');
  const seconds = retryAfterSeconds(headers);
  if (reset !== undefined) return new Date(reset * 1_000);
  return seconds === undefined ? undefined : new Date(receivedAt + seconds * 1_000);
}

/** A header of up to 12 digits, which keeps dates within their range; undefined if it is anything else. */
export function wholeNumber(headers: Headers, name: string): number | undefined {
  const value = headers.get(name);
  return value !== null && /^\d{1,12}$/.test(value) ? Number(value) : undefined;
}
