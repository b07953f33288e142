// Makes text that strangers chose (names of accounts, projects and keys) harmless in a message.

import { printable } from '../domains/printable.ts';

/** In characters. Names have at most 100, which may be escaped. */
const LONGEST_NAME = 120;
/** In characters, in a subject, which mail programs cut. */
const LONGEST_SUBJECT = 150;

/**
 * Returns a name as one line without control characters and changes of writing direction, in quotation marks, so that it reads as a name and not as
 * our text. Mail programs turn what looks like an address of a page into a link, so such text is taken apart.
 */
export function quotedName(name: string): string {
  return `“${printable(name, LONGEST_NAME).replace(/(?<=\S)[.:@](?=\S)/g, '$& ')}”`;
}

/** Returns a subject: one line, without anything that could begin another header. */
export function subjectLine(text: string): string {
  return printable(text, LONGEST_SUBJECT);
}

/** Escapes text for HTML, as content or in a quoted attribute. */
export function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
