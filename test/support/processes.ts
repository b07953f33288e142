// The program as its users run it: as separate processes.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EXIT_CODES } from '../../cli/context.ts';
import { collect, startChild, stopChild } from './children.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The variable with AWS credentials for `petstore` on a deployed stage: a JSON object of environment variables, which are set only for these
 * processes. @default none: `petstore` uses the test's own credentials
 */
export const OPERATOR_VARIABLE = 'E2E_OPERATOR';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Starts `petstore`, for a test that acts while it runs. */
export function startCli(folder: string, args: readonly string[], environment: Environment = {}): ChildProcess {
  return start('cli/petstore.ts', folder, args, environment);
}

/** Runs `petstore` and waits until it exits. @param environment variables added to the test's own; undefined removes one */
export async function runCli(
  folder: string,
  args: readonly string[],
  input: string | Promise<string> = '',
  environment: Environment = {},
): Promise<Finished> {
  const operator: Environment = JSON.parse(process.env[OPERATOR_VARIABLE] ?? '{}');
  const child = start('cli/petstore.ts', folder, args, { ...operator, ...environment });
  const [stdout, stderr, closed] = [collect(child.stdout), collect(child.stderr), once(child, 'close')];
  child.stdin?.end(await input);
  const [code] = await closed;
  return { code, stdout: stdout(), stderr: stderr() };
}

/** How a command ends that has printed its value, although somebody has something left to do. */
export const UNFINISHED = EXIT_CODES.unfinished;

/** Runs `petstore … --json` and returns its value. @throws Error with its output if it fails */
export async function runCliJson<T>(folder: string, args: readonly string[], input = ''): Promise<T> {
  return printedValue(args, await runCli(folder, [...args, '--json'], input));
}

/** The value that a command with `--json` has printed. @throws Error with its output if it failed */
export function printedValue(args: readonly string[], { code, stdout, stderr }: Finished) {
  if (code !== 0 && code !== UNFINISHED) throw new Error(`petstore ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends the signal and waits for the process to end. @returns the exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the embedded service on a free port and waits for its `ready` line.
 *
 * @param args of `petstore`, such as `start --only api`. @default as `npm start` does
 * @param onStart gets the process at once, which may never become ready
 */
export async function startServerProcess(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  args?: readonly string[],
  onStart: (child: ChildProcess) => void = () => {},
): Promise<ServerProcess> {
  const child = start(args === undefined ? 'local/main.ts' : 'cli/petstore.ts', folder, args ?? [], { PETSTORE_PORT: '0', ...environment });
  onStart(child);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /ready at (http:\S+)/.exec(stdout());
      if (ready?.[1] !== undefined) resolve(ready[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${stderr()}`)));
  });
  return {
    child,
    url,
    stdout,
    stderr,
    stop: async (signal = 'SIGTERM') => {
      await stopChild(child, signal);
      return child.exitCode;
    },
  };
}

/**
 * Runs a script from this folder until it exits, with the settings of a service on this data folder. @returns its exit code, or the signal that
 * ended it
 */
export async function runScript(
  script: string,
  folder: string,
  args: readonly string[],
  environment: Environment = {},
  onStart: (child: ChildProcess) => void = () => {},
): Promise<number | NodeJS.Signals | null> {
  const child = start(`test/support/${script}`, folder, args, environment);
  onStart(child);
  const stderr = collect(child.stderr);
  const [code, signal] = await once(child, 'close');
  if (code !== 0 && signal === null) throw new Error(`${script} ended with ${code}: ${stderr()}`);
  return signal ?? code;
}

/** Runs a script from this folder until it exits. */
export async function runProgram(script: string, args: readonly string[]): Promise<Finished> {
  const child = start(`test/support/${script}`, '', args);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Starts the embedded service and returns its output and its exit code, for starts that fail. */
export async function failToStart(
  folder: string,
  environment: Readonly<Record<string, string>>,
  onStart: (child: ChildProcess) => void,
): Promise<Finished> {
  const child = start('local/main.ts', folder, [], { PETSTORE_PORT: '0', ...environment });
  onStart(child);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), stderr: stderr() };
}

/** The environment of a program on a data folder. Many of them run at once, so none uses a fixed port. */
export function commandEnvironment(folder: string, environment: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_') && !name.startsWith('NODE_V8'));
  const free = { PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
  return { ...Object.fromEntries(inherited), PETSTORE_DATA: folder, ...free, ...environment };
}

function start(script: string, folder: string, args: readonly string[], environment: Environment = {}): ChildProcess {
  const env = commandEnvironment(folder, environment);
  return startChild(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
}
