// Checks the pipelines: pinned actions, no stored credentials, and only existing commands.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STAGE_NAMES } from '../infra/stages.ts';
import { settingsPrefix } from '../platforms/aws/stage-name.ts';
import { settingNames } from './support/stage-settings.ts';

const ROOT = join(import.meta.dirname, '..');
const files = globSync('.github/workflows/*.yml', { cwd: ROOT });
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');

  test('pins each action to its commit, with its version in a comment', () => {
    const uses = [...text.matchAll(/uses: (\S+)(.*)/g)].filter(([, action]) => !action?.startsWith('./'));
    for (const [line, action, comment] of uses) {
      expect(action, line).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(comment, line).toMatch(/^ # v\d+\.\d+\.\d+$/);
    }
    expect(uses.length).toBeGreaterThan(3);
  });

  test('stores no credentials, and requests no more permissions than it needs', () => {
    expect(text).not.toMatch(/secrets\.|AWS_ACCESS_KEY|AWS_SECRET/);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(text).not.toMatch(/write-all|contents: write/);
  });

  test('runs only existing commands', () => {
    const commands = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name ?? '');
    expect(commands.length).toBeGreaterThan(0);
    for (const name of commands) expect(Object.keys(scripts)).toContain(name);
  });
});

test('tests staging before it deploys to production', () => {
  const text = readFileSync(join(ROOT, '.github/workflows/deploy.yml'), 'utf8');
  const order = ['needs: check', 'npm run deploy:staging', 'npm run test:e2e', 'needs: staging', 'npm run deploy:production'].map((part) =>
    text.indexOf(part),
  );
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test.each(STAGE_NAMES)('synthesizes a release of %s with every setting of the stage', (stage) => {
  const text = readFileSync(join(ROOT, '.github/workflows/deploy.yml'), 'utf8');
  // A setting missing from the workflow would be reset by the next release.
  for (const name of settingNames(stage)) {
    const variable = name.slice(settingsPrefix(stage).length);
    const source = variable === 'GITHUB_REPOSITORY' ? 'github.repository' : `vars.${variable}`;
    expect(text).toContain(`      ${name}: \${{ ${source} }}\n`);
  }
});
