// `npm run synth` generates every stack, and docs/reference/stage-settings.md lists the stacks that each setting adds.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const ROOT = join(import.meta.dirname, '../..');

function run(script: string, ...args: readonly string[]) {
  // Run without the test runner's environment variables: if the CDK detects a test, it throws instead.
  const { NODE_ENV, VITEST, ...env } = process.env;
  const command = ['run', '-s', script, '--', ...args];
  return spawnSync('npm', command, { cwd: ROOT, env: { ...env, CDK_DISABLE_CLI_TELEMETRY: 'true' }, encoding: 'utf8' });
}

const stacksOf = (environment: Record<string, string>, name: string) =>
  makeStages(makeApp(testFolder()), environment, [name]).flatMap(({ node }) => node.children.filter(Stack.isStack).map((stack) => stack.node.id));

test('npm run synth generates every stack of both stages', () => {
  const folder = testFolder();
  const { status, stderr } = run('synth', '--output', folder);
  expect(stderr).toContain('not for a deployment');
  expect(status).toBe(0);
  const generated = globSync('assembly-*/*.template.json', { cwd: folder }).length;
  expect(generated).toBe(2 * stacksOf(everySetting(), 'staging').length);
});

describe('samples of settings', () => {
  test('are refused for a deployment', () => {
    const { status, stderr } = run('cdk', 'list', '--output', testFolder(), '--context', 'sample-settings=true', '--context', 'need-account=true');
    expect(stderr).toContain('sample-settings: got true with need-account=true');
    expect(status).not.toBe(0);
  });

  test('are in no command that deploys', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['deploy:staging']).toBe('npm run -s deploy -- --stage staging');
    const deploying = readFileSync(join(ROOT, 'infra/commands/deploy.ts'), 'utf8');
    expect(deploying).toContain("'need-account=true'");
    expect(deploying).not.toContain('sample-settings');
  });
});

describe('docs/reference/stage-settings.md', () => {
  const rows = readFileSync(join(ROOT, 'docs/reference/stage-settings.md'), 'utf8')
    .split('## Stacks of a stage')[1]
    ?.split('##')[0]
    ?.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (?:`<STAGE>_(\w+)`)? ?\|/gm)
    .map(([, stacks = '', setting]) => ({ stacks: stacks.replaceAll('`', '').split(', '), setting }))
    .toArray();

  test.each(THREE_STAGES)('lists the stacks of %s with the setting that adds them', (name) => {
    const prefix = `${name.toUpperCase().replaceAll('-', '_')}_`;
    const all = everySetting([name]);
    const always = stacksOf({}, name);
    const added = (setting: string) => stacksOf({ [prefix + setting]: all[prefix + setting] ?? '' }, name).filter((id) => !always.includes(id));
    expect(rows?.length).toBe(3);
    for (const { stacks, setting } of rows ?? []) expect(setting === undefined ? always : added(setting)).toEqual(stacks);
    expect(rows?.flatMap(({ stacks }) => stacks).sort()).toEqual(stacksOf(all, name).sort());
  });
});
