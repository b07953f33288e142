// The operator's role: who may assume it, which stacks need it, and that test/deploy runs every command that works on a stage, so that the role's
// policies are applied to each call.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import type { CommandContext } from '../../cli/context.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { emptySettings, everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { operatorRoleName } from '../stacks/operator.ts';
import { ACCOUNT, deployedStage } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const ROOT = join(import.meta.dirname, '../..');
const sourceOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const folder = makeFolder();
afterAll(() => folder.remove());

describe.each([
  ['every setting on', everySetting(THREE_STAGES)],
  ['every setting empty', emptySettings(THREE_STAGES)],
])('with %s', (_name, settings) => {
  const app = makeApp(folder.path);
  const stages = makeStages(app, settings, THREE_STAGES);

  test.each(stages.map((stage) => [stage.stageName, stage] as const))('%s: only its account may assume the role, for an hour', (name, stage) => {
    const roles = deployedStage(stage).resources('AWS::IAM::Role');
    expect(roles.filter(({ stack }) => stack === `${name}-Operator`).map(({ properties }) => properties)).toMatchObject([
      {
        RoleName: operatorRoleName(name),
        MaxSessionDuration: 3_600,
        AssumeRolePolicyDocument: {
          Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` } }],
        },
      },
    ]);
  });

  test.each(stages.map((stage) => [stage.stageName, stage] as const))(
    '%s: the role comes after the resources that it uses, and no other stack needs it',
    (_stage, stage) => {
      // The CDK resolves references between stacks, and with them the dependencies, when it synthesizes.
      app.synth();
      const dependenciesOf = (stack: Stack) => stack.dependencies.map(({ node }) => node.id);
      const { operator, data, edge, domains, dashboard } = stage;
      const used = [data, edge, domains, dashboard].flatMap((each) => (each === undefined ? [] : [each.node.id]));
      expect(dependenciesOf(operator).sort()).toEqual(used.sort());
      for (const each of stage.node.children.filter(Stack.isStack)) expect(dependenciesOf(each)).not.toContain(operator.node.id);
    },
  );
});

describe('test/deploy runs every command that works on a stage', async () => {
  // The cost is computed from AWS's prices, emails are previewed, and commands are described, without a stage; sign-in is for a dashboard's address.
  const others = Object.entries(COMMANDS).flatMap(([name, load]) => {
    const [file = ''] = /commands\/[\w-]+\.ts/.exec(String(load)) ?? [];
    const needsFolder = /context\.(withFolder|settings\()|installationOf\(/.test(sourceOf(`cli/${file}`));
    return needsFolder || ['completion', 'cost', 'mails', 'man'].includes(name) ? [name] : [];
  });
  const onStage = Object.entries(COMMANDS).filter(([name]) => !others.includes(name));
  const program = new Command();
  for (const [, load] of onStage) (await load())(program, {} as CommandContext);
  const commands = program.commands.flatMap((command) =>
    command.commands.length === 0 ? [[command.name()]] : command.commands.map((each) => [command.name(), each.name()]),
  );
  const suites = ['test/e2e/api.test.ts', 'test/e2e/target.ts', ...globSync('test/deploy/*.deployed.ts', { cwd: ROOT })].map(sourceOf);

  test('there are such commands', () => {
    expect(commands.length).toBeGreaterThan(25);
  });

  test.each(commands)('%s %s', (...words) => {
    const call = `'${words.join("', '")}'`;
    expect(suites.some((source) => source.includes(call))).toBe(true);
  });
});
