// A server in the comparison, in a separate process.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../test/support/ports.ts';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');

/**
 * Starts a server and waits until it prints that it is ready.
 *
 * @param args of the script. @default the folder and the port
 * @param environment in addition to this process's own
 */
export async function startServer(
  script: string,
  folder: string,
  args?: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(ROOT, script), ...(args ?? [folder, String(port)])], {
    cwd: ROOT,
    env: { ...process.env, PETSTORE_DATA: folder, PETSTORE_PORT: String(port), NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await ready(child, script);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? Number.NaN,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function ready(child: ChildProcess, script: string): Promise<void> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${script} ended before it was ready`);
  });
  const printed = (async () => {
    for await (const chunk of child.stdout ?? []) if (String(chunk).includes('ready')) return;
  })();
  await Promise.race([printed, ended]);
  ended.catch(() => {});
}
