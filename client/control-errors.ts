// The error type for the control API's client.

import type { components } from './control-generated.ts';
import { readRefusal, requestIdOf, retryAfterSeconds } from './responses.ts';

export type ControlErrorCode = components['schemas']['Error']['code'];

/**
 * An error response, after all attempts.
 *
 * @example if (error instanceof ControlError && error.code === 'not_found') console.log(error.message, error.requestId);
 */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code: ControlErrorCode;
  readonly status: number;
  /** Whole seconds from the arrival of the response; undefined if the response did not specify a wait. */
  readonly retryAfterSeconds: number | undefined;
  /** Quote it when contacting support. */
  readonly requestId: string | undefined;

  constructor(body: components['schemas']['Error'], headers: Headers) {
    super(body.message);
    this.code = body.code;
    this.status = body.status;
    this.retryAfterSeconds = retryAfterSeconds(headers);
    this.requestId = requestIdOf(headers);
  }
}

/** Reads the error from a response; see readRefusal. Never rejects. */
export async function readControlError(response: Response): Promise<ControlError> {
  const { code = 'internal_error', message, status } = await readRefusal(response);
  return new ControlError({ code: code as ControlErrorCode, message, status }, response.headers);
}
