// What an address and a password of a user must be.

import * as z from 'zod';

const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;

export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && z.email().safeParse(text).success;
}

/** Length alone, as NIST SP 800-63B has it (section 5.1.1.2). @returns undefined if it is good */
export function passwordProblem(password: string): string | undefined {
  const length = [...password].length;
  return length >= MIN_PASSWORD && length <= MAX_PASSWORD
    ? undefined
    : `password: got ${length} characters; allowed: ${MIN_PASSWORD} to ${MAX_PASSWORD}`;
}
