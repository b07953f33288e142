// Follows docs/server/install.md and docs/server/several-hosts.md line by line, and docs/server/container.md: `npm run test:server`. Needs
// root, Chromium with certutil, and Debian's packages debootstrap, buildah, iproute2, knot, unbound, pebble, openssl, curl,
// python3-venv.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPOSE, installPodmanCompose, prepareCompose, tryCompose } from './compose.ts';
import { createImages, tryContainer } from './container.ts';
import { type Internet, startInternet } from './internet.ts';
import { createMachine, installDebian, installNode, type Layers, type Machine } from './machine.ts';
import { tryOneMachine } from './one-machine.ts';
import { packPlatform, packPostgres } from './packages.ts';
import { PROXY, prepareSeveralHosts, trySeveralHosts } from './several-hosts.ts';
import { documentedSteps, inThisInternet, sideBySide, step, stepsPassed, type Tarballs } from './steps.ts';
import { createVisitors, type Visitors } from './visitors.ts';

const ROOT = join(import.meta.dirname, '../..');
const SERVER = '93.184.216.10';

const folder = mkdtempSync(join(tmpdir(), 'petstore-server-'));
// In memory: overlayfs can't write to every file system, such as that of a container.
execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
const machines: Machine[] = [];
const internets: Internet[] = [];

async function main(): Promise<void> {
  const [debian, tarball, compose] = await Promise.all([
    step('an empty Debian machine', () => installDebian(join(folder, 'debian'))),
    step('the package, as npm packs it', () => packPlatform(folder)),
    step('podman-compose', async () => installPodmanCompose(join(folder, 'python'))),
  ]);
  const [root = ''] = debian;
  await step('Node 24', () => installNode(root, join(ROOT, 'node_modules/node/bin/node')));
  await tryMachines(debian, tarball, compose);
}

async function tryMachines(debian: Layers, tarball: string, compose: string): Promise<void> {
  const [root = ''] = debian;
  const [firewall = { commands: '' }, ...others] = documentedSteps('install.md').filter(({ mark }) => mark === '' || mark === 'settings');
  assert.ok(firewall.commands.includes('nftables') && others.length >= 4, 'docs/server/install.md has other steps');
  const base = step('the image of Debian with Node', () => createImages(root, folder));
  // It is reported where it is awaited.
  base.catch(() => {});
  const firewalled = await prepared('firewalled', debian, ({ prepare }) => step('the firewall', () => prepare(firewall.commands)));
  let tarballs: Tarballs = { 'petstore-platform': `/root/${tarball}` };
  const platform = await prepared('platform', firewalled, async ({ root, prepare }) => {
    copyFileSync(join(folder, tarball), join(root, 'root', tarball));
    for (const { commands } of others) await step(commands.split('\n')[0] ?? '', () => prepare(inThisInternet(commands, tarballs)));
    const postgres = await step('petstore-postgres, as npm packs it', () =>
      packPostgres(folder, join(root, 'opt/petstore/node_modules/petstore-platform')),
    );
    copyFileSync(join(folder, postgres), join(root, 'root', postgres));
    tarballs = { ...tarballs, 'petstore-postgres': `/root/${postgres}` };
  });
  const images = await base;
  const files = prepareSeveralHosts(create, firewalled, platform, tarballs);
  const image = step('the Containerfile: built, and ready as a user without rights', () => tryContainer(images, folder, tarballs));
  const ofCompose = prepareCompose(create, compose, firewalled, files, images);
  await sideBySide(
    files,
    image,
    ofCompose,
    withInternet('server', SERVER, async (internet, visitors) => {
      const machine = create('server', platform);
      copyFileSync(internet.acmeCertificate, join(machine.root, 'etc/petstore/acme.pem'));
      await step('the machine starts', () => machine.boot(internet.connect('server', [SERVER])));
      await tryOneMachine(machine, visitors, SERVER);
    }),
    withInternet('hosts', PROXY, async (internet, visitors) => trySeveralHosts(create, await files, internet, visitors, tarballs)),
    withInternet('compose', COMPOSE, async (internet, visitors) => {
      await image;
      await tryCompose(create, await ofCompose, images.folder, internet, visitors);
    }),
  );
}

function create(name: string, layers: Layers): Machine {
  const machine = createMachine(folder, name, layers);
  machines.push(machine);
  return machine;
}

async function prepared(name: string, layers: Layers, work: (machine: Machine) => Promise<unknown>): Promise<Layers> {
  const machine = create(name, layers);
  await work(machine);
  return machine.finish();
}

/** @param address to which the names of the installation lead */
async function withInternet(name: string, address: string, work: (internet: Internet, visitors: Visitors) => Promise<void>): Promise<void> {
  const servers = join(folder, `internet-${name}`);
  const zones = { 'example.com': [`pets A ${address}`], 'example.org': [`*.edge A ${address}`], 'corner-bakery.com': [] };
  const internet = await step('name servers and an ACME server', () => startInternet(servers, `petstore-${process.pid}-${name}`, zones));
  internets.push(internet);
  writeFileSync(join(servers, 'root.pem'), await internet.issuingRoot());
  await work(internet, createVisitors(internet, servers, join(folder, `home-${name}`)));
}

try {
  await main();
  console.info(`${stepsPassed()} passed, 0 failed`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  const log = `journalctl -u 'petstore*' -u haproxy -u 'postgresql*' --no-pager | grep -v ' Connect from ' | tail -n 40
    for each in $(podman ps --all --quiet 2>/dev/null); do podman ps --all --filter id=$each; podman logs --tail 20 $each 2>&1; done`;
  for (const { name, run } of machines) console.error(`--- ${name}\n${await run(log).catch(() => 'not running')}`);
  console.info(`${stepsPassed()} passed, 1 failed`);
  process.exitCode = 1;
} finally {
  await Promise.allSettled(machines.map((machine) => machine.stop()));
  for (const internet of internets) internet.stop();
  execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
}
