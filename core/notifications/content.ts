// What messages are written with: their parts, the names in them, and sentences of what others have noted.

import { OPERATOR } from '../access/account.ts';
import { printable } from '../domains/printable.ts';

/** The current names of what a notification is about; undefined for what is gone. */
export interface Names {
  readonly account: string | undefined;
  readonly project: string | undefined;
  readonly key: string | undefined;
  /** The address of the member who is new or gone. */
  readonly member: string | undefined;
  /** The address of the member who did it. */
  readonly by: string | undefined;
  /** The host of the domain that was added with it and is live, too. @default none */
  readonly pair?: string | undefined;
}

export interface Content {
  readonly subject: string;
  /** What happened and who did it; what it means; what to do. */
  readonly paragraphs: readonly string[];
  readonly lines?: readonly string[];
  /** Path of the page to open, and what it shows. */
  readonly link: readonly [path: string, label: string];
}

/** In characters. Longer advice is cut: all of it is on the linked page. */
export const LONGEST_ADVICE = 1_000;

/** Who did it, at the start of a sentence. */
export function actorOf(by: string, names: Names): string {
  return by === OPERATOR ? 'The operator' : printable(names.by ?? by, LONGEST_ADVICE);
}

/** Advice begins in lower case, and ends without a period. */
export function ended(advice: string): string {
  const text = printable(advice, LONGEST_ADVICE);
  return /[.…]$/.test(text) ? text : `${text}.`;
}

/** Advice as a sentence. */
export function sentence(advice: string): string {
  const text = ended(advice);
  // A host name stays as it is.
  return /^[a-z]+[ ,:]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
}

/** A time for people. */
export function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
