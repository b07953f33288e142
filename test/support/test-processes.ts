// Processes that end with the test that starts them, whatever becomes of it.

import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { stopChild } from './children.ts';
import { type Finished, failToStart, type ServerProcess, startServerProcess } from './processes.ts';

/** Like `startServerProcess`. */
export function startTestServer(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  args?: readonly string[],
): Promise<ServerProcess> {
  return startServerProcess(folder, environment, args, endWithTest);
}

/** Like `failToStart`. */
export function failInTest(folder: string, environment: Readonly<Record<string, string>>): Promise<Finished> {
  return failToStart(folder, environment, endWithTest);
}

function endWithTest(child: ChildProcess): void {
  onTestFinished(() => stopChild(child, 'SIGKILL'));
}
