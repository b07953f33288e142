// Five machines: follows docs/server/several-hosts.md line by line, kills a host, and upgrades the others.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Internet, VISITORS } from './internet.ts';
import type { Layers, Machine } from './machine.ts';
import { documentedSteps, inThisInternet, step, type Tarballs, waitFor } from './steps.ts';
import { DOMAIN, type Visitors } from './visitors.ts';

/** The proxy's public address. */
export const PROXY = '93.184.216.20';
/** Public and private addresses. The proxy and the hosts need the first; that nothing answers there is the firewalls' work. */
const ADDRESSES = {
  database: ['93.184.216.21', '10.0.0.5'],
  proxy: [PROXY, '10.0.0.2'],
  one: ['93.184.216.31', '10.0.0.11'],
  two: ['93.184.216.32', '10.0.0.12'],
  three: ['93.184.216.33', '10.0.0.13'],
} as const;
const HOSTS = ['one', 'two', 'three'] as const;
/** How many requests a minute an account may send that is tried. */
const LIMIT = 20;
/** HAProxy has found out by then that a host is gone. */
const FAILED_OVER_MS = 6_000;

const secret = randomBytes(24).toString('hex');

/** The files of the machines, before they start. */
export interface Prepared {
  readonly database: Layers;
  readonly proxy: Layers;
  readonly host: Layers;
}

/** Makes machines that have not started, and removes them at the end. */
export type Create = (name: string, layers: Layers) => Machine;

const commandsFor = (mark: string, tarballs: Tarballs) =>
  documentedSteps('several-hosts.md')
    .filter((each) => each.mark === mark)
    .map(({ commands }) => inThisInternet(commands, tarballs).replaceAll('SECRET', secret));

/** Follows the page up to where the machines start. @param firewalled with the firewall of one machine @param platform with all that one machine has */
export async function prepareSeveralHosts(create: Create, firewalled: Layers, platform: Layers, tarballs: Tarballs): Promise<Prepared> {
  const [database, proxy, host] = [create('database-files', firewalled), create('proxy-files', firewalled), create('host-files', platform)];
  const databaseReady = step('the database is prepared', () => prepare(database, commandsFor('database', tarballs), {}));
  await Promise.all([
    databaseReady,
    step('the hosts are prepared', () => prepare(host, commandsFor('hosts', tarballs), { '10.0.0.5': databaseReady.then(() => database.root) })),
    step('the proxy is prepared', () => prepare(proxy, commandsFor('proxy', tarballs), { '10.0.0.11': Promise.resolve(host.root) })),
  ]);
  // Shows whose requests reach the service.
  await host.prepare('echo PETSTORE_ACCESS_LOG=api >> /etc/petstore/environment');
  return { database: database.finish(), proxy: proxy.finish(), host: host.finish() };
}

/** Starts the machines, follows the rest of the page, and tries what it has made. */
export async function trySeveralHosts(create: Create, files: Prepared, internet: Internet, visitors: Visitors, tarballs: Tarballs): Promise<void> {
  const [database, proxy] = [create('database', files.database), create('proxy', files.proxy)];
  const [one, two, three] = HOSTS.map((name) => {
    const host = create(name, files.host);
    copyFileSync(internet.acmeCertificate, join(host.root, 'etc/petstore/acme.pem'));
    return host;
  }) as [Machine, Machine, Machine];
  const machines = { database, proxy, one, two, three };
  await step('five machines start', async () => {
    await Promise.all(
      Object.entries(ADDRESSES).map(([name, addresses]) => machines[name as keyof typeof machines].boot(internet.connect(name, addresses))),
    );
  });

  const runOn = async (machine: Machine, mark: string) => {
    for (const commands of commandsFor(mark, tarballs)) await machine.run(commands);
  };
  await step('the database runs', () => runOn(database, 'database running'));
  await step('the first host runs', () => runOn(one, 'hosts running'));
  await Promise.all([
    step('the other hosts run', () => Promise.all([two, three].map((host) => runOn(host, 'hosts running')))),
    step('HAProxy runs', () => runOn(proxy, 'proxy running')),
  ]);
  await step('https://pets.example.com through HAProxy, with a certificate', () =>
    waitFor('the certificate', () => visitors.ask('https://pets.example.com/readyz'), /200/),
  );
  await step(`the dashboard through HAProxy, and ${DOMAIN} live`, async () => visitors.ownDomain(await one.run('journalctl -u petstore -o cat')));

  await step('the firewalls let visitors reach HAProxy, and nothing else', () => tryFirewalls(visitors, proxy));
  await step('a limit is exact over all hosts, which see the addresses of visitors', () => tryLimit([one, two, three], visitors));
  const steadily = async (work: () => Promise<unknown>) =>
    assert.deepEqual(
      (await visitors.askDuring(`https://${DOMAIN}/`, work)).filter(({ status }) => status !== '200'),
      [],
    );
  await step('an upgrade host by host, without a refused request', async () => {
    await runOn(database, 'database backup');
    await steadily(async () => {
      for (const host of [one, two, three]) await runOn(host, 'hosts upgrade');
    });
  });
  await step('a host is taken out and let in again, without a refused request', () =>
    steadily(async () => {
      await runOn(proxy, 'proxy out');
      await runOn(one, 'hosts out');
      await runOn(proxy, 'proxy in');
    }),
  );
  await step('a fourth host is added to the database and to HAProxy', () =>
    steadily(async () => {
      await runOn(database, 'database add');
      await runOn(proxy, 'proxy add');
      await sleep(1_000);
    }),
  );
  await step('the power of a host fails: after the failover, nothing is refused', async () => {
    let cutAt = 0;
    const answers = await visitors.askDuring(`https://${DOMAIN}/`, async () => {
      await sleep(1_000);
      cutAt = Date.now();
      internet.cut('three');
      await Promise.all([three.stop(), sleep(FAILED_OVER_MS + 3_000)]);
    });
    const later = answers.filter(({ at }) => at > cutAt + FAILED_OVER_MS);
    assert.ok(later.length >= 10);
    assert.deepEqual(
      later.filter(({ status }) => status !== '200'),
      [],
    );
    const lost = answers.filter(({ status }) => status !== '200');
    console.info(`# ${answers.length} requests, of which ${lost.length} had no answer`);
  });
  await step('the backup is restored', async () => {
    await Promise.all([one, two].map((host) => host.run('systemctl stop petstore-http.socket petstore-https.socket petstore')));
    await runOn(database, 'database restore');
    await Promise.all([one, two].map((host) => host.run('systemctl start petstore-http.socket petstore-https.socket petstore')));
    await waitFor('the domain', () => visitors.ask(`https://${DOMAIN}/`), /200/);
  });
}

