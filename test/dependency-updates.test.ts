// Updates and advisories cover everything that is locked: renovate.json, and the workflow that asks the registry.

import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { testFolder } from './support/folders.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const isInstalled = (name: string) => /^(node_modules|dist|\..*|cdk\.out)$/.test(name);
const filesNamed = (name: string) => globSync(`**/${name}`, { cwd: ROOT, exclude: (path) => isInstalled(path.split('/').at(-1) ?? '') }).toSorted();
const lockFiles = filesNamed('package-lock.json');

interface Rule {
  readonly matchFileNames?: readonly string[];
  readonly matchPackageNames?: readonly string[];
  readonly matchDepTypes?: readonly string[];
  readonly enabled?: boolean;
  readonly allowedVersions?: string;
}

const renovate = JSON.parse(read('renovate.json')) as { extends: string[]; ignorePaths: string[]; packageRules: Rule[] };

test('Renovate updates every lock file, the other pinned files, the actions and the image', () => {
  // Its defaults leave out `test` and `examples`.
  const pinned = [
    ...lockFiles,
    ...filesNamed('requirements.txt'),
    ...filesNamed('go.mod'),
    ...filesNamed('pom.xml'),
    'Containerfile',
    'several-hosts/compose.yaml',
  ];
  expect(pinned).toEqual(expect.arrayContaining(['package-lock.json', 'postgres/package-lock.json', 'test/deploy/requirements.txt']));
  expect(lockFiles.length).toBeGreaterThan(7);
  expect(pinned.filter((file) => renovate.ignorePaths.some((glob) => matchesGlob(file, glob)))).toEqual([]);
  expect(renovate.extends).toEqual(expect.arrayContaining(['docker:pinDigests', 'helpers:pinGitHubActionDigestsToSemver']));
  expect(Object.keys(renovate)).not.toContain('enabledManagers');
  // What is left out is left out by name or kind, never a whole folder.
  for (const rule of renovate.packageRules.filter(({ enabled }) => enabled === false))
    expect(rule.matchPackageNames ?? rule.matchDepTypes).toBeDefined();
});

test('versions that Renovate must not exceed are used', () => {
  for (const { matchPackageNames = [], matchFileNames = filesNamed('package.json'), allowedVersions } of renovate.packageRules) {
    if (allowedVersions === undefined) continue;
    const below = Number(/^<(\d+)$/.exec(allowedVersions)?.[1]);
    // Not the image, and not the action.
    for (const name of matchPackageNames.filter((each) => /^(@|[^/]+$)/.test(each))) {
      const versions = matchFileNames.flatMap((file) => new RegExp(`"${name}": "(\\d+)\\.`).exec(read(file))?.[1] ?? []);
      expect(versions.length, name).toBeGreaterThan(0);
      expect([...new Set(versions)], name).toEqual([String(below - 1)]);
    }
  }
});

test('advisories are looked up for every lock file, whatever the result of one, and nothing waits for it', () => {
  const file = '.github/workflows/advisories.yml';
  const workflow = parse(read(file)) as { on: object; jobs: { npm: { steps: { run?: string }[] } } };
  expect(Object.keys(workflow.on)).toEqual(['schedule', 'workflow_dispatch']);
  for (const other of globSync('.github/workflows/*.yml', { cwd: ROOT }).filter((each) => each !== file))
    expect(read(other)).not.toContain('advisories');
  const script = workflow.jobs.npm.steps.findLast(({ run }) => run !== undefined)?.run ?? '';
  const run = (vulnerable: string) => {
    const [repository, programs] = [testFolder(), testFolder()];
    for (const lock of [...lockFiles, 'node_modules/other/package-lock.json']) {
      mkdirSync(join(repository, dirname(lock)), { recursive: true });
      writeFileSync(join(repository, lock), '{}');
    }
    writeFileSync(join(repository, '.gitignore'), 'node_modules/');
    for (const command of [
      ['init', '--quiet'],
      ['add', '.'],
    ])
      execFileSync('git', command, { cwd: repository });
    const npm = `#!/bin/sh\necho "$*" >> "${programs}/audited"; case "$*" in *"--prefix ${vulnerable}") exit 1 ;; esac\n`;
    writeFileSync(join(programs, 'npm'), npm, { mode: 0o755 });
    const { status } = spawnSync('bash', ['-e', '-c', script], { cwd: repository, env: { PATH: `${programs}${delimiter}${process.env.PATH}` } });
    return {
      status,
      audited: readFileSync(join(programs, 'audited'), 'utf8')
        .match(/(?<=--prefix ).*/g)
        ?.toSorted(),
    };
  };
  const folders = lockFiles.map(dirname).toSorted();
  expect(run('none')).toEqual({ status: 0, audited: folders });
  expect(run(folders[0] ?? '')).toEqual({ status: 1, audited: folders });
});
