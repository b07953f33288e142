// The CDK's command line, as the commands of this folder run it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const CDK = join(ROOT, 'infra/node_modules/aws-cdk/bin/cdk');

/** A command that can't go on; its message is for operators. */
export class CommandFailed extends Error {
  readonly exitCode: number;

  /** @param exitCode 1 if the command failed, 2 if its arguments or settings are invalid */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs `cdk` with this terminal.
 *
 * @param env variables in addition to the environment's
 * @throws CommandFailed if it fails; it has printed why
 */
export function cdk(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  return run([CDK, ...args], env, `cdk ${args[0]}`);
}

/** Runs `petstore` with this terminal. @throws CommandFailed if it fails; it has printed why */
export function petstore(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  return run([join(ROOT, 'cli/petstore.ts'), ...args], env, `petstore ${args.join(' ')}`);
}

async function run(command: readonly string[], env: Readonly<Record<string, string>>, name: string): Promise<void> {
  const child = spawn(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...env }, stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new CommandFailed(`${name} ended with ${code ?? signal}`);
}

/** Runs a command's work, prints why it failed, and sets the exit code. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof CommandFailed ? error.message : error);
    process.exitCode = error instanceof CommandFailed ? error.exitCode : 1;
  }
}
