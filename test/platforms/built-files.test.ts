// The built files as they are served: with this installation's configuration, and compressed.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { NOTICES_FILE } from '../../functions/bundle/notices.ts';
import { dashboardFirstFiles, readDashboardFiles, readReferenceFiles } from '../../platforms/built-files.ts';

const files = (configuration: object = {}) => readDashboardFiles(JSON.stringify(configuration)) ?? [];
const textOf = (name: string, all = files()) => all.find((file) => file.name === name)?.content.toString() ?? '';

test('the start page contains the configuration, which cannot end its element', () => {
  const configuration = { authority: 'https://sign-in.example.com/</script><script>alert(1)</script>', clientId: '$&' };
  const all = files(configuration);
  const [, inPage = ''] = /<script type="application\/json" id="configuration">(.*?)<\/script>/.exec(textOf('index.html', all)) ?? [];
  expect(JSON.parse(inPage)).toEqual(configuration);
  expect(JSON.parse(textOf('dashboard/config.json', all))).toEqual(configuration);
});

test('scripts and styles are compressed by the build', () => {
  const all = [...files(), ...(readReferenceFiles() ?? [])];
  const compressible = all.filter(({ name }) => /^assets\/.*\.(js|css)$/.test(name));
  expect(compressible.length).toBeGreaterThan(10);
  for (const { name, content, compressed } of compressible) {
    expect(brotliDecompressSync(compressed.br ?? Buffer.of()).equals(content), name).toBe(true);
    expect(gunzipSync(compressed.gzip ?? Buffer.of()).equals(content), name).toBe(true);
  }
  expect(all.filter(({ name }) => /\.(br|gz)$/.test(name))).toEqual([]);
});

test('the start page names its script, and loads nothing else', () => {
  expect(textOf('index.html').match(/(?<!rel="license" )(?:src|href)="\/[^"]+"/g)).toEqual([
    expect.stringMatching(/^src="\/assets\/boot-[\w-]+\.js"$/),
  ]);
});

test('the notices of the packages in the files are served beside them, as text', () => {
  for (const all of [files(), readReferenceFiles() ?? []]) {
    const notices = all.find(({ name }) => name === NOTICES_FILE);
    expect([notices?.contentType, notices?.cacheControl]).toEqual(['text/plain; charset=utf-8', 'no-cache']);
    expect(notices?.content.toString()).toMatch(/^assets\/.*\.js: .*\breact-dom \d/m);
  }
});

test('what the sign-in page prefetches is there: script and style of the frame and the lists, and two fonts', () => {
  const names = files().map(({ name }) => `/${name}`);
  expect(dashboardFirstFiles()).toHaveLength(6);
  expect(names).toEqual(expect.arrayContaining([...dashboardFirstFiles()]));
});

test("every custom property of the design system's theme that the dashboard uses is defined", () => {
  const components = dirname(
    createRequire(join(import.meta.dirname, '../../dashboard/package.json')).resolve('@cloudscape-design/components/package.json'),
  );
  const theme = readFileSync(join(components, 'internal/base-theme/styles.scoped.css'), 'utf8');
  const definedIn = (text: string) => new Set([...text.matchAll(/(--[\w-]+)\s*:/g)].map(([, name = '']) => name));
  const built = files()
    .filter(({ name }) => /\.(js|css)$/.test(name))
    .map(({ content }) => content.toString())
    .join('\n');
  const used = [...built.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name);
  const defined = definedIn(built);
  const ofTheme = definedIn(theme);
  expect(used.filter((name) => ofTheme.has(name)).length).toBeGreaterThan(500);
  expect([...new Set(used)].filter((name) => ofTheme.has(name) && !defined.has(name))).toEqual([]);
});
