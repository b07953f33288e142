// Builds the Containerfile on top of a Debian machine's files, and runs the image. Needs root, and Debian's package buildah, which needs no daemon.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../support/ports.ts';
import { passedOn } from './machine.ts';

const ROOT = join(import.meta.dirname, '../..');
const READY_WITHIN_MS = 30_000;
const TIMEOUT_MS = 120_000;

/**
 * Builds and tries the image.
 *
 * @param root the files of the base image, with Node and npm
 * @param folder with the package's tarball; images are stored there as well
 * @param tarball its name
 */
export async function tryContainer(root: string, folder: string, tarball: string): Promise<void> {
  const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'containers'), '--storage-driver', 'vfs'];
  const environment = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
  const buildah = async (...args: string[]) =>
    (await promisify(execFile)('buildah', [...storage, ...args], { env: environment, maxBuffer: 2 ** 24, timeout: TIMEOUT_MS })).stdout.trim();
  const base = await buildah('from', 'scratch');
  await buildah('add', '--quiet', base, root, '/');
  for (const [name, value] of Object.entries(passedOn())) await buildah('config', '--env', `${name}=${value}`, base);
  await buildah('commit', '--quiet', base, 'localhost/base');
  const file = join(ROOT, 'Containerfile');
  await buildah(
    'build',
    '--quiet',
    '--file',
    file,
    '--build-arg',
    'BASE=localhost/base',
    '--build-arg',
    `PACKAGE=/context/${tarball}`,
    '--tag',
    'petstore',
    folder,
  );

  const container = await buildah('from', 'localhost/petstore');
  // Isolated by its root folder alone, the container has this machine's network.
  const port = await freePort();
  const ports = {
    PETSTORE_PORT: port,
    PETSTORE_EDGE_HTTP_PORT: 0,
    PETSTORE_EDGE_HTTPS_PORT: 0,
    PETSTORE_SANDBOX_DNS_PORT: 0,
    PETSTORE_HOST: '127.0.0.1',
  };
  const settings = Object.entries({ ...ports, PETSTORE_EDGE_HOST: '127.0.0.1' }).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const inside = (...command: string[]) => ['run', ...settings, container, '--', ...command];
  assert.match(await buildah(...inside('id', '-u')), /^10001$/);
  const service = spawn('buildah', [...storage, ...inside('petstore', 'start')], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`, service);
    assert.match(await buildah(...inside('petstore', 'doctor')), /no problems|0 problems|ok/i);
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGTERM');
    await ended;
  } finally {
    service.kill('SIGKILL');
  }
}

async function untilReady(url: string, service: ChildProcess): Promise<void> {
  for (const end = Date.now() + READY_WITHIN_MS; ; await sleep(200)) {
    const status = await fetch(url).then(
      ({ status }) => status,
      () => 0,
    );
    if (status === 200) return;
    if (Date.now() > end || service.exitCode !== null) throw new Error(`${url}: not ready, last status ${status}`);
  }
}
