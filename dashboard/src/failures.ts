// Failures, and what they mean to the user.

/** The API's message about a refusal. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** `away`: the service can't be reached; `faulty`: it reports a fault. */
export type Trouble = 'away' | 'faulty';

/** Whether the service is at fault, so that a retry may succeed. Undefined if the request itself was refused. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof ApiError) return error.status >= 500 ? 'faulty' : undefined;
  // The error that fetch throws if there is no response.
  return error instanceof TypeError ? 'away' : undefined;
}

/** The message about a failed read. */
export function readFailureText(error: Error): string {
  return troubleOf(error) === 'away' ? "The service can't be reached." : error.message;
}

/** The message about a failed change. */
export function changeFailureText(error: Error): string {
  return troubleOf(error) === 'away' ? "The service can't be reached. The change may have been made: check before you try again." : error.message;
}
