// Dashboard users, and the requirements for their addresses and passwords.

import * as z from 'zod';
import { type RandomBytes, randomBase62 } from '../access/base62.ts';

export interface User {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
}

const ID_LENGTH = 16;
const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;

/** Generates a user id. */
export function newUserId(random: RandomBytes): string {
  return `usr_${randomBase62(ID_LENGTH, random)}`;
}

/** Returns an address as it is stored and compared. */
export function normalEmail(typed: string): string {
  return typed.trim().toLowerCase();
}

/** Whether the text is an email address of at most 254 characters. */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && z.email().safeParse(text).success;
}

/** Checks only the length, as NIST SP 800-63B recommends (section 5.1.1.2). @returns undefined if it is valid */
export function passwordProblem(password: string): string | undefined {
  const length = [...password].length;
  return length >= MIN_PASSWORD && length <= MAX_PASSWORD
    ? undefined
    : `password: got ${length} characters; allowed: ${MIN_PASSWORD} to ${MAX_PASSWORD}`;
}
