// The commands of infra/commands, as their users run them, up to the point at which they would change something.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collect } from '../../test/support/children.ts';
import { testFolder } from '../../test/support/folders.ts';
import { startAwsAnswers } from './support/aws-answers.ts';

const ROOT = join(import.meta.dirname, '../..');
const ACCOUNT = '123456789012';
const REGION = 'eu-central-1';
const DEV = { DEV_7_ACCOUNT: ACCOUNT, DEV_7_REGION: REGION };

async function run(command: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env.PATH, HOME: testFolder(), AWS_EC2_METADATA_DISABLED: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true', ...environment };
  const child = spawn(process.execPath, [join(ROOT, `infra/commands/${command}.ts`), ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  return { code: code as number | null, stdout: stdout(), stderr: stderr() };
}

/** Runs a command in an account with this stage. @param parameters values by name below `/petstore/<stage>/`; undefined if they may not be read */
async function runWith(
  stage: string,
  parameters: Readonly<Record<string, string>> | undefined,
  command: string,
  args: readonly string[],
  environment = {},
) {
  const named = parameters && Object.fromEntries(Object.entries(parameters).map(([name, value]) => [`/petstore/${stage}/${name}`, value]));
  const aws = await startAwsAnswers(named, REGION, ACCOUNT);
  onTestFinished(() => aws.close());
  return run(command, args, { ...aws.environment, ...environment });
}

const TABLES = {
  'tables/pets': 'petstore-dev-7-pets',
  'tables/usage': 'petstore-dev-7-usage',
  'tables/control': 'petstore-dev-7-control',
  'tables/key-mode': 'test',
};
/** The parameters of a deployed stage. */
const stageWith = (settings: Readonly<Record<string, string>> = {}) => {
  const record = { ACCOUNT, REGION, HOME: REGION, PROFILE: 'staging', TABLE_PREFIX: 'petstore-dev-7', ...settings };
  return { ...TABLES, 'deployment/settings': JSON.stringify(record) };
};

/** Those whose output is for scripts: npm's own lines are in the way. */
const QUIET = ['move-name'];

describe.each(['deploy', 'destroy', 'move-name'])('npm run %s', (command) => {
  test.each(['--help', '-h'])('prints its usage with %s', async (option) => {
    const { code, stdout, stderr } = await run(command, [option]);
    expect([code, stderr]).toEqual([0, '']);
    const script = command === 'move-name' ? 'move:name' : command;
    expect(stdout).toContain(`npm run ${QUIET.includes(command) ? '-s ' : ''}${script}`);
  });

  test('refuses an unknown option, with its usage', async () => {
    const { code, stderr } = await run(command, ['--stag', 'staging'], { AWS_REGION: REGION });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Unknown option '--stag'(.|\n)*\n\n.*npm run /)]);
  });
});

test.each(['deploy', 'destroy', 'move-name'])('npm run %s needs a stage', async (command) => {
  const { code, stderr } = await run(command, []);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^--stage: missing\n/)]);
});

test('a name is moved with a certificate that CloudFront takes', async () => {
  const args = (certificate: string) => ['--stage', 'dev-7', '--name', 'www.shop.dev', '--certificate', certificate];
  const elsewhere = `arn:aws:acm:eu-central-1:${ACCOUNT}:certificate/1`;
  expect((await run('move-name', args(elsewhere))).stderr).toMatch(/^--certificate: got "arn.*"; allowed: the ARN of a certificate in us-east-1\n/);
  const { code, stderr } = await runWith('dev-7', TABLES, 'move-name', args(elsewhere.replace(REGION, 'us-east-1')), { AWS_REGION: REGION });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^--stage dev-7: no SSM parameters of its distribution; first deploy the stage/)]);
});

test('templates that are not there are refused', async () => {
  const message = `--assembly: got "nope"; allowed: output of npm run cdk -- synth with the stage dev-7\n`;
  expect(await run('deploy', ['--stage', 'dev-7', '--assembly', 'nope'])).toEqual({ code: 2, stdout: '', stderr: message });
});

test('settings that are no JSON object are refused', async () => {
  const { code, stderr } = await run('deploy', ['--stage', 'dev-7'], { ...DEV, STAGE_SETTINGS: 'abc' });
  expect([code, stderr]).toEqual([2, 'invalid configuration:\n  STAGE_SETTINGS: got "abc"; allowed: a JSON object with strings\n']);
});

describe('without credentials', () => {
  test('deploy says so before it synthesizes', async () => {
    const { code, stderr } = await run('deploy', ['--stage', 'dev-7'], DEV);
    const message = /^dev-7: can't read the settings of the deployed stage in eu-central-1: Could not load credentials.*; check AWS credentials\n$/;
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});

describe('deploy', () => {
  test('refuses a deployment that lacks a setting of the deployed stage', async () => {
    const { code, stdout, stderr } = await runWith('dev-7', stageWith({ ALARM_EMAIL: 'ops@example.com' }), 'deploy', ['--stage', 'dev-7'], DEV);
    expect(stderr).toContain('dev-7 is not deployed:\n  DEV_7_ALARM_EMAIL: missing;');
    expect(code).toBe(2);
    // The CDK's advice for those who run `cdk synth` themselves.
    expect(stdout + stderr).not.toContain('Supply a stack id');
  });

  test('refuses a first deployment to a region without a bootstrap, before it changes anything', async () => {
    const { code, stderr } = await runWith('dev-7', {}, 'deploy', ['--stage', 'dev-7'], DEV);
    expect(stderr).toContain(
      'dev-7 is not deployed:\n  cdk bootstrap in eu-central-1: got none; needed: version 6 or newer; run npm run cdk -- bootstrap ',
    );
    expect(code).toBe(2);
  });

  test('refuses to remove a setting with the first deployment', async () => {
    const { code, stderr } = await runWith('dev-7', {}, 'deploy', ['--stage', 'dev-7', '--unset', 'ALARM_EMAIL'], DEV);
    expect(stderr).toContain('--unset: got "ALARM_EMAIL"; allowed: only for a stage that is deployed in eu-central-1\n');
    expect(code).toBe(2);
  });
});

test('a stage of a release before 0.2.0, which recorded no settings, is refused', async () => {
  for (const command of ['deploy', 'destroy']) {
    const { code, stderr } = await runWith('dev-7', TABLES, command, ['--stage', 'dev-7'], { AWS_REGION: REGION, ...DEV });
    expect(stderr).toMatch(/^dev-7: the stage in eu-central-1 .* predates 0\.2\.0; supported: 0\.2\.0 and later; deploy release 0\.2\.0 first\n$/);
    expect(code).toBe(1);
  }
});

describe('destroy', () => {
  test('needs no settings: the stage has recorded them', async () => {
    const { code, stderr } = await runWith('dev-7', stageWith(), 'destroy', ['--stage', 'dev-7'], { AWS_REGION: REGION });
    expect([code, stderr]).toEqual([2, '--yes: missing; without a terminal, no question can be asked\n']);
  });

  test('refuses a stage whose data is retained', async () => {
    const { code, stderr } = await runWith('dev-7', stageWith({ PROFILE: 'production' }), 'destroy', ['--stage', 'dev-7', '--yes'], {
      AWS_REGION: REGION,
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^--stage dev-7: its data is retained;/)]);
  });
});
