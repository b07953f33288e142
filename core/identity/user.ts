// Dashboard users, and the requirements for their addresses.

import * as z from 'zod';
import { type RandomBytes, randomBase62 } from '../access/base62.ts';

export interface User {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
}

const ID_LENGTH = 16;

/** In characters (RFC 5321, section 4.5.3.1.3, and its erratum 1690). */
export const LONGEST_ADDRESS = 254;

/** Generates a user id. */
export function newUserId(random: RandomBytes): string {
  return `usr_${randomBase62(ID_LENGTH, random)}`;
}

/** Returns an address as it is stored and compared. */
export function normalEmail(typed: string): string {
  return typed.trim().toLowerCase();
}

/** Whether the text is an email address, of at most 254 characters, 64 of them before the @ (RFC 5321, section 4.5.3.1). */
export function isEmailAddress(text: string): boolean {
  return text.length <= LONGEST_ADDRESS && text.indexOf('@') <= 64 && z.email().safeParse(text).success;
}
