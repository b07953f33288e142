// Programs that run alongside the tests.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program that ends with this process, so that a failed test leaves nothing behind. */
export function startChild(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** Sends the signal if the program is still running, and waits for it to exit. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Waits until the program answers: long enough for a busy machine. @throws Error with its output, if it does not answer in time or exits first */
export async function untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  const problems = collect(child.stderr);
  for (const end = Date.now() + 60_000; !(await isReady()); ) {
    if (Date.now() > end || child.exitCode !== null) throw new Error(`${child.spawnfile} did not get ready: ${problems()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Collects a stream. @returns a function that returns the text so far */
export function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}
