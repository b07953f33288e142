// Three hosts, their database and HAProxy in containers: follows docs/server/container.md on a Debian machine with Podman. The images that it would pull are
// made here, from Debian's packages: they have the official ones' names, and take the same variables, volumes and files.

import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { preparePython } from '../support/python.ts';
import type { Images } from './container.ts';
import { ACME_DIRECTORY, ADDRESSES, type Internet, VISITORS } from './internet.ts';
import type { Layers } from './machine.ts';
import type { Create, Prepared } from './several-hosts.ts';
import { documentedSteps, step, waitFor } from './steps.ts';
import type { Visitors } from './visitors.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The machine's public address. */
export const COMPOSE = '93.184.216.40';
/** In which the commands are run. */
const FOLDER = '/root/petstore';
const HOSTS = ['one', 'two', 'three'] as const;
/** HAProxy has found out by then that a host is gone. */
const FAILED_OVER_MS = 6_000;

/** Like docker.io/library/postgres. */
const DATABASE = `set -e
export PATH=$PATH:/usr/lib/postgresql/15/bin PGDATA=/var/lib/postgresql/data
as_user() { runuser -u postgres -- "$@"; }
chown postgres: $PGDATA
install -d -o postgres /var/run/postgresql
if [ ! -e $PGDATA/PG_VERSION ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  chown postgres: /tmp/password
  as_user initdb --pgdata=$PGDATA --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=trust
  echo "host all all all scram-sha-256" >> $PGDATA/pg_hba.conf
  echo "CREATE DATABASE \\"$POSTGRES_USER\\"" | as_user postgres --single -D $PGDATA postgres
fi
exec runuser -u postgres -- postgres -D $PGDATA -c listen_addresses='*'
`;
/** Limits that root may not raise everywhere, and no control groups, which are not delegated to the machine. */
const CONTAINERS = `[containers]
cgroups = "disabled"
log_driver = "k8s-file"
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "none"
`;
const STORAGE = '[storage]\ndriver = "overlay"\ngraphroot = "/var/lib/containers/storage"\nrunroot = "/run/containers/storage"\n';

/** Installs podman-compose: Debian's can't give containers addresses. @returns its program */
export function installPodmanCompose(folder: string): string {
  preparePython({ folder, requirements: join(import.meta.dirname, 'requirements.txt'), command: 'npm run test:server' });
  return globSync(join(folder, 'lib/python*/site-packages/podman_compose.py'))[0] ?? '';
}

/**
 * Installs Podman, and makes the images that Compose pulls.
 *
 * @param program of podman-compose
 * @param firewalled Debian with the firewall
 * @param files the first layer of the database and of the proxy is what they have besides
 * @returns the machine's files
 */
export async function prepareCompose(create: Create, program: string, firewalled: Layers, files: Promise<Prepared>, images: Images): Promise<Layers> {
  const { root, prepare, finish } = create('compose-files', firewalled);
  await Promise.all([
    step('Podman is installed', () => prepare('apt-get install -y --no-install-recommends iptables openssl podman python3-dotenv python3-yaml')),
    files.then(({ database: [database = ''], proxy: [proxy = ''] }) =>
      step('the images that Compose pulls', async () => {
        await images.add('docker.io/library/postgres:15', database, ['sh', '-c', DATABASE]);
        const command = ['haproxy', '-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'];
        await images.add('docker.io/library/haproxy:2.6', proxy, command, '--user', 'haproxy', '--env', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin');
      }),
    ),
  ]);
  copyFileSync(program, join(root, 'usr/local/bin/podman-compose'));
  chmodSync(join(root, 'usr/local/bin/podman-compose'), 0o755);
  cpSync(join(ROOT, 'several-hosts'), join(root, FOLDER, 'node_modules/petstore-platform/several-hosts'), { recursive: true });
  mkdirSync(join(root, 'etc/containers'), { recursive: true });
  writeFileSync(join(root, 'etc/containers/containers.conf'), CONTAINERS);
  writeFileSync(join(root, 'etc/containers/storage.conf'), STORAGE);
  return finish();
}

/** Starts the machine, follows the page, and tries what it has made. @param images their folder */
export async function tryCompose(create: Create, layers: Layers, images: string, internet: Internet, visitors: Visitors): Promise<void> {
  const { root, run, boot } = create('compose', layers);
  const inFolder = (commands: string) => run(`cd ${FOLDER}\n${commands}`);
  copyFileSync(internet.acmeCertificate, join(root, FOLDER, 'acme.pem'));
  const settings = {
    PETSTORE_URL: 'https://pets.example.com',
    PETSTORE_EDGE_NAME: 'edge.example.org',
    PETSTORE_DNS_SERVERS: `${ADDRESSES.resolver}:53`,
    PETSTORE_ACME_DIRECTORY: ACME_DIRECTORY,
    PETSTORE_ACME_CA_FILE: '/acme.pem',
    PETSTORE_ACCESS_LOG: 'api',
  };
  writeFileSync(
    join(root, FOLDER, 'petstore.env'),
    Object.entries(settings)
      .map((each) => `${each.join('=')}\n`)
      .join(''),
  );
  const certificate = { volumes: ['./acme.pem:/acme.pem:ro'] };
  writeFileSync(
    join(root, FOLDER, 'compose.override.yaml'),
    JSON.stringify({ services: Object.fromEntries(HOSTS.map((host) => [host, certificate])) }),
  );
  await step('the machine with Podman starts', () => boot(internet.connect('compose', [COMPOSE]), { '/var/lib/containers/storage': images }));

  // The image is there.
  const commands = documentedSteps('container.md').map((each) => each.commands.replaceAll(/^podman build .*$/gm, ''));
  assert.equal(commands.length, 2);
  const [up = '', backup = ''] = commands;
  await step('podman-compose up', () => inFolder(up));
  await step('https://pets.example.com of the containers', () =>
    waitFor('the certificate', () => visitors.ask('https://pets.example.com/readyz'), /200/),
  );
  await step('visitors are served by the containers, and their addresses seen', async () => {
    const logs = () => Promise.all(HOSTS.map((host) => inFolder(`podman-compose logs ${host} 2>&1`)));
    const [, key] = /Its API key, shown only now:\s+(\S+)/.exec((await logs()).join('\n')) ?? [];
    const ask = `curl -sk -o /dev/null -w '%{http_code}' --interface ${VISITORS[0]} -H 'Authorization: Bearer ${key}' https://pets.example.com/v1/pets`;
    assert.equal(await visitors.run(ask), '200');
    assert.ok((await logs()).some((log) => log.includes(`"${VISITORS[0]}"`)));
  });
  await step('a container is killed: after the failover, nothing is refused', async () => {
    let killedAt = 0;
    const answers = await visitors.askDuring('https://pets.example.com/readyz', async () => {
      killedAt = Date.now();
      await inFolder('podman kill $(podman ps --quiet --filter name=two)');
      await sleep(FAILED_OVER_MS + 2_000);
    });
    assert.deepEqual(
      answers.filter(({ at, status }) => at > killedAt + FAILED_OVER_MS && status !== '200'),
      [],
    );
  });
  await step('the backup of the containers', async () => {
    await inFolder(backup);
    assert.match(await inFolder('head -c 5 petstore.dump'), /^PGDMP$/);
  });
}
