// A log entry as one line of JSON.

import { printable } from '../text.ts';

/** What terminals act upon, and what some readers take for the end of a line. JSON escapes the others itself. */
const CONTROL = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Values of an entry; undefined ones are left out. */
export type LogEntry = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns the entry with the end of its line. Whatever the values contain, it is one line of printable characters, and the same values when it is parsed. */
export function logLine(entry: LogEntry): string {
  const text = JSON.stringify(entry);
  return `${text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

// The path of a request as a log may have it: without secrets, and not longer than a line should be.

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
