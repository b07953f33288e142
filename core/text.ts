// The rules for text that people type: sets of characters, from which the checks and the patterns in the OpenAPI documents are built.
//
// The patterns need no flags and no lookaround. Some dialects match code points; others (ECMA-262 without the flag `u`, .NET) match UTF-16 code
// units, of which a character above U+FFFF has two. The patterns mean the same in both, because no class contains such a character, and all such
// characters count as visible. Text is well-formed, because core/json.ts refuses any other.

/**
 * Characters that no text may have: controls (Unicode's category Cc), line and paragraph separators, the byte order mark, and bidirectional control
 * characters (Unicode Standard Annex 9, section 2).
 */
const REFUSED = String.raw`\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069\uFEFF`;
/** Characters that are invisible: white space, Default_Ignorable_Code_Point, and the Braille pattern without dots. */
const INVISIBLE = String.raw`\u0020\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u202F\u205F-\u2065\u206A-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFFA0\uFFF0-\uFFF8`;
/** Matches the text that `isLine` accepts, of any length. */
export const LINE_PATTERN = `^[^${REFUSED}]*$`;
/** Matches the text that `isName` accepts, of any length. Takes time proportional to the square of the text's length. */
export const NAME_PATTERN = `^[^${REFUSED}]*[^${REFUSED}${INVISIBLE}][^${REFUSED}]*$`;

const NOT_ALLOWED = new RegExp(`[${REFUSED}]`, 'u');
const VISIBLE = new RegExp(`[^${REFUSED}${INVISIBLE}]`, 'u');

/** Whether the text is one line of printable characters; it may be empty. @param maxLength in code points */
export function isLine(text: string, maxLength: number): boolean {
  const codePoints = text.length <= maxLength ? text.length : [...text].length;
  return codePoints <= maxLength && text.isWellFormed() && !NOT_ALLOWED.test(text);
}

/** Whether the text is a line with a visible character. @param maxLength in code points */
export function isName(text: string, maxLength: number): boolean {
  return isLine(text, maxLength) && VISIBLE.test(text);
}

/** Characters that terminals interpret, that readers can't see, or that may be taken for the end of a line. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF]/gu;

/** Returns the text with control characters, line separators and bidirectional control characters as JSON escapes, such as `\u202e`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// Several faults in one message. It is one line, because messages are logged, printed and shown as a sentence.

/** Maximum number of faults in a message; more would not help the reader. */
export const SHOWN_FAULTS = 20;

const SEPARATOR = '. Also: ';

/** Joins fault messages into one message on one line, and shortens a long list. */
export function joinFaults(faults: readonly string[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS);
  return (faults.length > shown.length ? [...shown, `${faults.length - shown.length} more`] : shown).join(SEPARATOR);
}

/** Returns the fault messages in a message from joinFaults. */
export function faultsIn(message: string): readonly string[] {
  return message.split(SEPARATOR);
}
