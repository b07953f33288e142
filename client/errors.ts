// What can go wrong, as one type.

import type { components } from './generated.ts';

export type ErrorCode = components['schemas']['Error']['code'];

/** An answer that is an error, after all tries. Its fields are those of the body, and two headers. */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Whole seconds; undefined if the answer named none. */
  readonly retryAfterSeconds: number | undefined;
  /** For support. */
  readonly requestId: string | undefined;

  constructor(body: components['schemas']['Error'], headers: Headers) {
    super(body.message);
    this.code = body.code;
    this.status = body.status;
    this.retryAfterSeconds = retryAfterSeconds(headers);
    this.requestId = headers.get('x-request-id') ?? undefined;
  }
}

export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
