// Runs a user's commands: in a folder of their own, with the Node version that the tests run on, and without the repository's settings.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { collect, startChild } from '../support/children.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a user's shell. @param node the program that is `node` there. @default the version that runs the tests */
export function userEnvironment(more: Environment = {}, node: string = process.execPath): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_)|PETSTORE_|NODE_(OPTIONS|ENV|V8|PATH)|VITEST|INIT_CWD)/.test(name));
  const free = { PETSTORE_PORT: '0', PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    npm_config_update_notifier: 'false',
    ...free,
    ...more,
  };
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it ends, whatever its exit code. */
export async function tryRun(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = userEnvironment()): Promise<Finished> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Runs a program until it ends. @returns what it printed. @throws Error with its output if it fails */
export async function run(program: string, args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await tryRun(program, args, cwd, env);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Starts `petstore start` in a folder, and waits for its `ready` line. */
export async function startPetstore(cwd: string, args: readonly string[] = [], env?: Environment): Promise<Started> {
  // npx waits for the program that it runs, and both are in one group, so that stopping it stops both.
  const child = startChild('npx', ['petstore', 'start', ...args], {
    cwd,
    env: userEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const ended = once(child, 'close');
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /ready at (http:\S+)/.exec(stdout())?.[1];
      if (ready !== undefined) resolve(ready);
    });
    child.once('close', (code) => reject(new Error(`petstore start ended with ${code}: ${stderr()}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, signal);
    await ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    stdout,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

export interface Started {
  readonly url: string;
  /** Of `npx`, which starts it. */
  readonly pid: number;
  readonly stdout: () => string;
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}
