// `petstore` in this process, for tests of what its commands do: a process for each takes ten times as long.

import { run } from '../../cli/main.ts';
import { commandEnvironment, type Environment, type Finished, printedValue } from './processes.ts';

/** Runs a command that neither reads its standard input nor exports animals. @param environment variables added to the test's own */
export async function command(folder: string, args: readonly string[], environment: Environment = {}): Promise<Finished> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await run(args, {
    environment: commandEnvironment(folder, environment),
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** Runs a command with `--json` and returns its value. @throws Error with its output if it fails */
export async function commandJson<T>(folder: string, args: readonly string[]): Promise<T> {
  return printedValue(args, await command(folder, [...args, '--json']));
}
