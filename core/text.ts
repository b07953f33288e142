// Checks for text that people type.

/** Only spaces and invisible characters: not a usable name. U+2800 is the Braille pattern without dots. */
const SHOWS_NOTHING = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether the text is empty or shows nothing. */
export function isBlank(text: string): boolean {
  return SHOWS_NOTHING.test(text);
}
