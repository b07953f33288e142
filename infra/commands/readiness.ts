// Before a deployment changes the first stack, checks what it needs besides valid settings; otherwise, half the stage might be deployed before an
// error. AWS is queried only about resources that the stage does not have yet, so the pipeline's role needs no permission for this.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { type StageName, settingsPrefix } from '../../platforms/aws/stage-name.ts';
import { readDashboardFiles, readReferenceFiles } from '../../platforms/built-files.ts';
import type { SettingsRecord } from '../recorded-settings.ts';
import { type SynthesizedStack, stacksIn } from './assembly.ts';

/** Lambda rejects reservations that leave fewer environments than this unreserved (Developer Guide, "Configuring reserved concurrency"). */
const UNRESERVED = 100;

export interface Deployment {
  readonly stage: StageName;
  /** The folder with the templates. */
  readonly assembly: string;
  readonly region: string;
  /** The settings of the deployed stage; undefined if there is none. */
  readonly deployed: SettingsRecord | undefined;
  readonly next: SettingsRecord;
}

/** Returns a line for each thing that is missing. What can't be read, for example for lack of permission, is not checked, only reported on stderr. */
export async function missingFor({ stage, assembly, region, deployed, next }: Deployment): Promise<readonly string[]> {
  const isNew = (name: string) => next[name] !== undefined && next[name] !== deployed?.[name];
  const stacks = stacksIn(assembly, stage);
  const checks: [what: string, check: () => Promise<string[]>][] = [];
  if (deployed === undefined || isNew('EDGE_NAME'))
    for (const stack of new Map(stacks.map((each) => [each.region, each])).values())
      checks.push([`the bootstrap in ${stack.region ?? region}`, () => bootstrapProblems(stack, stack.region ?? region, next.ACCOUNT)]);
  for (const name of ['API_CERTIFICATE_ARN', 'EDGE_CERTIFICATE_ARN'])
    if (isNew(name)) checks.push([settingsPrefix(stage) + name, () => certificateProblems(settingsPrefix(stage) + name, next[name] ?? '')]);
  const reserved = isNew('EDGE_NAME') || isNew('PROFILE') ? reservedIn(assembly, stage, stacks) : 0;
  if (reserved > 0) checks.push(["Lambda's concurrency", () => concurrencyProblems(region, reserved)]);
  const found = await Promise.all(
    checks.map(([what, check]) =>
      check().catch((error: Error) => {
        console.error(`${stage}: not checked: ${what}: ${error.name}: ${error.message}`);
        return [];
      }),
    ),
  );
  const uploaded = { 'dashboard/dist': readDashboardFiles('{}'), 'reference/dist': readReferenceFiles() };
  const unbuilt = Object.entries(uploaded).flatMap(([folder, files]) => (next.EDGE_NAME !== undefined && files === undefined ? [folder] : []));
  return [
    ...unbuilt.map((folder) => `${folder}: missing; needed: the built pages, which are uploaded after the deployment; run npm run build`),
    ...found.flat(),
  ];
}

async function bootstrapProblems({ bootstrap }: SynthesizedStack, region: string, account = ''): Promise<string[]> {
  if (bootstrap === undefined) return [];
  const ssm = new SSMClient({ region });
  const version = await ssm
    .send(new GetParameterCommand({ Name: bootstrap.parameter }))
    .then(({ Parameter }) => Parameter?.Value)
    .catch((error: unknown) => {
      if (error instanceof ParameterNotFound) return undefined;
      throw error;
    })
    .finally(() => ssm.destroy());
  if (Number(version ?? 0) >= bootstrap.version) return [];
  const command = `npm run cdk -- bootstrap aws://${account}/${region}`;
  return [`cdk bootstrap in ${region}: got ${version ?? 'none'}; needed: version ${bootstrap.version} or newer; run ${command}`];
}

async function certificateProblems(setting: string, CertificateArn: string): Promise<string[]> {
  const acm = new ACMClient({ region: CertificateArn.split(':')[3] ?? '' });
  const status = await acm
    .send(new DescribeCertificateCommand({ CertificateArn }))
    .then(({ Certificate }) => Certificate?.Status)
    .catch((error: Error) => {
      if (error.name === 'ResourceNotFoundException') return 'NOT_FOUND';
      throw error;
    })
    .finally(() => acm.destroy());
  if (status === 'ISSUED') return [];
  return [
    `${setting}: got a certificate with the status ${status}; needed: ISSUED; if it is PENDING_VALIDATION, set the DNS record that ACM asks for and wait, otherwise request a new one`,
  ];
}

async function concurrencyProblems(region: string, reserved: number): Promise<string[]> {
  const lambda = new LambdaClient({ region });
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({})).finally(() => lambda.destroy());
  const free = AccountLimit?.UnreservedConcurrentExecutions ?? 0;
  if (free >= reserved + UNRESERVED) return [];
  const quota = (AccountLimit?.ConcurrentExecutions ?? 0) + reserved + UNRESERVED - free;
  return [
    `Lambda concurrency in ${region}: got ${free} unreserved; needed: ${reserved} for the stage, and ${UNRESERVED} that must stay unreserved; raise the quota L-B99A9384 to ${quota} under Service Quotas`,
  ];
}

/** Returns the concurrent environments that a stage's functions reserve. */
function reservedIn(assembly: string, stage: StageName, stacks: readonly SynthesizedStack[]): number {
  const templates = stacks.map(({ templateFile }) => readFileSync(join(assembly, `assembly-${stage}`, templateFile), 'utf8'));
  return templates.flatMap((text) => [...text.matchAll(/"ReservedConcurrentExecutions": ?(\d+)/g)]).reduce((sum, [, each]) => sum + Number(each), 0);
}
