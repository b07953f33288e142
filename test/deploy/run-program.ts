// Runs a program until it exits, for its exit code and its output.

import { once } from 'node:events';
import { collect, startChild } from '../support/children.ts';

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** Standard output, then standard error. */
  readonly output: string;
}

/** @param env the program's whole environment */
export async function runProgram(program: string, args: readonly string[], cwd: string, env: Environment | NodeJS.ProcessEnv): Promise<Ended> {
  const child = startChild(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), output: stdout() + stderr() };
}
