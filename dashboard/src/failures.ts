// Failures, and what they mean to whoever reads of them.

/** What the API refused, in its own words. */
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

/** `away`: the service can't be reached; `faulty`: it answers that it can't. */
export type Trouble = 'away' | 'faulty';

/** Is the failure one of the service, which passes by itself? Undefined if it is about what was asked. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof ApiError) return error.status >= 500 ? 'faulty' : undefined;
  // What fetch throws when there is no answer.
  return error instanceof TypeError ? 'away' : undefined;
}

/** Of something that was read. */
export function inWords(error: Error): string {
  return troubleOf(error) === 'away' ? "The service can't be reached." : error.message;
}

/** Of something that was to be changed. */
export function changeInWords(error: Error): string {
  return troubleOf(error) === 'away' ? "The service can't be reached. Whether it was done is not known: look, then try again." : error.message;
}
