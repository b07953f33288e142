// The notices of bundles, from packages that are installed, and from one that is not as it should be.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noticesFor } from '../../functions/bundle/notices.ts';
import { testFolder } from '../support/folders.ts';

const ROOT = join(import.meta.dirname, '../..');
const moduleOf = (name: string) => join(ROOT, 'node_modules', name, 'lib/index.js');
const noticesOf = (...names: string[]) => noticesFor(new Map([['index.js', names.map(moduleOf)]]));
const count = (text: string, part: string) => text.split(part).length - 1;

describe('notices', () => {
  test('name the packages of each file, and have each license once', () => {
    const text = noticesFor(
      new Map([
        ['b.js', [moduleOf('react-dom'), moduleOf('react'), moduleOf('react')]],
        ['a.js', [moduleOf('react'), moduleOf('zod')]],
        ['own.js', [join(ROOT, 'core/json.ts')]],
      ]),
    );
    expect(text).toMatch(/^a\.js: react [\d.]+ \(MIT\), zod [\d.]+ \(MIT\)\nb\.js: react [\d.]+ \(MIT\), react-dom [\d.]+ \(MIT\)\n/m);
    expect(text).not.toContain('own.js');
    expect(count(text, 'Copyright (c) Meta Platforms')).toBe(1);
    expect(text).toMatch(/^={80}\nreact [\d.]+ \(MIT\)\nreact-dom [\d.]+ \(MIT\)\n-{80}\n\nMIT License\n/m);
  });

  test('contain the NOTICE file of a package, and the licenses of what the package has copied', () => {
    expect(noticesOf('typescript')).toContain('DefinitelyTyped');
    expect(noticesOf('@fontsource-variable/figtree')).toContain('SIL OPEN FONT LICENSE');
  });

  test('contain what packages without a license file say in their README.md', () => {
    const powertools = noticesOf('@aws-lambda-powertools/logger');
    expect(powertools).toContain('licensed under the MIT-0 License');
    // MIT-0 has no such condition.
    expect(powertools).not.toContain('shall be included in all copies');
  });

  test('say where the data of tldts is from', () => {
    expect(noticesOf('tldts')).toContain('https://publicsuffix.org/list/');
    expect(noticesOf('tldts-core')).not.toContain('publicsuffix.org');
  });

  test('have no licenses of what Vite itself consists of', () => {
    expect(noticesOf('vite')).toMatch(/Copyright \(c\) 2019-present, VoidZero/);
    expect(noticesOf('vite')).not.toContain('@jridgewell');
  });

  test('need a license text of each package', () => {
    const folder = join(testFolder(), 'node_modules/@someone/without');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"name":"@someone/without","version":"1.2.3","license":"MIT"}');
    writeFileSync(join(folder, 'README.md'), '# without\n\n## Usage\n\nNone.\n');
    const notices = () => noticesFor(new Map([['index.js', [join(folder, 'index.js')]]]));
    expect(notices).toThrow('@someone/without 1.2.3 (MIT) has no license file, and no section "License" in its README.md');
    // Nothing reads this file.
    writeFileSync(join(folder, 'LICENSE-MIT'), 'Copyright Someone');
    expect(notices).toThrow('has no license file');
    writeFileSync(join(folder, 'README.md'), '# without\n\n## License\n\nCopyright Someone\n\n## Thanks\n\nEveryone.\n');
    expect(notices()).toMatch(/Copyright Someone\n\nPermission is hereby granted/);
    expect(notices()).not.toContain('Everyone');
  });
});
