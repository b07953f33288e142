// Checks for text that people type.

/** Only spaces and invisible characters: not a usable name. U+2800 is the Braille pattern without dots. */
const SHOWS_NOTHING = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether the text is empty or shows nothing. */
export function isBlank(text: string): boolean {
  return SHOWS_NOTHING.test(text);
}

/** Whether the text has control characters, or those that turn the direction of the text after it (Unicode Standard Annex 9, section 2). */
export function hasControls(text: string): boolean {
  return /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(text);
}
