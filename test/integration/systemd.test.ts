// The units for systemd: judged by systemd itself, and equal to what the program expects.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { activatedSockets } from '../../adapters/connections/activated.ts';
import { collect, startChild, stopChild } from '../support/children.ts';
import { makeFolder } from '../support/folders.ts';
import { startServerProcess } from '../support/processes.ts';
import { systemdInstalled } from '../support/systemd.ts';

/** Prints what the service tells systemd. */
const LISTENER = `
import socket, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind(sys.argv[1])
print('listening')
while True:
    message = heard.recv(4096).decode()
    # systemd-notify waits until its message has been read.
    if 'BARRIER=1' not in message: print(message)
`;
const ROOT = join(import.meta.dirname, '../..');
const UNITS = globSync('systemd/*', { cwd: ROOT });
const read = (unit: string) => readFileSync(join(ROOT, unit), 'utf8');
const valuesOf = (name: string, unit: string) => [...read(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

test('each unit is complete', () => {
  expect(UNITS.map((unit) => basename(unit)).sort()).toEqual([
    ...['petstore-backup.service', 'petstore-backup.timer', 'petstore-failed@.service', 'petstore-http.socket', 'petstore-https.socket'],
    'petstore.service',
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

  test('hears that the service is ready, and then again and again that it is not stuck', async () => {
    const folder = makeFolder();
    const socket = join(folder.path, 'notify');
    const listener = startChild('python3', ['-uc', LISTENER, socket], {});
    const heard = collect(listener.stdout);
    await once(listener.stdout as Readable, 'data');
    const server = await startServerProcess(join(folder.path, 'data'), { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '600000' });
    await expect.poll(() => heard().split('WATCHDOG=1').length).toBeGreaterThan(3);
    expect(heard()).toMatch(new RegExp(`^listening\\nREADY=1\\nSTATUS=ready at ${server.url}\\n`));
    await Promise.all([server.stop(), stopChild(listener)]);
    folder.remove();
  });

  test('knows every setting in the units', () => {
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...UNITS.map((unit) => join(ROOT, unit))], { encoding: 'utf8' });
    // Whether Node is installed at this path depends on the machine; the operator's program is on none of ours.
    const problems = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line.includes('petstore') && !/\/usr\/bin\/node|\/etc\/petstore\/on-failure/.test(line));
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
  for (const unit of UNITS.filter((name) => name.endsWith('.service') && !name.includes('@'))) {
    const [command = ''] = valuesOf('ExecStart', unit);
    expect(command).toMatch(
      new RegExp(`^/usr/bin/node /opt/petstore/node_modules/petstore-platform/${bin.petstore} (start|backup /var/backups/petstore --keep 7)$`),
    );
  }
  expect(files).toContain('systemd');
  expect(existsSync(join(ROOT, 'cli/petstore.ts'))).toBe(true);
});

test('the services wait for the disks of their folders, which are otherwise empty', () => {
  expect(valuesOf('RequiresMountsFor', 'systemd/petstore.service')).toEqual(['/var/lib/petstore']);
  expect(valuesOf('RequiresMountsFor', 'systemd/petstore-backup.service')).toEqual(['/var/lib/petstore /var/backups/petstore']);
});

test('stopping takes less time than systemd grants', () => {
  const grace = Number(/const GRACE_MS = ([\d_]+);/.exec(read('adapters/edge/server.ts'))?.[1]?.replaceAll('_', ''));
  expect(Number(valuesOf('TimeoutStopSec', 'systemd/petstore.service')[0]) * 1_000).toBeGreaterThan(grace);
});
