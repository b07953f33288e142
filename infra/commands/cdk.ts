// Runs the CDK's command line for the commands in this folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PlatformError } from '../../platforms/platform.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const CDK = join(ROOT, 'infra/node_modules/aws-cdk/bin/cdk');

/** A command that can't continue; its message is for operators. */
export class CommandFailed extends Error {
  readonly exitCode: number;

  /** @param exitCode 1 if the command failed, 2 if its arguments or settings are invalid */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs `cdk` in this terminal. @param env additional environment variables @throws CommandFailed if it fails, after it has printed why */
export function cdk(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  return run([CDK, ...args], env, `cdk ${args[0]}`);
}

/** Matches advice for people who run `cdk synth` themselves to read a template. */
const ADVICE = /^(Successfully synthesized to |Supply a stack id )/;

/** Runs `cdk synth` without its advice on what to do next. @throws CommandFailed if it fails, after it has printed why */
export async function cdkSynth(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [CDK, 'synth', ...args], { cwd: ROOT, stdio: ['inherit', 'inherit', 'pipe'] });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!ADVICE.test(line)) console.error(line);
  });
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new CommandFailed(`cdk synth ended with ${code ?? signal}`);
}

/** Runs `petstore` in this terminal. @throws CommandFailed if it fails, after it has printed why */
export function petstore(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  return run([join(ROOT, 'cli/petstore.ts'), ...args], env, `petstore ${args.join(' ')}`);
}

async function run(command: readonly string[], env: Readonly<Record<string, string>>, name: string): Promise<void> {
  const child = spawn(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...env }, stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new CommandFailed(`${name} ended with ${code ?? signal}`);
}

/** Runs a command, or prints its usage. Prints why it failed, and sets the exit code. @param read parses the arguments; throws an Error if invalid */
export async function runCommand<Arguments>(usage: string, read: () => Arguments, work: (given: Arguments) => Promise<void>): Promise<void> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    return;
  }
  try {
    await work(argumentsBy(read, usage));
  } catch (error) {
    console.error(error instanceof CommandFailed || error instanceof PlatformError ? error.message : error);
    process.exitCode = error instanceof CommandFailed ? error.exitCode : 1;
  }
}

function argumentsBy<Arguments>(read: () => Arguments, usage: string): Arguments {
  try {
    return read();
  } catch (error) {
    throw new CommandFailed(`${(error as Error).message}\n\n${usage}`, 2);
  }
}
