// The real CDK command line, as operators use it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The stacks that the emulator supports: see GAPS. */
const STACKS = ['staging/Data', 'staging/Api', 'staging/Edge', 'staging/Domains', 'staging/Dashboard'];

type Environment = Readonly<Record<string, string>>;

export interface ControlOutputs {
  readonly url: string;
  readonly userPoolId: string;
  readonly clientId: string;
}

/** Bootstraps the account for the CDK. */
export async function bootstrap(environment: Environment): Promise<void> {
  await cdk(['bootstrap', `aws://${environment.STAGING_ACCOUNT}/${environment.STAGING_REGION}`], environment);
}

/** Deploys staging. @returns the API's address and id */
export async function deployStaging(
  environment: Environment,
): Promise<{ readonly url: string; readonly apiId: string; readonly control: ControlOutputs }> {
  const folder = makeFolder();
  try {
    const outputs = join(folder.path, 'outputs.json');
    await cdk(['deploy', ...STACKS, '--require-approval', 'never', '--outputs-file', outputs], environment);
    const stacks = JSON.parse(readFileSync(outputs, 'utf8'));
    const url = String(stacks['staging-Api'].Url);
    const { ControlUrl, UserPoolId, ClientId } = stacks['staging-Dashboard'];
    return { url, apiId: new URL(url).hostname.split('.')[0] ?? '', control: { url: ControlUrl, userPoolId: UserPoolId, clientId: ClientId } };
  } finally {
    folder.remove();
  }
}

/** Deletes staging's stacks. */
export async function destroyStaging(environment: Environment): Promise<void> {
  await cdk(['destroy', ...STACKS, '--force'], environment);
}

async function cdk(args: readonly string[], environment: Environment): Promise<void> {
  const command = [join(ROOT, 'infra/node_modules/aws-cdk/bin/cdk'), ...args, '--context', 'stage=staging', '--context', 'need-account=true'];
  const folder = makeFolder();
  const child = spawn(process.execPath, [...command, '--output', folder.path], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, 'close');
  folder.remove();
  if (code === 0) return;
  // The rollback's output is long, and its cause is far above its end.
  const causes = output.split('\n').filter((line) => line.includes('FAILED'));
  throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${causes.join('\n')}\n${output.slice(-2_000)}`);
}
