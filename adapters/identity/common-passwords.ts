// The most common passwords, read when a password is chosen for the first time.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

let common: ReadonlySet<string> | undefined;

/** Whether a password, in lower case, is one of the most common ones of 12 characters or more. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split('\n'));
  return common.has(password);
}
