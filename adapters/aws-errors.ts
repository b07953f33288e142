// AWS SDK errors that are expected answers. They are recognized by name, so that no bundle includes their classes.

import { StalePage } from '../core/page.ts';

/** Whether an SDK error has one of these names. */
export function isNamed(error: unknown, ...names: readonly string[]): error is Error {
  return error instanceof Error && names.includes(error.name);
}

/** Returns a handler that turns errors with these names into undefined, and throws all others again. */
export function unlessNamed(...names: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!isNamed(error, ...names)) throw error;
  };
}

/** Returns an error handler for list calls: errors with these names mean a stale cursor. @param after the cursor; undefined for the first page */
export function asStalePage(after: string | undefined, ...names: readonly string[]): (error: unknown) => never {
  return (error) => {
    throw after !== undefined && isNamed(error, ...names) ? new StalePage(error.message, { cause: error }) : error;
  };
}
