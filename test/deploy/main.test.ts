// A run that is ended in the middle leaves no process and no file behind, whichever of its processes ends, and how.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { collect } from '../support/children.ts';
import { makeFolder } from '../support/folders.ts';

interface Running {
  readonly pid: number;
  readonly command: string;
}

/** The processes that have this text in their environment, which children inherit. */
function processesWith(text: string): readonly Running[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const read = (file: string) => readFileSync(join('/proc', pid, file), 'latin1');
      try {
        return read('environ').includes(text) ? [{ pid: Number(pid), command: read('cmdline').replaceAll('\0', ' ') }] : [];
      } catch {
        return [];
      }
    });
}

test.concurrent.for([
  ['main.ts', 'SIGINT'],
  ['main.ts', 'SIGTERM'],
  ['main.ts', 'SIGKILL'],
  ['lane.ts', 'SIGKILL'],
] as const)('%s is ended by %s', async ([program, signal], { expect }) => {
  const mark = randomUUID();
  const folder = makeFolder();
  const run = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'no-such-test'], {
    env: { ...process.env, LANE_TEST: mark, TMPDIR: folder.path },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(run, 'exit');
  const output = collect(run.stdout);
  const isRunning = (name: string) => processesWith(mark).some(({ command }) => command.includes(name));
  await expect.poll(() => ['ministack', 'aws-cdk'].map(isRunning), { timeout: 300_000 }).toEqual([true, true]);
  for (const { pid } of processesWith(mark).filter(({ command }) => command.includes(program))) process.kill(pid, signal);
  await ended;
  await expect.poll(() => processesWith(mark), { timeout: 300_000 }).toEqual([]);
  expect([run.exitCode, output()]).toEqual([program === 'main.ts' && signal === 'SIGKILL' ? null : 1, expect.stringContaining('cdk bootstrap')]);
  if (run.exitCode !== null) expect(readdirSync(folder.path)).toEqual([]);
  folder.remove();
});
