// The path of a request as a log may have it: without secrets, and not longer than a line should be.

import { printable } from '../text.ts';

/** Longer paths are cut, in characters. */
export const LOGGED_PATH_LENGTH = 512;

/** API keys and deploy tokens, also where they don't belong. */
const CREDENTIAL = /petstore_(live|test|deploy)_[0-9A-Za-z]+/g;

/**
 * Returns the path of a request target. The query is left out: it may have codes, tokens and names of people. Credentials that someone has put into the
 * path are replaced, control characters are escaped, and a long path is cut, which an ellipsis at its end shows.
 */
export function loggedPath(target: string): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  // Before it is cut, so that no part of a credential stays.
  const clean = path.includes('petstore_') ? path.replace(CREDENTIAL, 'petstore_$1_…') : path;
  if (clean.length > LOGGED_PATH_LENGTH) return `${printable(clean.slice(0, LOGGED_PATH_LENGTH))}…`;
  return printable(clean);
}
