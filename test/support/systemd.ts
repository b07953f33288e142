// systemd's own judgment of units (Debian package: systemd). Nothing has to run.

import { spawnSync } from 'node:child_process';
import { isInstalled } from './installed.ts';

export const systemdInstalled = isInstalled(spawnSync('systemd-analyze', ['--version']).status === 0);
