// Dashboard users, and the requirements for their addresses and passwords (NIST SP 800-63B, section 3.1.1.2; OWASP ASVS 5, 6.2).

import * as z from 'zod';
import { type RandomBytes, randomBase62 } from '../access/base62.ts';

export interface User {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
}

const ID_LENGTH = 16;
/** In characters. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const;
/** The product's name, which people use in passwords (ASVS 6.1.2). */
const PRODUCT = 'petstore';
/** A shorter name in a password may be a coincidence. */
const SHORTEST_NAME = 4;
/** Minimum number of characters left in a password after the user's address is removed. */
const LEAST_LEFT = 8;

/** Maximum length in characters (RFC 5321, section 4.5.3.1.3, and its erratum 1690). */
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

/**
 * Checks a new password.
 *
 * @param email of its user
 * @param isCommon whether a password, in lower case, is one of the most common ones
 * @returns what is wrong with it and what to do, as the continuation of "this password"; undefined if it may be used
 */
export function passwordProblem(password: string, email: string, isCommon: (password: string) => boolean): string | undefined {
  const { length } = [...password];
  const { min, max } = PASSWORD_LENGTH;
  if (length < min || length > max) return `has ${length} characters; choose one with ${min} to ${max}`;
  const text = password.normalize('NFKC').toLowerCase();
  if (isCommon(text)) return 'is among the most common passwords, which attackers try first; choose another';
  const names = [email, ...email.split(/[@.+]/), PRODUCT].filter((name) => name.length >= SHORTEST_NAME);
  const left = names.reduce((rest, name) => rest.replaceAll(name.toLowerCase(), ''), text);
  return left.length < LEAST_LEFT && left !== text ? 'is little more than the email address or the name Petstore; choose another' : undefined;
}

// The User-Agent header in words that people recognize. Only these are stored, because a version reveals when someone last updated, which is private.

/** The first match is used, because browsers also claim to be other browsers. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Returns the browser and its system, such as `Firefox on Windows`. */
export function agentInWords(userAgent: string): string {
  const first = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser = 'A browser', system] = [first(BROWSERS), first(SYSTEMS)];
  return system === undefined ? browser : `${browser} on ${system}`;
}
