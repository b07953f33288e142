// Text that strangers wrote, such as records of the DNS and an authority's words, on its way to people: on one line, without what moves a
// terminal's cursor or turns the direction of writing around, and no longer than anybody reads.

/** Control characters (C0, C1, DEL), marks that are not seen, changes of direction, separators of lines, surrogates by themselves. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** @param most characters of the result, at least 2 */
export function printable(text: string, most: number): string {
  // Cut first: what is not shown need not be escaped.
  const escaped = text.slice(0, most).replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  const cut = text.length > most || escaped.length > most;
  return cut ? `${escaped.slice(0, most - 1)}…` : escaped;
}
