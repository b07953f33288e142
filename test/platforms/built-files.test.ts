// The built files as they are served: with this installation's configuration, and compressed.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { dashboardPolicy } from '../../core/dashboard-policy.ts';
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

test('what the sign-in page prefetches is there: scripts of the frame and the lists, the style, and the font', () => {
  const names = files().map(({ name }) => `/${name}`);
  expect(dashboardFirstFiles()).toHaveLength(4);
  expect(names).toEqual(expect.arrayContaining([...dashboardFirstFiles()]));
  const [, typeface] = /url\((.*)\)/.exec(readFileSync('adapters/identity/pages.css', 'utf8')) ?? [];
  expect(dashboardFirstFiles()).toContain(typeface);
});

test('every custom property that the pages use is defined', () => {
  const built = files()
    .filter(({ name }) => name.endsWith('.css'))
    .map(({ content }) => content.toString())
    .join('\n');
  const namesOf = (pattern: RegExp) => new Set([...built.matchAll(pattern)].map(([, name = '']) => name));
  const defined = namesOf(/(--[\w-]+)\s*:/g);
  const used = namesOf(/var\((--[\w-]+)/g);
  expect(used.size).toBeGreaterThan(20);
  expect([...used].filter((name) => !defined.has(name))).toEqual([]);
});

test("the policy allows the start page's own style, and no other", () => {
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(textOf('index.html')) ?? [];
  expect(style).toContain('#first');
  expect(dashboardPolicy()).toContain(`style-src 'self' 'sha256-${hash('sha256', style, 'base64')}';`);
});
