// petstore-postgres as its users get it, with the catalogue on several hosts that share one PostgreSQL.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type PostgresServer, postgresPrograms, startPostgres, startStandby } from '../../postgres/test/postgres.ts';
import { atADayWithTime } from '../support/day.ts';
import { processorMs } from '../support/processor-time.ts';
import { HostClients } from './host-clients.ts';
import { installPostgres } from './postgres-installed.ts';
import { run, type Started, startPetstore, userEnvironment } from './run.ts';

/** Runs a command with `--json`. */
type Petstore = (...args: string[]) => Promise<Record<string, unknown>>;

const CLIENTS = 30;
/** Of an account, for what a request needs; docs/benchmarks.md has 1,000. */
const REQUESTS = Number(process.env.REQUESTS ?? 100);

let packages: Awaited<ReturnType<typeof installPostgres>>;

beforeAll(async () => {
  packages = await installPostgres('postgresStores');
});
afterAll(() => packages.remove());

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-package-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const programs = postgresPrograms();

test('its own tests pass: contract suites, faults, several processes', async () => {
  const output = await run('npm', ['test'], packages.source);
  expect(output).toMatch(/fail 0\n/);
  expect(Number(/pass (\d+)\n/.exec(output)?.[1])).toBeGreaterThan(400);
});

