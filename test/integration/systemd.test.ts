// The units for systemd: judged by systemd itself, and equal to what the program expects.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { activatedSockets } from '../../adapters/connections/activated.ts';
import { systemdInstalled } from '../support/systemd.ts';

const ROOT = join(import.meta.dirname, '../..');
const UNITS = globSync('systemd/*', { cwd: ROOT });
const read = (unit: string) => readFileSync(join(ROOT, unit), 'utf8');
const valuesOf = (name: string, unit: string) => [...read(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

test('each unit is complete', () => {
  expect(UNITS.map((unit) => basename(unit)).sort()).toEqual([
    ...['petstore-backup.service', 'petstore-backup.timer', 'petstore-http.socket', 'petstore-https.socket', 'petstore.service'],
  ]);
});

describe.runIf(systemdInstalled)('systemd', () => {
  test.each(UNITS.filter((unit) => unit.endsWith('.service')))('finds %s exposed by 2.0 at most', (unit) => {
    const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', join(ROOT, unit)], {
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/Overall exposure level for .*: [\d.]+/);
    expect(status, stdout).toBe(0);
  });

  test('knows every setting in the units', () => {
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...UNITS.map((unit) => join(ROOT, unit))], { encoding: 'utf8' });
    // Whether Node is installed at this path depends on the machine.
    const problems = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('petstore') && !line.includes('/usr/bin/node'));
    expect(problems).toEqual([]);
  });
});

test('the sockets have the names that the program knows, and the ports of the web', () => {
  const sockets = UNITS.filter((unit) => unit.endsWith('.socket'));
  const names = sockets.flatMap((unit) => valuesOf('FileDescriptorName', unit));
  expect(activatedSockets({ LISTEN_PID: '1', LISTEN_FDS: String(names.length), LISTEN_FDNAMES: names.join(':') }, 1)).toEqual({
    sockets: { 'edge-http': expect.any(Number), 'edge-https': expect.any(Number) },
    problem: undefined,
  });
  expect(sockets.flatMap((unit) => valuesOf('ListenStream', unit)).sort()).toEqual(['443', '80']);
  // With it, a restart of the service would close them.
  expect(sockets.flatMap((unit) => valuesOf('PartOf', unit))).toEqual([]);
});

test('the services start what the package has, and the package has the units', () => {
  const { bin, files } = JSON.parse(read('package.json'));
  for (const unit of UNITS.filter((name) => name.endsWith('.service'))) {
    const [command = ''] = valuesOf('ExecStart', unit);
    expect(command).toMatch(
      new RegExp(`^/usr/bin/node /opt/petstore/node_modules/petstore-platform/${bin.petstore} (start|backup /var/backups/petstore --keep 7)$`),
    );
  }
  expect(files).toContain('systemd');
  expect(existsSync(join(ROOT, 'cli/petstore.ts'))).toBe(true);
});

test('stopping takes less time than systemd grants', () => {
  const grace = Number(/const GRACE_MS = ([\d_]+);/.exec(read('adapters/edge/server.ts'))?.[1]?.replaceAll('_', ''));
  expect(Number(valuesOf('TimeoutStopSec', 'systemd/petstore.service')[0]) * 1_000).toBeGreaterThan(grace);
});
