// What users' new passwords must be, with the list of the most common ones, which is read when the first is chosen.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { passwordProblem } from '../../core/identity/user.ts';

let common: ReadonlySet<string> | undefined;

/** As `passwordProblem`, with the 10,000 most common passwords of 12 characters or more. */
export function newPasswordProblem(password: string, email: string): string | undefined {
  common ??= new Set(readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8').split('\n'));
  const known = common;
  return passwordProblem(password, email, (text) => known.has(text));
}
