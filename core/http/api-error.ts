// How a request to an API can fail, for its clients: the browser and the command line.

/** A refusal by the API, with its message. */
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

/** `away`: the service can't be reached. `faulty`: it reports a fault. */
export type Trouble = 'away' | 'faulty';

/** Returns how the service is at fault, in which case a retry may succeed; undefined if the request itself was refused. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof ApiError) return error.status >= 500 ? 'faulty' : undefined;
  // The error that fetch throws if there is no response.
  return error instanceof TypeError ? 'away' : undefined;
}
