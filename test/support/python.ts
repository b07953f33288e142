// Python environments for programs that tests run, with pinned requirements.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from './installed.ts';

/** Whether `python3` runs. */
export const pythonInstalled = isInstalled(spawnSync('python3', ['--version']).status === 0);

export interface PythonEnvironment {
  /** The environment's folder. */
  readonly folder: string;
  /** The file with the exact version of each package. */
  readonly requirements: string;
  /** The command that needs it, for the message if Python is missing: `npm run …`. */
  readonly command: string;
}

/**
 * Creates a Python environment, unless one with the same requirements exists.
 *
 * @returns the folder of its programs
 * @throws Error if there is no Python 3.10 or newer with venv, or if the packages can't be installed
 */
export function preparePython({ folder, requirements, command }: PythonEnvironment): string {
  const programs = join(folder, 'bin');
  const stamp = join(folder, 'requirements.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return programs;
  const version = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 10))'], { encoding: 'utf8' });
  if (version.status !== 0 || version.stdout.trim() !== 'True') {
    throw new Error(
      `${command} needs Python 3.10 or newer as python3, and found none; install it (Debian: python3 and python3-venv) and run again.\n` +
        'npm test does not need it.',
    );
  }
  rmSync(folder, { recursive: true, force: true });
  const run = (program: string, args: readonly string[], purpose: string) => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) return;
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`can't ${purpose}: ${program} ${args.join(' ')}\n${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`);
  };
  run('python3', ['-m', 'venv', folder], 'create a Python environment (on Debian, this needs the package python3-venv)');
  // Python compiles a module at its first import; most are never imported.
  const install = ['-m', 'pip', 'install', '--no-compile', '--quiet', '--disable-pip-version-check', '--requirement', requirements];
  run(join(programs, 'python'), install, `install the packages for ${command}`);
  writeFileSync(stamp, wanted);
  return programs;
}
