// A release's calls under the pipeline's role (.github/workflows/deploy.yml), evaluated against that role's policies: every call that the command
// line makes, on the stage as its templates define it. The operator's role may make them too.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { Command } from 'commander';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ACCOUNT as ACCOUNT_ITEM, KEY } from '../../adapters/store/dynamodb/access-items.ts';
import { usageItem } from '../../adapters/store/dynamodb/usage/usage-item.ts';
import { addAccountCommands } from '../../cli/commands/accounts.ts';
import { addKeyCommands } from '../../cli/commands/keys.ts';
import { addUsageCommand } from '../../cli/commands/usage.ts';
import type { CommandContext } from '../../cli/context.ts';
import { createOperator } from '../../cli/owner/operator.ts';
import type { Actor } from '../../core/audit/entry.ts';
import { type Authorization, isAllowed, listOf } from '../../judge/rules.ts';
import { publishDashboard } from '../../platforms/aws/stage-dashboard.ts';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { openPlatform, openStores } from '../../platforms/open.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { mockedClient, operationOf } from '../../test/support/mocked-clients.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { NOON, sampleAccount, sampleKey } from '../../testing/samples.ts';
import { deployedRecord } from '../commands/assembly.ts';
import { operatorRoleName } from '../stacks/operator.ts';
import { deployRoleName } from '../stacks/pipeline.ts';
import { STAGE_NAMES } from '../stages.ts';
import { authorizationsOf } from './support/authorizations.ts';
import { ACCOUNT, type DeployedStage, deployedStage, REGION } from './support/deployed-templates.ts';
import { statementsOfRole } from './support/policies.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

// Stands in for a build: only the file names matter here.
vi.mock(import('../../adapters/sites/built-site.ts'), async (original) => ({
  ...(await original()),
  readBuiltSite: () => ['index.html', 'assets/index-0a1b.js'].map((name) => ({ name, content: Buffer.from(name), compressed: {} })),
}));

const folder = makeFolder();
afterAll(() => folder.remove());

const clients = {
  cloudfront: mockedClient(CloudFrontClient),
  dynamodb: mockedClient(DynamoDBClient),
  s3: mockedClient(S3Client),
  ssm: mockedClient(SSMClient),
};
const synthesized = (name: string, environment: Record<string, string>, stages?: readonly StageName[]) =>
  new Map(makeStages(makeApp(join(folder.path, name)), environment, stages).map((stage) => [stage.stageName, deployedStage(stage)]));
const withAll = synthesized('all', everySetting(THREE_STAGES), THREE_STAGES);
const withoutEdge = synthesized('plain', { STAGING_GITHUB_REPOSITORY: 'someone/petstore', PRODUCTION_GITHUB_REPOSITORY: 'someone/petstore' });

const account = sampleAccount();
const key = sampleKey(account.id);

beforeEach(() => {
  vi.stubEnv('AWS_REGION', REGION);
  for (const client of Object.values(clients)) client.reset();
});

/** Answers as the stage would. @returns the authorizations that the calls made so far need */
function answerAs(stage: DeployedStage): () => readonly Authorization[] {
  clients.ssm.on(GetParametersByPathCommand).callsFake(({ Path, NextToken }: { Path: string; NextToken?: string }) => {
    const found = stage
      .resources('AWS::SSM::Parameter')
      .map(({ properties }) => properties)
      .filter(({ Name }) => Name.startsWith(Path));
    // SSM may return an empty page before pages with values.
    return NextToken === undefined ? { Parameters: [], NextToken: 'more' } : { Parameters: found };
  });
  clients.dynamodb.on(GetItemCommand).callsFake(({ TableName, Key }: { TableName: string; Key: { sk?: { S: string } } }) => ({
    Item: TableName.endsWith('usage')
      ? usageItem(account.id, account.plan, account.limits)
      : Key.sk?.S === account.id
        ? ACCOUNT_ITEM.write(account)
        : KEY.write(key),
  }));
  clients.dynamodb.on(QueryCommand).resolves({ Items: [] });
  return () =>
    Object.values(clients).flatMap((client) =>
      client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input)),
    );
}

const roleOf = (name: StageName, stage: DeployedStage) => statementsOfRole(stage, deployRoleName(name));
/** The commands in a pipeline's run, without the deployment. */
const COMMAND_ROLES = [
  ["the pipeline's role", deployRoleName],
  ["the operator's role", operatorRoleName],
] as const;

function stageOf(stages: Map<string, DeployedStage>, name: StageName): DeployedStage {
  const stage = stages.get(name);
  if (stage === undefined) throw new Error(`no stage ${name}`);
  return stage;
}

/** Runs a command as cli/main.ts does. @returns what it prints */
async function petstore(stage: StageName, args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const operator = (): Actor => ({ kind: 'operator' });
  const openStoresOfStage = () => openStores(process.env, stage, operator);
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const clock = () => NOON;
  const owner = createOperator({ openStores: openStoresOfStage, openPlatform: () => openPlatform(process.env, stage, operator), randomBytes, clock });
  const context = {
    withStores: async (work) => work(await openStoresOfStage()),
    withOwner: (work) => work(owner),
    stage: () => stage,
    randomBytes,
    clock,
    out: (line: string) => void lines.push(line),
  } as Partial<CommandContext> as CommandContext;
  const program = new Command();
  for (const add of [addAccountCommands, addKeyCommands, addUsageCommand]) add(program, context);
  await program.parseAsync(args, { from: 'user' });
  return lines.join('\n');
}

