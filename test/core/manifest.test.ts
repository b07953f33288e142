// The order of a deployment's files.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortedManifest } from '../../core/projects/manifest.ts';

test("files are in the order of their names' UTF-8 bytes", () => {
  const names = fc.uniqueArray(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.constantFrom('a', 'a/b', 'ab', '\u{ffff}', '\u{10000}')));
  fc.assert(
    fc.property(names, (given) => {
      const sorted = sortedManifest(given.map((name) => ({ name, bytes: 0, sha256: '' }))).map(({ name }) => name);
      expect(sorted).toEqual([...given].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});