/** Runs commands on a machine that has not started; `scp` copies from the files of others. @param roots theirs, by address, once they are prepared */
async function prepare(machine: Machine, blocks: readonly string[], roots: Readonly<Record<string, Promise<string>>>): Promise<void> {
  for (const part of blocks.flatMap((commands) => commands.split(/^(?=scp )|(?<=^scp .*)\n/m))) {
    const [, address = '', from = '', to = ''] = /^scp (\S+):(\S+) (\S+)$/.exec(part) ?? [];
    if (address === '') await machine.prepare(part);
    else copyFileSync(join((await roots[address]) ?? '', from), join(machine.root, to));
  }
}

async function tryFirewalls(visitors: Visitors, proxy: Machine): Promise<void> {
  const reachable = (ports: readonly string[]) =>
    ports.map((port) => `(timeout 2 bash -c ': < /dev/tcp/${port.replace(':', '/')}' 2>/dev/null && echo ${port}) &`).join('\n');
  const ports = Object.values(ADDRESSES).flatMap(([address]) => [22, 80, 443, 5432, 8080].map((port) => `${address}:${port}`));
  const outside = await visitors.run(`${reachable(ports)}\nwait`);
  assert.deepEqual(outside.trim().split('\n').toSorted(), [`${PROXY}:443`, `${PROXY}:80`]);
  // Not even other machines of the private network reach the database.
  assert.equal(await proxy.run(`${reachable(['10.0.0.5:5432'])}\nwait`), '');
}

async function tryLimit(hosts: readonly [Machine, Machine, Machine], visitors: Visitors): Promise<void> {
  const [one] = hosts;
  const created = await one.run(`petstore accounts create --name Load --plan enterprise --per-minute ${LIMIT} --per-day 1000 --json`);
  const issued = await one.run(`petstore keys issue --account ${JSON.parse(created).accountId} --json`);
  // The minute must not end meanwhile.
  if (60_000 - (Date.now() % 60_000) < 10_000) await sleep(10_500);
  const requests = Array.from(
    { length: 2 * LIMIT },
    (_, n) =>
      `curl -sk -o /dev/null -w '%{http_code}\\n' --interface ${VISITORS[n % VISITORS.length]} -H 'Authorization: Bearer ${JSON.parse(issued).key}' https://pets.example.com/v1/pets &`,
  );
  const statuses = (await visitors.run(`${requests.join('\n')}\nwait`)).trim().split('\n');
  assert.deepEqual(
    [200, 429].map((status) => statuses.filter((each) => each === String(status)).length),
    [LIMIT, LIMIT],
  );
  const seen = await Promise.all(hosts.map((host) => host.run('journalctl -u petstore -o cat')));
  for (const journal of seen)
    assert.ok(
      VISITORS.some((address) => journal.includes(`"${address}"`)),
      'a host has seen no visitor',
    );
  for (const address of VISITORS)
    assert.ok(
      seen.some((journal) => journal.includes(`"${address}"`)),
      `no host has seen ${address}`,
    );
}
