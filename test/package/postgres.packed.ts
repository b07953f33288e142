// examples/postgres-store as its users get it: compiled, packed and installed beside the platform, on several hosts that share one PostgreSQL.

import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type PostgresServer, postgresPrograms, startPostgres } from '../../examples/postgres-store/test/postgres.ts';
import { HostClients } from './host-clients.ts';
import { run, type Started, startPetstore, userEnvironment } from './run.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/postgres-store');
/** Not what the repository needs to check it. */
const OWN = ['node_modules', 'dist', 'tsconfig.json'];
const CONFIGURATION = `import { defineConfig } from 'petstore-platform';
import { postgresStores } from 'petstore-postgres-store';

export default defineConfig({ adapters: [postgresStores({ url: process.env.DATABASE_URL })] });
`;
/** Runs a command with `--json`. */
type Petstore = (...args: string[]) => Promise<Record<string, unknown>>;

const CLIENTS = 30;
const DAY_MS = 86_400_000;

let example: string;
/** With both packages and a configuration, as on each host. */
let installed: string;

beforeAll(async () => {
  example = mkdtempSync(join(tmpdir(), 'petstore-postgres-example-'));
  cpSync(EXAMPLE, example, { recursive: true, filter: (path) => !OWN.includes(basename(path)) });
  await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', inject('tarball')], example);
  installed = mkdtempSync(join(tmpdir(), 'petstore-postgres-installed-'));
  await run('npm', ['pack', '--pack-destination', installed], example);
  const [packed = ''] = readdirSync(installed).map((name) => join(installed, name));
  writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}\n');
  writeFileSync(join(installed, 'petstore.config.ts'), CONFIGURATION);
  await run('npm', ['install', '--no-audit', '--no-fund', inject('tarball'), packed], installed);
});
afterAll(() => {
  for (const folder of [example, installed]) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-package-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const programs = postgresPrograms();

test('its own tests pass: contract suites, faults, several processes', async () => {
  const output = await run('npm', ['test'], example);
  expect(output).toMatch(/fail 0\n/);
  expect(Number(/pass (\d+)\n/.exec(output)?.[1])).toBeGreaterThan(80);
});

describe.skipIf(programs === undefined && process.env.CI === undefined)('hosts on one database', () => {
  /** A database, and hosts of which only the first has a data folder. */
  async function startHosts(count: number) {
    const database: PostgresServer = await startPostgres(programs ?? '');
    onTestFinished(database.stop);
    const environment = { DATABASE_URL: database.url, PETSTORE_DATA: emptyFolder() };
    const hosts: Started[] = [];
    for (let n = 0; n < count; n += 1) {
      const host = await startPetstore(installed, n === 0 ? [] : ['--only', 'api'], n === 0 ? environment : { DATABASE_URL: database.url });
      onTestFinished(host.stop);
      hosts.push(host);
    }
    const petstore: Petstore = async (...args) =>
      JSON.parse(await run('npx', ['petstore', ...args, '--json'], installed, userEnvironment(environment)));
    return { database, hosts, petstore };
  }

  async function makeKey(petstore: Petstore, perMinute: number, perDay: number) {
    const limits = ['--plan', 'enterprise', '--per-minute', String(perMinute), '--per-day', String(perDay)];
    const { accountId } = await petstore('accounts', 'create', '--name', 'Load', ...limits);
    const { key } = await petstore('keys', 'issue', '--account', String(accountId));
    return { accountId: String(accountId), key: String(key) };
  }

  test('a host that is killed under load loses no animal, and limits stay exact', async () => {
    // The day must not end meanwhile.
    if (DAY_MS - (Date.now() % DAY_MS) < 120_000) await new Promise((resolve) => setTimeout(resolve, 121_000));
    const { hosts, petstore } = await startHosts(3);
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
    const { database, hosts, petstore } = await startHosts(2);
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

  test('requests a second of one, two and three hosts', async () => {
    const { hosts, petstore } = await startHosts(3);
    const keys = await Promise.all(Array.from({ length: 8 }, () => makeKey(petstore, 1_000_000, 10_000_000)));
    for (const count of [1, 2, 3]) {
      const clients = keys.map(({ key }) => new HostClients(hosts.slice(0, count), key));
      const began = performance.now();
      await Promise.all(clients.map((each) => each.run(4, 500, {})));
      const seconds = (performance.now() - began) / 1000;
      expect(clients.map((each) => each.statuses())).toEqual(keys.map(() => ({ 200: 500 })));
      console.log(`${count} ${count === 1 ? 'host' : 'hosts'}: ${Math.round(4_000 / seconds)} requests/s (8 accounts, 32 clients, GET /v1/pets)`);
    }
  });
});
