// Fails if the documentation differs from the code.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../adapters/store/sqlite/migrations.ts';
import { GENERATED, generateTypes } from '../client/generate.ts';
import { TABLES, withTable } from '../docs/generate.ts';
import { PORT_METHODS } from '../platforms/adapters.ts';
import { parseSettings } from '../platforms/embedded/settings.ts';
import { OPERATIONS } from '../service/catalogue/operations.ts';
import { ASVS_LEVEL_2 } from './support/asvs.ts';
import { applyExample, workedExamples } from './support/worked-examples.ts';

const ROOT = join(import.meta.dirname, '..');
/** The package in each folder, including those that are not part of the root install. */
const FOLDERS = [
  '.',
  'client',
  'dashboard',
  'reference',
  'infra',
  'bench',
  'judge',
  'test/deploy',
  'test/documents',
  'test/dynamodb-local',
  'test/package',
  'examples/cloudflare-dns',
  'postgres',
];
const PACKAGES = FOLDERS.map((folder) => join(folder, 'package.json'));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'client/README.md',
  'judge/README.md',
  'postgres/README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];

describe('SECURITY.md', () => {
  const text = read('SECURITY.md');
  const levelTwo = Object.entries(ASVS_LEVEL_2).flatMap(([section, numbers]) => numbers.split(' ').map((number) => `${section}.${number}`));
  const [table = '', exceptions = ''] = (text.split('## OWASP ASVS')[1]?.split('### Keys and algorithms')[0] ?? '').split('**Exceptions**');
  /** The requirements that a text names, alone or as ranges. */
  const namedIn = (part: string) =>
    [...part.matchAll(/(\d+\.\d+\.\d+)(?:–(\d+\.\d+\.\d+))?/g)].flatMap(([, first = '', last = first]) => {
      const [from, to] = [levelTwo.indexOf(first), levelTwo.indexOf(last)];
      if (from < 0 || to < from) throw new Error(`${first}–${last}: no requirements of level 2`);
      return levelTwo.slice(from, to + 1);
    });

  test('names every requirement of level 2, once or as an exception', () => {
    const met = namedIn(table);
    expect(met.filter((each, at) => met.indexOf(each) !== at)).toEqual([]);
    expect(levelTwo.filter((each) => ![...met, ...namedIn(exceptions)].includes(each))).toEqual([]);
  });

  test('names tests that exist', () => {
    const files = [...table.matchAll(/`((?:test|testing|infra)\/[^`]+)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

describe('documentation', () => {
  test('docs/api.md describes every operation', () => {
    for (const { method, path } of OPERATIONS) expect(read('docs/api.md')).toContain(`${method} ${path}`);
  });

  test('docs/reference/settings.md lists every setting, and no others', () => {
    const listed = [...read('docs/reference/settings.md').matchAll(/^\| `(PETSTORE_\w+)` +\|/gm)].map(([, name]) => name);
    const unknown = parseSettings({ PETSTORE_UNKNOWN: '1' });
    const known = unknown.ok ? [] : (/allowed: (.*)$/.exec(unknown.problems[0] ?? '')?.[1]?.split(', ') ?? []);
    expect(listed).toEqual(known);
  });

  test('docs/reference/retention.md says of every table of the database how long its rows are kept, and of no others', () => {
    const rows = read('docs/reference/retention.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (data|---) /.test(line));
    const listed = rows.flatMap((row) => [...(row.split(' | ')[1] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, name]) => String(name)));
    const database = new DatabaseSync(':memory:');
    for (const migration of MIGRATIONS) database.exec(migration);
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
    expect([...new Set(listed)].sort()).toEqual(tables.map(({ name }) => name).sort());
    for (const row of rows) expect(row.split(' | ')).toHaveLength(5);
  });

  test('docs/adapters.md lists every port of a configuration with all of its suites', () => {
    const rows = [...read('docs/adapters.md').matchAll(/^\| `(\w+)` \| `(\w+)` \| (.*?) \|/gm)];
    expect(rows.map(([, port]) => port)).toEqual(Object.keys(PORT_METHODS));
    const interfaces = new Map([...read('platforms/adapters.ts').matchAll(/^ {2}readonly (\w+): (\w+);/gm)].map(([, port, name]) => [port, name]));
    const suites = read('package/testing.ts');
    for (const [, port = '', name = '', list = ''] of rows) {
      expect(name, port).toBe(interfaces.get(port));
      const named = [...list.matchAll(/`(\w+)`/g)].map(([, suite]) => suite);
      for (const suite of named) expect(suites, port).toMatch(new RegExp(`\\b${suite}\\b`));
      expect(named, port).toContain(`${name.charAt(0).toLowerCase()}${name.slice(1)}Contract`);
      // What reaches other systems has refusals of its own.
      expect(named.includes('storeFaultContract'), port).toBe(!['recordPublisher', 'mailer'].includes(port));
    }
  });

  test('commands in documents exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const file of DOCUMENTS) {
      for (const [command, name] of read(file).matchAll(/npm run (?:-s )?([\w:]+)/g))
        expect(Object.keys(scripts), `${file}: ${command}`).toContain(name);
    }
  });

  test("the package's README names what the package exports, and files that are there", () => {
    const text = read('package/README.md');
    const { exports, name } = JSON.parse(read('package.json')) as { exports: Record<string, unknown>; name: string };
    const paths = Object.keys(exports).filter((path) => !path.endsWith('.json'));
    expect([...text.matchAll(/^\| `(.*?)` \|/gm)].map(([, path]) => path).toSorted()).toEqual(
      paths.map((path) => path.replace('.', name)).toSorted(),
    );
    const links = [...text.matchAll(/\]\((.*?)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(existsSync(join(ROOT, link.replace('REPOSITORY/blob/main/', ''))), link).toBe(true);
  });

  // Goes with the sentence when the packages are published.
  test('every text that installs or starts a package says that it is not published yet', () => {
    const files = globSync(
      ['{README,CONTRIBUTING,SECURITY}.md', '{docs,client,dashboard/src,reference/src,service,examples,postgres}/**/*.{md,ts,tsx}'],
      {
        cwd: ROOT,
        exclude: (name) => String(name).includes('node_modules'),
      },
    );
    const installed = files.flatMap((file) => {
      const names = [...read(file).matchAll(/npm (?:install|i) (petstore-\w+)|npx (petstore)\b/g)].map(([, name]) => name ?? 'petstore-platform');
      return [...new Set(names)].map((name) => ({ file, name }));
    });
    expect(installed.length).toBeGreaterThanOrEqual(10);
    const silent = installed.filter(
      ({ file, name }) => !new RegExp(`${name}\`? is not published yet; for now, (in the third command, )?install`).test(read(file)),
    );
    expect(silent).toEqual([]);
  });

  test.each(GENERATED)('$file has the types generated from its OpenAPI document', async (each) => {
    expect(readFileSync(each.file, 'utf8')).toBe(await generateTypes(each));
  });

  test.each(TABLES)('$file has the table $name as generated from the code', (each) => {
    const text = readFileSync(each.file, 'utf8');
    expect(text).toBe(withTable(text, each));
  });

  test('every dependency has a documented reason', () => {
    const reasons = read('docs/decisions/0006-dependencies.md');
    for (const file of PACKAGES) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file)) as Record<string, Record<string, string>>;
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        expect(reasons, name).toContain(`\`${name}\``);
        expect(version, `${name} is pinned`).toMatch(/^\d+\.\d+\.\d+$/);
      }
    }
  });

  test.each(workedExamples(ROOT))('$title: its diffs apply (and npm run test:package -- contributing follows them)', (example) => {
    const problem = applyExample(ROOT, example, '--check');
    // Those who try an example have it applied.
    if (problem !== '' && applyExample(ROOT, example, '--check', '--reverse') !== '') throw new Error(problem);
  });

  test('links between documents resolve', () => {
    for (const file of DOCUMENTS) {
      for (const [, target = ''] of read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        expect(globSync(join(ROOT, file, '..', target)), `${file} links to ${target}`).toHaveLength(1);
      }
    }
  });

  test('docs/README.md lists every page', () => {
    const pages = globSync('docs/{,server/,aws/,reference/}*.md', { cwd: ROOT }).filter((file) => file !== 'docs/README.md');
    const list = read('docs/README.md');
    expect(pages.filter((file) => !list.includes(`](${relative('docs', file)})`))).toEqual([]);
  });

  test('links to sections lead to headings', () => {
    const withoutCode = (file: string) => read(file).replace(/^ *(`{3,}).*?^ *\1$/gms, '');
    // As GitHub makes them.
    const anchorsOf = (file: string) =>
      [...withoutCode(file).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .replace(/\[(.*?)\]\(.*?\)/g, '$1')
          .toLowerCase()
          .replace(/[^\p{L}\p{N}_\- ]/gu, '')
          .replaceAll(' ', '-'),
      );
    const broken = DOCUMENTS.flatMap((file) =>
      [...withoutCode(file).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, target = '', anchor = '']) => !anchorsOf(target === '' ? file : join(file, '..', target)).includes(anchor))
        .map(([, target, anchor]) => `${file}: ${target}#${anchor}`),
    );
    expect(broken).toEqual([]);
  });

  test('docs/problems.md has messages that the code has', () => {
    /** Those of npm, Node, systemd and AWS. */
    const others = /^(npm |ERR_MODULE|petstore\.service:|\{"message"|ROLLBACK|EADDRINUSE)/;
    const files = globSync('{core,service,cli,platforms,adapters,local,infra}/**/*.ts', {
      cwd: ROOT,
      exclude: (name) => /node_modules|infra\/test/.test(String(name)),
    });
    const code = files.map(read).join('\n').replaceAll("\\'", "'");
    const rows = [...read('docs/problems.md').matchAll(/^\| (.*?) \|/gm)].map(([, message = '']) => message);
    const messages = rows.flatMap((row) => [...row.matchAll(/`(.*?)`/g)].map(([, message = '']) => message)).filter((each) => !others.test(each));
    expect(messages.length).toBeGreaterThanOrEqual(50);
    const parts = messages.flatMap((message) => message.split('…').map((part) => part.replace(/^[;: ]+|[;: ]+$/g, '')));
    expect(parts.filter((part) => part.length > 7 && !code.includes(part))).toEqual([]);
  });

  test('every exported function, and every method of a port, has its own doc comment', () => {
    const files = globSync('{core,service,adapters,platforms,functions,local,cli,client,infra,reference,testing,dashboard/src}/**/*.{ts,tsx}', {
      cwd: ROOT,
      exclude: (name) => /(^|\/)(node_modules|infra\/test)(\/|$)/.test(String(name)),
    });
    const without = files.flatMap((file) => {
      const lines = read(file)
        .split('\n')
        .filter((line) => !line.trim().startsWith('// biome-ignore'));
      const isPort = file.endsWith('ports.ts');
      return lines.flatMap((line, index) => {
        const [, name] =
          /^export (?:default )?(?:async )?(?:function\*?|class) (\w+)/.exec(line) ??
          /^export const (\w+) = (?:async )?(?:<[^>]*>)?\(.*=>/.exec(line) ??
          (isPort ? /^ {2}(?!readonly)(\w+)\??[(<]/.exec(line) : null) ??
          [];
        return name === undefined || lines[index - 1]?.endsWith('*/') ? [] : [`${file}: ${name}`];
      });
    });
    expect(without).toEqual([]);
  });

  test('doc comments of what the package exports name no file of the repository', () => {
    const entries = globSync('package/{*,adapters/*}.ts', { cwd: ROOT, exclude: ['package/build.ts'] });
    const sources = new Set(
      entries.flatMap((entry) => [...read(entry).matchAll(/from '([^']+)'/g)].map(([, from = '']) => relative(ROOT, join(ROOT, entry, '..', from)))),
    );
    expect(sources.size).toBeGreaterThan(90);
    const named = [...sources].flatMap((file) =>
      [...read(file).matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(([comment]) =>
        (comment.match(/[\w/.-]+\.ts\b/g) ?? []).filter((name) => name !== 'petstore.config.ts').map((name) => `${file}: ${name}`),
      ),
    );
    expect(named).toEqual([]);
  });

  test('every file that a comment or a document names without its folder exists', () => {
    // Those of readers, and what is not in git.
    const elsewhere = ['petstore.config.ts', 'generated.ts', 'control-generated.ts', 'counter.ts', 'counter.test.ts', 'documented.ts'];
    const own = new Set(
      globSync('**/*.{ts,tsx}', { cwd: ROOT, exclude: (name) => /(^|\/)(node_modules|dist)$/.test(String(name)) }).map((file) => basename(file)),
    );
    const texts = globSync(
      '{README,CONTRIBUTING}.md {docs,core,service,adapters,platforms,functions,local,cli,client,dashboard/src,bench,infra,testing}/**/*.{ts,tsx,md}'.split(
        ' ',
      ),
      {
        cwd: ROOT,
        exclude: (name) => /(^|\/)node_modules$/.test(String(name)),
      },
    );
    const missing = texts.flatMap((file) => {
      const text = file.endsWith('.md') ? read(file) : (read(file).match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? []).join('\n');
      const names = [...text.matchAll(/(?<![\w./*{}-])([a-z][a-z0-9-]*(?:\.test)?\.tsx?)\b/g)].map(([, name = '']) => name);
      return names.filter((name) => !own.has(name) && !elsewhere.includes(name)).map((name) => `${file}: ${name}`);
    });
    expect(texts.length).toBeGreaterThan(500);
    expect(missing).toEqual([]);
  });

  test('every document named in a comment exists', () => {
    for (const file of globSync('{core,service,adapters,platforms,functions,local,cli,client,bench,infra,testing}/**/*.ts', {
      cwd: ROOT,
      exclude: (name) => String(name).includes('node_modules'),
    })) {
      for (const [target] of read(file).matchAll(/docs\/[\w/-]+\.md/g))
        expect(globSync(join(ROOT, target)), `${file} names ${target}`).toHaveLength(1);
    }
  });
});