describe.skipIf(programs === undefined && process.env.CI === undefined)('hosts on one database', () => {
  async function startDatabase(): Promise<PostgresServer> {
    const database = await startPostgres(programs ?? '');
    onTestFinished(database.stop);
    return database;
  }

  /** Hosts of which only the first has a data folder. */
  async function startHosts(count: number, database: Pick<PostgresServer, 'url'>) {
    const environment = { DATABASE_URL: database.url, PETSTORE_DATA: emptyFolder() };
    const hosts: Started[] = [];
    for (let n = 0; n < count; n += 1) {
      const host = await startPetstore(packages.installed, n === 0 ? [] : ['--only', 'api'], n === 0 ? environment : { DATABASE_URL: database.url });
      onTestFinished(host.stop);
      hosts.push(host);
    }
    const petstore: Petstore = async (...args) =>
      JSON.parse(await run('npx', ['petstore', ...args, '--json'], packages.installed, userEnvironment(environment)));
    return { hosts, petstore };
  }

  async function makeKey(petstore: Petstore, perMinute: number, perDay: number) {
    const limits = ['--plan', 'enterprise', '--per-minute', String(perMinute), '--per-day', String(perDay)];
    const { accountId } = await petstore('accounts', 'create', '--name', 'Load', ...limits);
    const { key } = await petstore('keys', 'issue', '--account', String(accountId));
    return { accountId: String(accountId), key: String(key) };
  }

  test('a host that is killed under load loses no animal, and limits stay exact', async () => {
    await atADayWithTime();
    const { hosts, petstore } = await startHosts(3, await startDatabase());
    const [creating, limited] = [await makeKey(petstore, 1_000_000, 10_000_000), await makeKey(petstore, 300, 300)];
    const creators = new HostClients(hosts, creating.key);
    const readers = new HostClients(hosts, limited.key);
    const body = JSON.stringify({ name: 'Bella', categoryId: 7 });
    const load = Promise.all([
      creators.run(CLIENTS, 3_000, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
      readers.run(5, 450, {}),
    ]);
    await creators.until(1_000);
    const [, , killed] = hosts as [Started, Started, Started];
    await killed.kill();
    creators.gone(killed);
    readers.gone(killed);
    await load;

    // Every animal whose creation was answered is there, on both hosts that are left.
    const ids = creators.answers.filter(({ status }) => status === 201).map(({ json }) => (json as { readonly id: number }).id);
    expect(creators.statuses()).toEqual({ 201: ids.length });
    expect(creators.answers.length + creators.unanswered).toBe(3_000);
    expect(new Set(ids).size).toBe(ids.length);
    const left = hosts.slice(0, 2);
    for (const host of left) expect(await creators.missing(host, ids)).toEqual([]);
    // The limit is exact over all hosts: what is missing was counted by the killed host, and not answered.
    const { 200: admitted = 0, 429: refused = 0, ...others } = readers.statuses();
    expect(others).toEqual({});
    expect(refused).toBeGreaterThan(0);
    expect(admitted).toBeLessThanOrEqual(300);
    expect(admitted).toBeGreaterThanOrEqual(300 - readers.unanswered);
    const usage = await petstore('usage', '--account', limited.accountId);
    expect(usage).toMatchObject({ day: { limit: 300, remaining: 0 } });
    const { day } = (await petstore('usage', '--account', creating.accountId)) as { day: { limit: number; remaining: number } };
    const counted = day.limit - day.remaining - creators.reads;
    expect(counted).toBeGreaterThanOrEqual(ids.length);
    expect(counted).toBeLessThanOrEqual(ids.length + creators.unanswered);
    console.log(
      `killed under load: ${ids.length} created, ${creators.unanswered} unanswered; ${admitted} of 300 admitted, ${readers.unanswered} unanswered`,
    );
  });

  test('while the database is gone, hosts answer 503, and serve again without a restart', async () => {
    const database = await startDatabase();
    const { hosts, petstore } = await startHosts(2, database);
    const { key } = await makeKey(petstore, 1_000, 1_000);
    const statuses = () =>
      Promise.all(
        hosts.flatMap(({ url }) =>
          ['/healthz', '/v1/pets'].map(async (path) => (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).status),
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await database.crash();
    expect(await statuses()).toEqual([503, 503, 503, 503]);
    await database.start();
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([200, 200, 200, 200]);
  });

  test.each([
    ['is killed', async (primary: PostgresServer) => primary.crash()],
    ['falls silent', (primary: PostgresServer) => primary.silence()],
  ])('when the primary %s under load, its synchronous standby goes on: nothing that was acknowledged is lost', async (_, fail) => {
    await atADayWithTime();
    const primary = await startDatabase();
    const replication = await startAddress(primary);
    onTestFinished(replication.close);
    const standby = await startStandby(programs ?? '', primary, replication.url);
    onTestFinished(standby.stop);
    const address = await startAddress(primary);
    onTestFinished(address.close);
    const { hosts, petstore } = await startHosts(2, address);
    const { key } = await makeKey(petstore, 1_000_000, 10_000_000);
    const answers: { readonly at: number; readonly host: string; readonly status: number; readonly id: number }[] = [];
    let isOver = false;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const client = async (host: string) => {
      for (; !isOver; await new Promise((resolve) => setTimeout(resolve, 20))) {
        const response = await fetch(`${host}/v1/pets`, { method: 'POST', headers, body: JSON.stringify({ name: 'Bella', categoryId: 7 }) });
        const { id } = (await response.json()) as { readonly id: number };
        answers.push({ at: performance.now(), host, status: response.status, id });
      }
    };
    const load = Promise.all(hosts.flatMap(({ url }) => Array.from({ length: CLIENTS / 2 }, () => client(url))));
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThan(500);
    // What was acknowledged without the standby would be lost now.
    replication.hold();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await fail(primary);
    const failedAt = performance.now();
    // What has to notice the failure: a cluster manager, which moves the address as well.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    standby.promote();
    address.moveTo(standby);
    const movedAt = performance.now();
    /** When each host acknowledged a creation again. */
    const back = () => hosts.map(({ url }) => answers.find(({ host, at, status }) => host === url && at > movedAt && status === 201)?.at);
    await expect.poll(back, { timeout: 60_000 }).not.toContain(undefined);
    const count = answers.length;
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThan(count + 500);
    isOver = true;
    await load;

    const ids = answers.filter(({ status }) => status === 201).map(({ id }) => id);
    const stored = await run(join(programs ?? '', 'psql'), ['-At', '-c', 'SELECT id FROM petstore.pets', standby.url], '/');
    const there = new Set(stored.split('\n').map(Number));
    expect(ids.filter((id) => !there.has(id))).toEqual([]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
    // The last refusals are over with the connections to the old primary.
    const last = Math.max(...answers.filter(({ status }) => status === 503).map(({ at }) => at));
    const seconds = (at: number | undefined, since: number) => `${(((at ?? 0) - since) / 1_000).toFixed(1)} s`;
    console.log(
      `failover: ${ids.length} acknowledged, 0 lost; ${answers.length - ids.length} got a 503; hosts back ${back()
        .map((at) => seconds(at, movedAt))
        .join(' and ')} after the ` + `standby took over, ${seconds(last, failedAt)} after the failure none was refused any more`,
    );
  });

  // A measurement. Hosts, database and clients share the cores of this machine: what each uses for a request says what machines of their own could
  // answer.
  const measured = process.env.HOSTS === 'full' ? test : () => {};
  measured('what hosts and database need for a request', async () => {
    const database = await startDatabase();
    const { hosts, petstore } = await startHosts(3, database);
    const keys = await Promise.all(Array.from({ length: 8 }, () => makeKey(petstore, 1_000_000, 10_000_000)));
    const load = async (count: number, requests: number) => {
      const used = () => [hosts.reduce((sum, { pid }) => sum + processorMs(pid), 0), processorMs(database.pid())] as const;
      const clients = keys.map(({ key }) => new HostClients(hosts.slice(0, count), key));
      const [began, before] = [performance.now(), used()];
      await Promise.all(clients.map((each) => each.run(4 * count, requests, {})));
      const [seconds, after] = [(performance.now() - began) / 1000, used()];
      expect(clients.map((each) => each.statuses())).toEqual(keys.map(() => ({ 200: requests })));
      const all = requests * keys.length;
      const [host, shared] = [((after[0] - before[0]) * 1_000) / all, ((after[1] - before[1]) * 1_000) / all];
      console.log(
        `${count} ${count === 1 ? 'host' : 'hosts'}: ${Math.round(all / seconds)} requests/s (8 accounts, ${32 * count} clients, GET /v1/pets); ` +
          `µs of CPU for a request: host ${Math.round(host)}, database ${Math.round(shared)}; ` +
          `with a core each, the hosts could answer ${Math.round((count * 1e6) / host)}, and each core of the database ${Math.round(1e6 / shared)}`,
      );
    };
    await load(3, REQUESTS / 2);
    for (const count of [1, 2, 3]) await load(count, REQUESTS);
  });
});

/** An address that leads to one database or another, as a cluster manager provides it. Connections stay where they are. */
async function startAddress(first: Pick<PostgresServer, 'url'>) {
  const portOf = ({ url }: Pick<PostgresServer, 'url'>) => Number(new URL(url).port);
  let port = portOf(first);
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      // How it ended, the other side sees.
      socket.on('error', () => {});
      socket.once('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const url = new URL(first.url);
  url.port = String((relay.address() as AddressInfo).port);
  return {
    url: url.href,
    moveTo: (database: Pick<PostgresServer, 'url'>) => {
      port = portOf(database);
    },
    /** Passes nothing on any more. */
    hold: () => {
      for (const socket of sockets) socket.unpipe();
    },
    close: () => {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
