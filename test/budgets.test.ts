// Sizes of the sources, the documents, the install and the bundles, by test/budgets.ts. What needs a browser or a packed package is compared there.

import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildFunctions } from '../functions/bundle/build.ts';
import { FUNCTION_NAMES } from '../functions/bundle/bundles.ts';
import { BESIDE, BUNDLES, CLIENT, INSTALL, NOT_USED, SOURCES, SPREAD_LITERALS, WORDS } from './budgets.ts';
import { makeFolder } from './support/folders.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const rooms = Object.keys(SOURCES.rooms) as (keyof typeof SOURCES.rooms)[];
const files = globSync(`{${rooms.join(',')}}/**/*.{ts,tsx,js}`, {
  cwd: ROOT,
  exclude: (name) => /(^|\/)(node_modules|dist|reports|bundles|generated\.ts|control-generated\.ts)$|^infra\/test$/.test(String(name)),
}).map((file) => ({ file, room: file.split('/')[0] ?? '', lines: read(file).split('\n').length - 1 }));

const medianOf = (some: typeof files) => some.map(({ lines }) => lines).toSorted((a, b) => a - b)[Math.floor(some.length / 2)];
const linesOf = (some: typeof files) => some.reduce((sum, { lines }) => sum + lines, 0);

describe('the sources', () => {
  test('are all found', () => {
    expect(files.length).toBeGreaterThan(500);
    expect([...new Set(files.map(({ room }) => room))].toSorted()).toEqual(rooms.toSorted());
  });

  test('are not more than they were', () => {
    expect(linesOf(files)).toBeLessThanOrEqual(SOURCES.lines);
    const grown = rooms.filter((room) => linesOf(files.filter((each) => each.room === room)) > SOURCES.rooms[room]);
    expect(grown, 'folders with more lines than in test/budgets.ts').toEqual([]);
  });

  test('are in files that are worth opening', () => {
    const sizes = files.map(({ lines }) => lines).toSorted((a, b) => a - b);
    expect(medianOf(files)).toBeGreaterThanOrEqual(SOURCES.medianFile);
    for (const room of rooms) expect(medianOf(files.filter((each) => each.room === room)), room).toBeGreaterThanOrEqual(SOURCES.medians[room]);
    expect(sizes.filter((lines) => lines <= 40).length / sizes.length).toBeLessThanOrEqual(SOURCES.smallFiles);
    expect(files.filter(({ lines }) => lines > SOURCES.longestFile).map(({ file }) => file)).toEqual([]);
  });

  test('have few arrows between folders', () => {
    const arrows = files.flatMap(({ file, room }) =>
      [...read(file).matchAll(/from '(\.[^']+)'/g)].flatMap(([, imported = '']) => {
        const target = relative(ROOT, resolve(ROOT, dirname(file), imported)).split('/')[0];
        return target === room ? [] : [`${room} → ${target}`];
      }),
    );
    expect(new Set(arrows).size).toBeLessThanOrEqual(SOURCES.arrows);
  });
});

