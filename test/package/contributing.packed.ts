// The worked examples of docs/worked-examples/, followed word by word in a copy of the working tree: their diffs, and then their commands.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { applyExample, workedExamples } from '../support/worked-examples.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');

const INSTALLED = globSync('{.,client,infra,bench,judge,postgres,examples/*,test/*}/node_modules', { cwd: ROOT });
const BUILT = ['dashboard/dist', 'reference/dist'];

/** Not in git: `npm ci` and `npm run generate` write them. */
const GENERATED = globSync('client/*generated.ts', { cwd: ROOT });

/** Copies what git would commit. What is installed is linked, except for the packages of this repository, which are the copy's. */
function copyOfTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-contributing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of [...listed.split('\0'), ...GENERATED].filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    // The scripts compare times with those of installed packages.
    cpSync(join(ROOT, file), join(folder, file), { preserveTimestamps: true });
  }
  for (const name of BUILT.filter((each) => existsSync(join(ROOT, each)))) link(join(ROOT, name), join(folder, name));
  // One by one, so that an installation in the copy leaves the others alone.
  for (const packages of INSTALLED) {
    for (const entry of readdirSync(join(ROOT, packages), { withFileTypes: true })) {
      const installed = join(ROOT, packages, entry.name);
      link(entry.isSymbolicLink() ? readlinkSync(installed) : installed, join(folder, packages, entry.name));
    }
  }
  return folder;
}

function link(target: string, name: string): void {
  mkdirSync(dirname(name), { recursive: true });
  symlinkSync(target, name);
}

test('there is an example of each change that is made often', () => {
  const titles = workedExamples(ROOT).map(({ title }) => title);
  expect(titles).toEqual(['field', 'plan', 'adapter', 'operation', 'metric', 'alarm'].map((what) => expect.stringMatching(`^A new ${what}$`)));
});

/** Joins commands that run whole test files: each file once. */
function merged(commands: readonly string[]): readonly string[] {
  const isOfFiles = (command: string) => /^(npm test|npm run test:all) -- /.test(command) && !command.includes(' -t ');
  const others = commands.filter((command) => !isOfFiles(command));
  const runs = ['npm test', 'npm run test:all'].map((runner) => {
    const ofFiles = commands.filter((command) => isOfFiles(command) && command.startsWith(`${runner} -- `));
    const names = ofFiles.flatMap((command) => command.slice(runner.length + 4).split(' '));
    return `${runner} -- ${[...new Set(names)].join(' ')}`;
  });
  return [...new Set(others), ...runs];
}

const examples = workedExamples(ROOT);
/** All of them in one copy; with EXAMPLES=each, each in its own. */
const followed =
  process.env.EXAMPLES === 'each' ? examples.map((example) => ({ title: example.title, of: [example] })) : [{ title: 'all', of: examples }];

test.each(followed)('$title can be followed to the letter', { timeout: 900_000 }, async ({ of }) => {
  const folder = copyOfTree();
  for (const example of of) {
    expect(example.commands.length).toBeGreaterThan(1);
    expect([example.title, applyExample(folder, example)]).toEqual([example.title, '']);
  }
  const changed = of.flatMap(({ diff }) => [...diff.matchAll(/^\+\+\+ b\/(\S+\.tsx?)$/gm)].map(([, name = '']) => name));
  await run('npx', ['biome', 'check', '--error-on-warnings', ...new Set(changed)], folder);
  for (const command of merged(of.flatMap(({ commands }) => commands))) await run('sh', ['-c', command], folder);
});
