// What people type.

/** Only spaces and characters that show nothing: a name of these is none. U+2800 is the Braille pattern without a dot. */
const SHOWS_NOTHING = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

export function isBlank(text: string): boolean {
  return SHOWS_NOTHING.test(text);
}