test('objects are written plainly', () => {
  // Tables of samples in the contract suites are easier to compare with several properties on a line.
  const written = files
    .filter(({ room }) => room !== 'testing')
    .flatMap(
      ({ file }) =>
        read(file)
          .match(/\.\.\.\{/g)
          ?.map(() => file) ?? [],
    );
  expect(written.length, written.join('\n')).toBeLessThanOrEqual(SPREAD_LITERALS);
});

describe('the documents', () => {
  /** Without code. */
  const wordsOf = (file: string) =>
    read(file)
      .replace(/^```.*?^```/gms, '')
      .split(/\s+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

  /** Written from the code, as is all of docs/reference/ or held to it. */
  const GENERATED = ['docs/diagnoses.md', 'docs/domain-workflow.md'];
  const limits: Readonly<Record<string, number>> = WORDS.shorter;
  const all = globSync(['*.md', '{client,judge,postgres}/README.md', 'examples/*/README.md', 'docs/**/*.md'], { cwd: ROOT }).filter(
    (file) => !file.startsWith('docs/reference/') && !GENERATED.includes(file),
  );
  const pages = all.filter((file) => !file.startsWith('docs/decisions/'));

  test('can all be read in four hours', () => {
    expect(all.length).toBeGreaterThan(60);
    expect(all.reduce((sum, file) => sum + wordsOf(file), 0)).toBeLessThanOrEqual(WORDS.all);
  });

  test('can each be read in one go', () => {
    expect(pages.filter((file) => wordsOf(file) > (limits[file] ?? WORDS.page))).toEqual([]);
  });

  const decisions = globSync('docs/decisions/*.md', { cwd: ROOT });

  test('the decisions fit on a screen each', () => {
    const limitOf = (file: string) => (file.endsWith('-dependencies.md') ? WORDS.dependencies : WORDS.decision);
    expect(decisions.filter((file) => wordsOf(file) > limitOf(file))).toEqual([]);
  });

  test('the decisions are listed, and can be read in an hour', () => {
    const list = [...read('docs/decisions/README.md').matchAll(/^(\d+)\. \[.*\]\((\d{4})-(.*)\)$/gm)].map(
      ([, , number, name]) => `docs/decisions/${number}-${name}`,
    );
    expect(list.toSorted()).toEqual(decisions.filter((file) => !file.endsWith('README.md')).toSorted());
    expect(decisions.reduce((sum, file) => sum + wordsOf(file), 0)).toBeLessThanOrEqual(WORDS.decisions);
  });

  test('the README is short', () => {
    expect(wordsOf('README.md')).toBeLessThanOrEqual(WORDS.readme);
  });
});

test.each(Object.entries(BESIDE))('%s, beside the product, is no larger than it was', (_folder, { sources, lines }) => {
  const all = globSync(sources, { cwd: ROOT, exclude: (name) => /(^|\/)(node_modules|dist|test)$/.test(String(name)) });
  const total = all.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
  expect(total).toBeLessThanOrEqual(lines);
  // A pattern that finds nothing would limit nothing.
  expect(total).toBeGreaterThan(0.9 * lines);
});

describe('the words', () => {
  /** By the row of the table "Not used" in docs/glossary.md. `nobody` as a value of the API, or as a part of a name, does not count. */
  const PATTERNS: Readonly<Record<keyof typeof NOT_USED, RegExp>> = {
    told: /\b(told|tells?)\b/i,
    stands: /\bstands?\b(?!-| in\b)/i,
    goodKey: /\bgood key/i,
    head: /\bhead (of|\(of) (a|the) (CSV )?file/i,
    takenDown: /\b(take|takes|taking|taken|took|torn) down\b/i,
    looks: /\b(looked at|looks at|a look)\b/i,
    way: /\bway (of|\(of) (a|the) domain|\bdomain's way\b/i,
    whoever: /\b([Ww]hoever|[Ss]omebody)\b|(?<![.-])\b[Nn]obody\b(?!'(?!s\b)|[`:@-]|\.\w)/,
    soMany: /\bso (long|many)\b/i,
    byItself: /\bby itself\b/i,
  };
  const documents = globSync(['*.md', '{client,judge,postgres}/README.md', 'examples/*/README.md', 'docs/**/*.md'], { cwd: ROOT }).filter(
    (file) => file !== 'docs/glossary.md',
  );
  const others = globSync([BESIDE.postgres.sources, BESIDE.bench.sources, BESIDE.website.sources], {
    cwd: ROOT,
    exclude: (name) => String(name).endsWith('node_modules'),
  });
  // A released schema keeps its text, comments among it.
  const sources = files.map(({ file }) => file).filter((file) => file !== 'adapters/store/sqlite/schema-0.2.ts');
  const lines = [...sources, ...others, ...documents].flatMap((file) =>
    read(file)
      .split('\n')
      .map((text, index) => ({ text, at: `${file}:${index + 1}` })),
  );

  test('of the table "Not used" have a pattern each', () => {
    const [, table = ''] = read('docs/glossary.md').split('## Not used\n');
    const rows = [...table.matchAll(/^\| (?!not \||---)(.*?) \|/gm)].map(([, row = '']) => row);
    const patterns = rows.map((row) => Object.entries(PATTERNS).flatMap(([name, pattern]) => (pattern.test(row) ? [name] : [])));
    expect(patterns.flat().toSorted()).toEqual(Object.keys(PATTERNS).toSorted());
    expect(patterns.filter(({ length }) => length !== 1)).toEqual([]);
  });

  test.each(Object.entries(PATTERNS))('that the glossary advises against do not spread: %s', (name, pattern) => {
    const found = lines.filter(({ text }) => pattern.test(text)).map(({ at }) => at);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(NOT_USED[name as keyof typeof NOT_USED]);
  });
});

describe('an install of the repository', () => {
  test('has few packages', () => {
    const { packages } = JSON.parse(read('node_modules/.package-lock.json')) as { packages: object };
    expect(Object.keys(packages).length).toBeLessThanOrEqual(INSTALL.packages);
  });

  test('is small', () => {
    // A file counts once, however many names it has; folders with a dot hold caches.
    const bytes = new Map<number, number>();
    const visit = (folder: string) => {
      for (const entry of readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) visit(path);
        else if (entry.isFile()) {
          const { ino, blocks } = statSync(path);
          bytes.set(ino, blocks * 512);
        }
      }
    };
    for (const folder of ['node_modules', 'client/node_modules']) visit(join(ROOT, folder));
    const total = [...bytes.values()].reduce((sum, each) => sum + each, 0);
    expect(total / 2 ** 20).toBeGreaterThan(200);
    expect(total / 2 ** 20).toBeLessThanOrEqual(INSTALL.megabytes);
  });
});

describe('the bundle of', () => {
  const folder = makeFolder();
  beforeAll(() => buildFunctions(folder.path));
  afterAll(folder.remove);

  test.each(FUNCTION_NAMES)('%s is not larger than it was', (name) => {
    const bundle = readFileSync(join(folder.path, name, 'index.mjs'));
    expect(bundle.byteLength).toBeLessThanOrEqual(BUNDLES[name]);
    // It loads undici: functions/bundle/http.cjs.
    expect(bundle.toString()).not.toMatch(/(from|import\()\s*"(node:)?http"/);
  });
});

test.each(['client', 'control'] as const)("the client's entry %s is not larger than it was", async (name) => {
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [join(ROOT, `client/${name}.ts`)] });
  expect(gzipSync(outputFiles[0]?.contents ?? '').byteLength).toBeLessThanOrEqual(CLIENT[name]);
});
