// Any text, for property tests.

import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/** Any character. fast-check's own unit `binary` lists all of them first, which takes half a second in each process. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    const code = typeof text === 'string' ? (text.codePointAt(0) ?? Number.NaN) : Number.NaN;
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
