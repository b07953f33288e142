// Prometheus's own judgment of metrics and rules (Debian package: prometheus). Nothing has to run.

import { spawnSync } from 'node:child_process';
import { isInstalled } from './installed.ts';

export const promtoolInstalled = isInstalled(spawnSync('promtool', ['--version']).status === 0);

/** Runs promtool. @returns its exit code, and all that it printed */
export function promtool(args: readonly string[], input = ''): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}
