// `npm run destroy -- --stage <stage>`: deletes a stage whose data is not retained, and everything that belongs to it.

import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import type { Domain } from '../../core/domains/domain.ts';
import { type StageName, stageNameProblem } from '../../platforms/aws/stage-name.ts';
import { openStage, readParameters } from '../../platforms/aws/stage-stores.ts';
import { environmentOf } from '../recorded-settings.ts';
import { readStages } from '../stages.ts';
import { deployedRecord } from './assembly.ts';
import { CommandFailed, cdk, runCommand } from './cdk.ts';

const USAGE = `AWS_REGION=<region> npm run destroy -- --stage <stage> [--yes]

  --stage <stage>  which stage, in this region
  --yes            don't ask`;

/** States in which a domain has a tenant, a certificate or records, or may get them. */
const AT_THE_EDGE: readonly Domain['state']['name'][] = [
  'verified',
  'certificate_pending',
  'certificate_failed',
  'attaching',
  'live',
  'degraded',
  'certificate_expired',
  'suspended',
  'removing',
];

await runCommand(USAGE, readArguments, async ({ stage, yes }) => {
  const region = process.env.AWS_REGION;
  if (!region) throw new CommandFailed('AWS_REGION: missing; allowed: the region of the stage, such as eu-central-1', 2);
  const record = await deployedRecord(stage, region);
  if (record === undefined) throw new CommandFailed(`--stage ${stage}: no such stage is deployed in ${region}`, 2);
  const env = environmentOf(stage, record);
  const read = readStages(env, [stage], { needAccount: true });
  if (!read.ok) throw new CommandFailed(`settings of the deployed stage:\n${read.problems.map((problem) => `  ${problem}`).join('\n')}`);
  if (read.stages.some(({ retainData }) => retainData))
    throw new CommandFailed(`--stage ${stage}: its data is retained; docs/aws/stages.md, "Delete a stage", says how to delete it step by step`, 2);
  await refuseDomains(stage);
  if (!yes) await confirm(stage, region);
  // The CDK locks the folder, and other stages may be deleted at the same time.
  const options = ['--force', '--output', `cdk.out/destroy-${stage}`, '--context', `stage=${stage}`, '--context', 'need-account=true'];
  const destroy = (stacks: string) => cdk(['destroy', stacks, ...options], env);
  // This stack delivers logs to the bucket with the sites, which has to stay empty.
  if (read.stages.some(({ customDomains }) => customDomains !== undefined)) await destroy(`${stage}/EdgeAlarms`);
  await emptyBuckets(stage);
  await destroy(`${stage}/*`);
});

function readArguments() {
  const { values } = parseArgs({ options: { stage: { type: 'string' }, yes: { type: 'boolean', default: false } } });
  if (values.stage === undefined) throw new Error('--stage: missing');
  const problem = stageNameProblem(values.stage);
  if (problem !== undefined) throw new Error(`--stage: got ${JSON.stringify(values.stage)}; allowed: ${problem}`);
  return { stage: values.stage, yes: values.yes };
}

/** Refuses stages that still have domains: tenants, certificates and records are not in the stacks, and only the stage's own workflow deletes them. */
async function refuseDomains(stage: StageName): Promise<void> {
  const stores = await openStage(stage, () => ({ kind: 'operator' }));
  try {
    const hosts: string[] = [];
    for (const { id } of await stores.projects.listProjects()) {
      const domains = await stores.domains.listDomains(id);
      hosts.push(...domains.filter(({ state }) => AT_THE_EDGE.includes(state.name)).map(({ host }) => host));
    }
    if (hosts.length === 0) return;
    const commands = hosts.map((host) => `  npm run -s petstore -- --stage ${stage} domains remove ${host}`);
    throw new CommandFailed(
      `--stage ${stage}: its domains have certificates and tenants outside of its stacks. Remove them, and try again once they are removed:\n${commands.join('\n')}`,
    );
  } finally {
    stores.close();
  }
}

async function confirm(stage: StageName, region: string): Promise<void> {
  if (!process.stdin.isTTY) throw new CommandFailed('--yes: missing; without a terminal, no question can be asked', 2);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Delete the stage ${stage} in ${region}, with all its animals, accounts and sites? Type its name: `);
  terminal.close();
  if (answer !== stage) throw new CommandFailed('nothing was deleted');
}

/** Empties the buckets, because CloudFormation deletes only empty ones. */
async function emptyBuckets(stage: StageName): Promise<void> {
  const names = [(await readParameters(stage, 'edge')).get('bucket'), (await readParameters(stage, 'dashboard')).get('bucket')];
  const s3 = new S3Client({});
  try {
    for (const Bucket of names.filter((name) => name !== undefined)) {
      for (;;) {
        // In a bucket without versioning, each object is listed with its only version.
        const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
        const Objects = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({ Key, VersionId }));
        if (Objects.length === 0) break;
        const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
        const [first] = Errors;
        if (first !== undefined) throw new CommandFailed(`${Bucket}: ${Errors.length} objects were not deleted: ${first.Key}: ${first.Message}`);
      }
    }
  } finally {
    s3.destroy();
  }
}
