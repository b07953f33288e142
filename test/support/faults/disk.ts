// A disk that a test makes full or read-only: a file system in memory, mounted where only this test's processes see it.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { startChild, stopChild } from '../children.ts';
import { makeFolder } from '../folders.ts';

/** More than what the service wants to be free. Nothing of it is taken until something is stored. */
const SIZE = '4g';
/** As root, a mount namespace is enough; other users become root in a user namespace of their own. */
const isRoot = process.getuid?.() === 0;
const UNSHARE = isRoot ? ['--mount'] : ['--mount', '--map-root-user'];
const ENTER = isRoot ? ['--mount'] : ['--mount', '--user', '--preserve-credentials'];

export interface Disk {
  /** The path by which processes started with `command` know it. */
  readonly path: string;
  /** The path by which this process knows it. */
  readonly seen: string;
  /** What to put in front of a command that should see the disk. */
  readonly command: readonly string[];
  /** Nothing more can be stored: ENOSPC. */
  fill(): void;
  /** Undoes `fill`. */
  empty(): void;
  /**
   * No file can be created, changed or opened for writing any more: EROFS. The kernel refuses that while files are open for writing, except after a
   * fault of the disk; for those, `forbidWriting` has the same effect.
   */
  protect(): void;
  /** Undoes `protect`. */
  unprotect(): void;
}

/** Makes a disk for the running test. @throws Error if the kernel allows no mounts: then the test can't be made */
export async function makeDisk(): Promise<Disk> {
  const { path, remove } = makeFolder();
  const holder = startChild(
    'unshare',
    [...UNSHARE, 'sh', '-c', `mount -t tmpfs -o size=${SIZE},mode=700 petstore "$0" && echo mounted && exec cat`, path],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  onTestFinished(async () => {
    await stopChild(holder, 'SIGKILL');
    remove();
  });
  const problem = holder.stderr?.toArray();
  const [said] = await Promise.race([once(holder.stdout ?? holder, 'data'), once(holder, 'exit')]);
  if (!String(said).startsWith('mounted')) throw new Error(`no disk could be mounted, which needs root or user namespaces: ${await problem}`);
  const command = ['nsenter', '--target', String(holder.pid), ...ENTER, '--'];
  const inside = (args: readonly string[]) => {
    const [program = '', ...rest] = [...command, ...args];
    const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const remount = (options: string) => void inside(['mount', '-o', `remount,${options}`, path]);
  return {
    path,
    seen: `/proc/${holder.pid}/root${path}`,
    command,
    protect: () => {
      inside(['mount', '--bind', path, path]);
      remount('bind,ro');
    },
    unprotect: () => void inside(['umount', path]),
    fill: () => remount(`size=${Number(inside(['df', '--output=used', path]).split('\n')[1])}k`),
    empty: () => remount(`size=${SIZE}`),
  };
}