/** The commands that the black-box suite runs against a stage. */
const COMMANDS = [
  ['accounts', 'create', '--name', 'E2E', '--plan', 'pro'],
  ['keys', 'issue', '--account', account.id],
  ['keys', 'rotate', key.id],
  ['keys', 'revoke', key.id, '--yes'],
  ['usage', '--account', account.id],
];

describe.each(STAGE_NAMES)('%s', (name) => {
  test.each(COMMAND_ROLES)('%s may publish the dashboard', async (_role, roleName) => {
    const stage = stageOf(withAll, name);
    const asked = answerAs(stage);
    expect(await publishDashboard(name, true)).toEqual({ files: 5 });
    expect(asked().map(({ action }) => action)).toEqual([
      'cloudfront:CreateInvalidation',
      ...Array.from({ length: 5 }, () => 's3:PutObject'),
      // The list has two pages.
      'ssm:GetParametersByPath',
      'ssm:GetParametersByPath',
    ]);
    expect(asked().filter((each) => !isAllowed(statementsOfRole(stage, roleName(name)), each))).toEqual([]);
  });

  test.each(COMMAND_ROLES)('%s may find out that a stage without an edge has no dashboard', async (_role, roleName) => {
    const stage = stageOf(withoutEdge, name);
    const asked = answerAs(stage);
    expect(await publishDashboard(name, true)).toBeUndefined();
    expect(asked()).toHaveLength(2);
    expect(asked().filter((each) => !isAllowed(statementsOfRole(stage, roleName(name)), each))).toEqual([]);
  });

  test.each(COMMAND_ROLES)('%s may not publish to the other stage', async (_role, roleName) => {
    const other = STAGE_NAMES.find((each) => each !== name) ?? name;
    const asked = answerAs(stageOf(withAll, other));
    await publishDashboard(other, true);
    const role = statementsOfRole(stageOf(withAll, name), roleName(name));
    expect(asked().filter((each) => isAllowed(role, each))).toEqual([]);
  });

  test("the pipeline's role may read the settings of the deployed stage, with which each release is compared, and of no other", async () => {
    const stage = stageOf(withAll, name);
    const asked = answerAs(stage);
    expect(await deployedRecord(name, REGION)).toMatchObject({ EDGE_NAME: expect.any(String) });
    expect(asked().length).toBeGreaterThan(0);
    expect(asked().filter((each) => !isAllowed(roleOf(name, stage), each))).toEqual([]);
    const other = STAGE_NAMES.find((each) => each !== name) ?? name;
    expect(asked().filter((each) => isAllowed(roleOf(other, stageOf(withAll, other)), each))).toEqual([]);
  });

  test("the pipeline's role may assume the CDK's roles for releases in this account and region", () => {
    const role = roleOf(name, stageOf(withAll, name));
    const isAssumable = (kind: string, region = REGION) =>
      isAllowed(role, { action: 'sts:AssumeRole', resource: `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-${kind}-${ACCOUNT}-${region}` });
    expect(['deploy-role', 'file-publishing-role'].every((kind) => isAssumable(kind))).toBe(true);
    expect([isAssumable('cfn-exec-role'), isAssumable('deploy-role', 'us-west-2')]).toEqual([false, false]);
  });
});

test.each([
  ['staging', 'test'],
  ['production', 'live'],
  ['dev-1', 'live'],
])("keys on %s are for the mode of the stage's profile: %s", async (name, mode) => {
  answerAs(stageOf(withAll, name));
  expect(await petstore(name, ['keys', 'issue', '--account', account.id])).toContain(`petstore_${mode}_`);
  expect(await petstore(name, ['keys', 'rotate', key.id])).toContain(`petstore_${mode}_`);
});

describe("black-box suite under the pipeline's role", () => {
  test('runs only commands that are listed here', () => {
    const sources = ['api.test.ts', 'target.ts'].map((file) => readFileSync(join(import.meta.dirname, '../../test/e2e', file), 'utf8'));
    const used = sources.flatMap((source) => [...source.matchAll(/petstore(?:<[^(]*>)?\(\['(\w+)', '([\w-]+)'/g)].map(([, one, two]) => [one, two]));
    expect(used.length).toBeGreaterThan(4);
    for (const [one, two] of used) expect(COMMANDS.map((args) => args.slice(0, 2).join(' '))).toContain(`${one} ${two}`);
  });

  test.each(COMMANDS)('may make the calls of petstore %s %s on staging', async (...args) => {
    const stage = stageOf(withAll, 'staging');
    const asked = answerAs(stage);
    await petstore('staging', args);
    expect(asked().length).toBeGreaterThan(1);
    for (const [, roleName] of COMMAND_ROLES)
      expect(asked().filter((each) => !isAllowed(statementsOfRole(stage, roleName('staging')), each))).toEqual([]);
  });

  test('uses every table permission that it has, and has none in production', async () => {
    const actionsOf = (name: StageName) =>
      roleOf(name, stageOf(withAll, name))
        .flatMap(({ Action }) => listOf(Action))
        .filter((action) => action.startsWith('dynamodb:'));
    const asked = answerAs(stageOf(withAll, 'staging'));
    for (const args of COMMANDS) await petstore('staging', args);
    const used = new Set(asked().map(({ action }) => action));
    expect(actionsOf('staging').filter((action) => !used.has(action))).toEqual([]);
    expect(actionsOf('production')).toEqual([]);
    expect(isAllowed(roleOf('production', stageOf(withAll, 'production')), asked().at(-1) as Authorization)).toBe(false);
  });
});
