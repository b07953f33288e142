// systemd's own judgment of units (Debian package: systemd). Nothing has to run.

import { spawnSync } from 'node:child_process';

export const systemdInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;
