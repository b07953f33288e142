// The real CDK command line, as operators use it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.ts';
import { runProgram } from './run-program.ts';

const ROOT = join(import.meta.dirname, '../..');

export type Environment = Readonly<Record<string, string>>;

export interface ControlOutputs {
  readonly url: string;
  readonly userPoolId: string;
  readonly clientId: string;
}

export interface DeployedOutputs {
  readonly url: string;
  readonly apiId: string;
  readonly control: ControlOutputs;
  readonly deployRoleArn: string;
  readonly operatorRoleArn: string;
}

/** Bootstraps the account for the CDK. @param place such as `aws://account/region` */
export async function bootstrap(place: string, environment: Environment): Promise<void> {
  const folder = makeFolder();
  try {
    await cdk(['bootstrap', place, '--context', 'stage=staging', '--output', folder.path], environment);
  } finally {
    folder.remove();
  }
}

/** Deploys all stacks of a stage. @param assembly folder for the synthesized templates @default a temporary one */
export async function deployStage(stage: string, environment: Environment, assembly?: string): Promise<DeployedOutputs> {
  const folder = makeFolder();
  try {
    const outputs = join(folder.path, 'outputs.json');
    const options = ['--require-approval', 'never', '--outputs-file', outputs, '--output', assembly ?? join(folder.path, 'cdk.out')];
    await cdk(['deploy', `${stage}/*`, ...options, ...contextOf(stage)], environment);
    const stacks = JSON.parse(readFileSync(outputs, 'utf8'));
    const url = String(stacks[`${stage}-Api`].Url);
    const { ControlUrl, UserPoolId, ClientId } = stacks[`${stage}-Dashboard`];
    return {
      url,
      apiId: new URL(url).hostname.split('.')[0] ?? '',
      control: { url: ControlUrl, userPoolId: UserPoolId, clientId: ClientId },
      deployRoleArn: stacks[`${stage}-Pipeline`].DeployRoleArn,
      operatorRoleArn: stacks[`${stage}-Operator`].OperatorRoleArn,
    };
  } finally {
    folder.remove();
  }
}

/** Deletes a stage's stacks. @throws Error with the command's output if one is not deleted */
export async function destroyStage(stage: string, environment: Environment): Promise<void> {
  const folder = makeFolder();
  try {
    await cdk(['destroy', `${stage}/*`, '--force', '--output', folder.path, ...contextOf(stage)], environment);
  } finally {
    folder.remove();
  }
}

function contextOf(stage: string): readonly string[] {
  return ['--context', `stage=${stage}`, '--context', 'need-account=true'];
}

async function cdk(args: readonly string[], environment: Environment): Promise<void> {
  const command = [join(ROOT, 'infra/node_modules/aws-cdk/bin/cdk'), ...args];
  const { code, output } = await runProgram(process.execPath, command, ROOT, { ...process.env, ...environment });
  if (code === 0) return;
  // The rollback's output is long, and its cause is far above its end.
  const causes = output.split('\n').filter((line) => line.includes('FAILED'));
  throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${causes.join('\n')}\n${output.slice(-2_000)}`);
}
