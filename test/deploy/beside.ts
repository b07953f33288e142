// More stages in the same account: a developer's, a pull request's, and production in a second region. Each is deployed beside the others, passes the
// black-box suite, and is deleted without leaving anything behind, except the data that the profile `production` retains (RETAINED), and without
// affecting the others.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { globalNameOf } from '../../platforms/aws/stage-name.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { bootstrap, cdk, contextOf, deployStage, destroyStage } from './cdk.ts';
import { ACCOUNT, REGION, SECOND_REGION } from './emulator.ts';
import { difference, inventoryOf } from './inventory.ts';
import { stackNames } from './resources.ts';
import type { Environment } from './run-program.ts';

export interface Beside {
  readonly stage: string;
  readonly region: string;
  /** The environment variables of its deployment. */
  readonly settings: Environment;
  /** With the profile `production`: its data stays when its stacks are deleted. */
  readonly retainsData: boolean;
}

/** @param dnsPort of the run's own name server */
export function stagesBeside(dnsPort: string, edgeNameOf: (stage: string) => string): readonly Beside[] {
  const settings = (stage: string, prefix: string, region: string, others: Environment = {}): Environment => ({
    [`${prefix}_ACCOUNT`]: ACCOUNT,
    [`${prefix}_REGION`]: region,
    [`${prefix}_EDGE_NAME`]: edgeNameOf(stage),
    [`${prefix}_DNS_SERVERS`]: `127.0.0.1:${dnsPort}`,
    [`${prefix}_DNS_PORT`]: dnsPort,
    [`${prefix}_DNS_PRIVATE_NETWORKS`]: 'on',
    AWS_REGION: region,
    ...others,
  });
  // Those of the home region, which this process has in its environment, are empty here.
  const home = Object.fromEntries(
    ['API_DOMAIN', 'API_CERTIFICATE_ARN', 'API_ZONE', 'EDGE_ZONE', 'GITHUB_REPOSITORY', 'OIDC_SUBJECT'].map((name) => [`PRODUCTION_${name}`, '']),
  );
  return [
    { stage: 'dev-1', region: REGION, settings: settings('dev-1', 'DEV_1', REGION), retainsData: false },
    { stage: 'pr-12', region: REGION, settings: settings('pr-12', 'PR_12', REGION), retainsData: false },
    {
      stage: 'production',
      region: SECOND_REGION,
      settings: settings('production-us', 'PRODUCTION', SECOND_REGION, { ...home, PRODUCTION_HOME: REGION }),
      retainsData: true,
    },
  ];
}

export interface BesideOptions {
  readonly endpoint: string;
  readonly stages: readonly Beside[];
  readonly say: (text: string) => void;
  readonly check: (holds: boolean, otherwise: string) => void;
  /** Runs the black-box suite. @returns whether it passed */
  readonly blackBox: (stage: string, url: string, environment: Environment) => Promise<boolean>;
}

/** Deploys the stages side by side, tests each, and deletes them one after the other. */
export async function deployBeside({ endpoint, stages, say, check, blackBox }: BesideOptions): Promise<void> {
  const regions = [REGION, SECOND_REGION];
  const inventory = () => inventoryOf(endpoint, regions);
  await bootstrap(`aws://${ACCOUNT}/${SECOND_REGION}`, { AWS_REGION: SECOND_REGION });
  const own = new Map<Beside, readonly string[]>();
  for (const each of stages) {
    const before = await inventory();
    say(`npm run deploy -- --stage ${each.stage}, in ${each.region}`);
    const name = globalNameOf(each.stage, each.region, REGION);
    await deployStage(each.stage, each.settings, undefined, name);
    own.set(each, difference(await inventory(), before));
    const url = String(JSON.parse(readFileSync(join(import.meta.dirname, `../../outputs-${name}.json`), 'utf8'))[`${each.stage}-Api`].Url);
    check(await blackBox(each.stage, url, { AWS_REGION: each.region }), `the black-box suite failed on ${name}`);
  }
  for (const each of stages) {
    const mine = own.get(each) ?? [];
    const before = await inventory();
    const name = globalNameOf(each.stage, each.region, REGION);
    if (each.retainsData) await deleteProtected(each);
    else await destroyStage(each.stage, { AWS_REGION: each.region });
    const after = await inventory();
    const lost = difference(before, after).filter((line) => !mine.includes(line));
    check(lost.length === 0, `deleting ${name} took from others: ${lost.join(', ')}`);
    const left = mine.filter((line) => after.has(line) && !(each.retainsData && RETAINED.test(line)));
    check(mine.length > 50 && left.length === 0, `deleting ${name} left of its ${mine.length} resources: ${left.join(', ')}`);
    say(`${name}: ${mine.length} resources of its own, ${left.length} left, ${lost.length} lost by others`);
  }
}

/** What the profile `production` retains. */
const RETAINED = / (?:table|log group|user pool|bucket) /;

/** Only an empty bucket can be deleted; the one with deployed sites is retained. */
async function emptyDashboard(stage: string, region: string): Promise<void> {
  const [ssm, s3] = [new SSMClient({ region }), new S3Client({ region })];
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: parameterName(stage, 'dashboard', 'bucket') }));
  const Bucket = Parameter?.Value;
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  if (Contents.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: Contents.map(({ Key }) => ({ Key })) } }));
  for (const client of [ssm, s3]) client.destroy();
}

/** As docs/aws/stages.md, "Delete a stage", says for a stage of the profile `production`. */
async function deleteProtected({ stage, region, settings }: Beside): Promise<void> {
  const client = new CloudFormationClient({ region });
  for (const StackName of await stackNames(client, stage))
    await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
  client.destroy();
  await emptyDashboard(stage, region);
  await cdk(['destroy', `${stage}/*`, '--force', '--output', `cdk.out/destroy-${stage}`, ...contextOf(stage)], settings);
}
