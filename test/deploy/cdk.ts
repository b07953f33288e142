// The real CDK command line, as operators use it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.ts';
import { type Environment, runProgram } from './run-program.ts';

const ROOT = join(import.meta.dirname, '../..');

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
  readonly diffRoleArn: string;
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

/**
 * Deploys all stacks of a stage.
 *
 * @param assembly a folder for templates that are synthesized beforehand. @default the command synthesizes
 * @param globalName the stage's name with its region, unless it is the first one. @default `stage`
 */
export async function deployStage(stage: string, environment: Environment, assembly?: string, globalName = stage): Promise<DeployedOutputs> {
  if (assembly !== undefined) await cdk(['synth', `${stage}/*`, '--quiet', '--output', assembly, ...contextOf(stage)], environment);
  const option = assembly === undefined ? [] : ['--assembly', assembly];
  await ended('infra/commands/deploy.ts', ['--stage', stage, ...option], environment);
  const stacks = JSON.parse(readFileSync(join(ROOT, `outputs-${globalName}.json`), 'utf8'));
  const url = String(stacks[`${stage}-Api`].Url);
  const { ControlUrl, UserPoolId, ClientId } = stacks[`${stage}-Dashboard`];
  return {
    url,
    apiId: new URL(url).hostname.split('.')[0] ?? '',
    control: { url: ControlUrl, userPoolId: UserPoolId, clientId: ClientId },
    deployRoleArn: stacks[`${stage}-Pipeline`]?.DeployRoleArn ?? '',
    diffRoleArn: stacks[`${stage}-Pipeline`]?.DiffRoleArn ?? '',
    operatorRoleArn: stacks[`${stage}-Operator`].OperatorRoleArn,
  };
}

/** Deploys all stacks of a stage from synthesized templates, without the comparison of settings: the stage has recorded none. */
export function deployAssembly(stage: string, assembly: string): Promise<void> {
  return cdk(['deploy', `${stage}/*`, '--app', assembly, '--require-approval', 'never'], {});
}

/** Deletes a stage. @throws Error with the command's output if something is not deleted */
export function destroyStage(stage: string, environment: Environment): Promise<void> {
  return ended('infra/commands/destroy.ts', ['--stage', stage, '--yes'], environment);
}

export function contextOf(stage: string): readonly string[] {
  return ['--context', `stage=${stage}`, '--context', 'need-account=true'];
}

/** Runs `cdk`. @throws Error with its output if it fails */
export function cdk(args: readonly string[], environment: Environment): Promise<void> {
  return ended('infra/node_modules/aws-cdk/bin/cdk', args, environment);
}

async function ended(program: string, args: readonly string[], environment: Environment): Promise<void> {
  const { code, output } = await runProgram(process.execPath, [join(ROOT, program), ...args], ROOT, { ...process.env, ...environment });
  if (code === 0) return;
  // The rollback's output is long, and its cause is far above its end.
  const causes = output.split('\n').filter((line) => line.includes('FAILED'));
  throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${causes.join('\n')}\n${output.slice(-2_000)}`);
}
