// Shells, and the judge of manual pages (Debian packages: bash, fish, mandoc, zsh).

import { spawnSync } from 'node:child_process';
import { isInstalled } from './installed.ts';

export const shellsInstalled = isInstalled(
  [
    ['zsh', '--version'],
    ['fish', '--version'],
    ['mandoc', '-T', 'lint', '/dev/null'],
  ].every(([program = '', ...args]) => spawnSync(program, args).error === undefined),
);
