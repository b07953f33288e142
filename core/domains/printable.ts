// Makes text from strangers, such as DNS records and an authority's messages, safe to display: on one line, without control sequences or
// bidirectional control characters, and of readable length.

/** Control characters (C0, C1, DEL), invisible and bidirectional control characters, line separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** @param most maximum length of the result, at least 2 */
export function printable(text: string, most: number): string {
  // Truncated first, because the part that is not shown need not be escaped.
  const escaped = text.slice(0, most).replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  const cut = text.length > most || escaped.length > most;
  return cut ? `${escaped.slice(0, most - 1)}…` : escaped;
}

/** How many characters of a secret, in sequence, are a quotation. */
const QUOTED = 6;

/** Whether a printable text quotes a secret or part of it, in whatever lines (RFC 2045, section 6.7). */
export function quotes(text: string, secret: string): boolean {
  const [joined, plain] = [text.replace(/\\u\{\w+\}/g, ''), secret].map((each) => each.replace(/[=\s]/g, '')) as [string, string];
  const length = Math.min(QUOTED, plain.length);
  return (
    length > 0 && Array.from({ length: plain.length - length + 1 }, (_, at) => plain.slice(at, at + length)).some((part) => joined.includes(part))
  );
}
