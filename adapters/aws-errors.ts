// Errors of AWS's SDK that are answers. They are known by their names, so that no bundle has their classes.

import { StalePage } from '../core/page.ts';

/** Whether an error of the SDK has one of these names. */
export function isNamed(error: unknown, ...names: readonly string[]): error is Error {
  return error instanceof Error && names.includes(error.name);
}

/** Returns a handler that turns errors with these names into undefined, and throws all others again. */
export function unlessNamed(...names: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!isNamed(error, ...names)) throw error;
  };
}

/** Returns a handler for a list. Errors with these names say that it can't be continued. @param after undefined: the list begins, and they don't */
export function asStalePage(after: string | undefined, ...names: readonly string[]): (error: unknown) => never {
  return (error) => {
    throw after !== undefined && isNamed(error, ...names) ? new StalePage(error.message, { cause: error }) : error;
  };
}
