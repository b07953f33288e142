// Builds the Containerfile on top of a Debian machine's files, and runs the image. Needs root, and Debian's package buildah, which needs no daemon.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../support/ports.ts';
import { passedOn } from './machine.ts';
import type { Tarballs } from './steps.ts';

const ROOT = join(import.meta.dirname, '../..');
const READY_WITHIN_MS = 30_000;
const TIMEOUT_MS = 120_000;

/** Images, in a folder below that of the test. */
export interface Images {
  readonly folder: string;
  readonly buildah: (...args: string[]) => Promise<string>;
  /** Runs `buildah` until it ends. */
  readonly start: (...args: string[]) => ChildProcess;
  /** Adds one. @param layer the files that it has besides Debian's @param entrypoint a program and its arguments @param options of `buildah config` */
  add(name: string, layer: string, entrypoint: readonly string[], ...options: string[]): Promise<void>;
}

/** Makes the image that others are built on. @param root its files, with Node and npm @param folder for all images */
export async function createImages(root: string, folder: string): Promise<Images> {
  const images = join(folder, 'images');
  const storage = ['--root', images, '--runroot', join(folder, 'containers'), '--storage-driver', 'overlay'];
  const environment = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
  const buildah = async (...args: string[]) =>
    (await promisify(execFile)('buildah', [...storage, ...args], { env: environment, maxBuffer: 2 ** 24, timeout: TIMEOUT_MS })).stdout.trim();
  const base = await buildah('from', 'scratch');
  await buildah('add', '--quiet', base, root, '/');
  for (const [name, value] of Object.entries(passedOn())) await buildah('config', '--env', `${name}=${value}`, base);
  await buildah('commit', '--quiet', base, 'localhost/base');
  return {
    folder: images,
    buildah,
    start: (...args) => spawn('buildah', [...storage, ...args], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] }),
    add: async (name, layer, entrypoint, ...options) => {
      const other = await buildah('from', 'localhost/base');
      await buildah('add', '--quiet', other, layer, '/');
      await buildah('config', '--entrypoint', JSON.stringify(entrypoint), ...options, other);
      await buildah('commit', '--quiet', '--rm', other, name);
    },
  };
}

/** Builds and tries the image. @param folder with the packages' tarballs */
export async function tryContainer({ buildah, start }: Images, folder: string, tarballs: Tarballs): Promise<void> {
  const given = { BASE: 'localhost/base', PACKAGE: tarballs['petstore-platform'], ADAPTERS: tarballs['petstore-postgres'] };
  const settingsOf = Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name}=${value?.replace('/root/', '/context/')}`]);
  await buildah('build', '--quiet', '--file', join(ROOT, 'Containerfile'), ...settingsOf, '--tag', 'petstore', folder);

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
  const service = start(...inside('petstore', 'start'));
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
