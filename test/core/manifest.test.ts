// The order of a deployment's files, and the time to check them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manifestProblems, sortedManifest } from '../../core/projects/manifest.ts';
import { anyCharacter } from '../support/characters.ts';

test("files are in the order of their names' UTF-8 bytes", () => {
  const names = fc.uniqueArray(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 4 }), fc.constantFrom('a', 'a/b', 'ab', '\u{ffff}', '\u{10000}')));
  fc.assert(
    fc.property(names, (given) => {
      const sorted = sortedManifest(given.map((name) => ({ name, bytes: 0, sha256: '' }))).map(({ name }) => name);
      expect(sorted).toEqual([...given].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});

test('deep folders take about as long to check as long names', () => {
  const limits = { files: 10_000, fileBytes: 1, bytes: 10_000 };
  const check = (folder: string) => {
    const files = Array.from({ length: 2_000 }, (_, n) => ({ name: `${n}/${folder}`, bytes: 1 }));
    const started = performance.now();
    expect(manifestProblems(files, limits)).toEqual([]);
    return performance.now() - started;
  };
  const shortest = (folder: string) => Math.min(...[1, 2, 3, 4, 5].map(() => check(folder)));
  // With a look at every folder of every file it was more than a hundred.
  expect(shortest(`${'a/'.repeat(450)}b`) / shortest(`${'a'.repeat(200)}/`.repeat(4).concat('b'))).toBeLessThan(60);
});
