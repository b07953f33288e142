// Which resources of a stage's templates the emulator has created.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand, paginateListStackResources, paginateListStacks } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { IRREPLACEABLE } from './release/replacements.ts';

interface Resource {
  readonly id: string;
  readonly type: string;
}

export interface MadeResources {
  /** In the templates, without the CDK's own metadata. */
  readonly wanted: number;
  readonly made: number;
  /** The types of those that are missing. */
  readonly missing: readonly string[];
}

/** Compares a stage's templates with the stacks. @param assembly the folder of its synthesized templates @param madeElsewhere types that are created outside of CloudFormation */
export async function resourcesMade(stage: string, assembly: string, madeElsewhere: readonly string[]): Promise<MadeResources> {
  const client = new CloudFormationClient({});
  const files = globSync(`assembly-${stage}/*.template.json`, { cwd: assembly });
  const missing: string[] = [];
  let wanted = 0;
  for (const file of files) {
    const resources = resourcesIn(join(assembly, file));
    wanted += resources.length;
    const there = await idsOf(client, stackOf(file));
    missing.push(...resources.filter(({ id, type }) => !there.has(id) && !madeElsewhere.includes(type)).map(({ type }) => type));
  }
  client.destroy();
  return { wanted, made: wanted - missing.length, missing };
}

/** `stagingApi7C5C9A5E.template.json` belongs to the stack `staging-Api`. */
function stackOf(file: string): string {
  const [, stage = '', name = ''] = /^(staging|production)(\w+)[0-9A-F]{8}\.template\.json$/.exec(basename(file)) ?? [];
  return `${stage}-${name}`;
}

function resourcesIn(file: string): readonly Resource[] {
  const { Resources = {} } = JSON.parse(readFileSync(file, 'utf8')) as { Resources?: Record<string, { Type: string }> };
  return Object.entries(Resources)
    .map(([id, { Type }]) => ({ id, type: Type }))
    .filter(({ type }) => type !== 'AWS::CDK::Metadata');
}

async function idsOf(client: CloudFormationClient, StackName: string): Promise<ReadonlySet<string | undefined>> {
  const ids: (string | undefined)[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    const complete = StackResourceSummaries.filter(({ ResourceStatus = '' }) => /^(CREATE|UPDATE)_COMPLETE$/.test(ResourceStatus));
    ids.push(...complete.map(({ LogicalResourceId }) => LogicalResourceId));
  }
  return new Set(ids);
}

/** The physical ids of a stage's resources that hold data or an address. */
export async function irreplaceable(stage: string): Promise<readonly string[]> {
  const client = new CloudFormationClient({});
  const found: string[] = [];
  for (const StackName of await stackNames(client, stage)) {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
      const kept = StackResourceSummaries.filter(({ ResourceType = '' }) => IRREPLACEABLE.includes(ResourceType));
      found.push(...kept.map(({ ResourceType, PhysicalResourceId }) => `${ResourceType} ${PhysicalResourceId}`));
    }
  }
  client.destroy();
  return found;
}

/** The URL of a stage's catalogue API. */
export async function apiUrl(stage: string): Promise<string> {
  const client = new CloudFormationClient({});
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: `${stage}-Api` }));
  client.destroy();
  return Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'Url')?.OutputValue ?? '';
}

/** The names of a stage's stacks in the client's region. */
export async function stackNames(client: CloudFormationClient, stage: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { StackSummaries = [] } of paginateListStacks({ client }, {})) {
    const there = StackSummaries.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(({ StackName = '' }) => StackName);
    names.push(...there.filter((name) => name.startsWith(`${stage}-`)));
  }
  return names;
}

/** The names of a stage's stacks and alarms. */
export async function stacksAndAlarms(stage: string): Promise<{ readonly stacks: readonly string[]; readonly alarms: readonly string[] }> {
  const [cloudFormation, cloudWatch] = [new CloudFormationClient({}), new CloudWatchClient({})];
  const stacks = await stackNames(cloudFormation, stage);
  const alarms: string[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client: cloudWatch }, { AlarmNamePrefix: `petstore-${stage}-` })) {
    alarms.push(...MetricAlarms.map(({ AlarmName = '' }) => AlarmName));
  }
  for (const client of [cloudFormation, cloudWatch]) client.destroy();
  return { stacks: stacks.toSorted(), alarms: alarms.sort() };
}
