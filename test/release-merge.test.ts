// Follows docs/aws/change.md in a clone with changes of its own: a release is merged, taken back, and merged again with the next one.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from './support/folders.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../docs/aws/change.md'), 'utf8');
const find = (pattern: RegExp) => pattern.exec(PAGE)?.[1] ?? expect.fail(`docs/aws/change.md has no ${pattern}`);
const ADD = find(/`(git remote add releases <address>)`/);
const UPGRADE = find(/<!-- upgrade -->\n```sh\n([^`]+)```/);
const BACK = find(/<!-- back -->\n```sh\n([^`]+)```/);

/** Runs commands in a folder, without a terminal or settings of its user. `npm` prints what it was called with, and the version that is there. */
function shellIn(folder: string) {
  const home = testFolder();
  writeFileSync(join(home, 'npm'), '#!/bin/sh\necho "npm $* at $(cat version)"\n', { mode: 0o755 });
  writeFileSync(join(home, '.gitconfig'), '[user]\nname = Someone\nemail = someone@example.com\n');
  const env = { PATH: `${home}${delimiter}${process.env.PATH}`, HOME: home };
  return (commands: string) =>
    execFileSync('bash', ['-e', '-c', commands], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
      .split('\n')
      .filter((line) => line.startsWith('npm '));
}

test.each(['cloned', 'forked'])('a repository that was %s takes a release, and gives it back', (kind) => {
  const [releases, own, clone] = [testFolder(), testFolder(), testFolder()];
  const release = (version: string) => {
    writeFileSync(join(releases, 'version'), version);
    writeFileSync(join(releases, `new-in-${version}`), '');
    shellIn(releases)(`git add . && git commit -qm "release ${version}" && git tag -a v${version} -m v${version}`);
  };
  shellIn(releases)('git init -q -b main');
  release('0.2.0');
  shellIn(own)(`git clone -q --bare "${releases}" .`);
  const run = shellIn(clone);
  const files = () =>
    readdirSync(clone)
      .filter((name) => name !== '.git')
      .toSorted();
  run(`git clone -q "${kind === 'forked' ? own : releases}" .`);
  run('echo mine > own-setting && git add . && git commit -qm "change a setting"');
  const before = files();

  release('0.3.0');
  run(ADD.replace('<address>', `"${releases}"`));
  const deployed = ['npm ci at 0.3.0', 'npm run deploy:staging at 0.3.0', 'npm run deploy:production at 0.3.0'];
  expect(run(UPGRADE)).toEqual(deployed);
  if (kind === 'forked') run('git push -q && git diff --exit-code origin/main');
  expect(files()).toEqual([...before, 'new-in-0.3.0'].toSorted());

  expect(run(BACK.replace('<commit>', 'HEAD'))).toEqual(['npm ci at 0.2.0', 'npm run deploy:production at 0.2.0']);
  expect(files()).toEqual(before);
  run(BACK.replace(' -m 1', '').replace('<commit>', "$(git log --format=%H --grep='change a setting' | tail -n 1)"));
  expect(files()).toEqual(before.filter((name) => name !== 'own-setting'));

  release('0.3.1');
  run('git revert --no-edit HEAD~1');
  run(UPGRADE.replace('v0.3.0', 'v0.3.1'));
  expect(files()).toEqual(['new-in-0.2.0', 'new-in-0.3.0', 'new-in-0.3.1', 'version']);
});
