// A whole installation moves from one machine to PostgreSQL while it is used. `MOVE=full` has as much as a large machine.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { postgresPrograms, startPostgres } from '../../postgres/test/postgres.ts';
import { makeAccount } from '../../testing/suite.ts';
import { atADayWithTime } from '../support/day.ts';
import { eventually } from '../support/eventually.ts';
import { startMoveLoad } from '../support/move-load.ts';
import { freeDnsPort, freePort } from '../support/ports.ts';
import { exchange, signIn, type Tokens } from '../support/sign-in.ts';
import { installPostgres } from './postgres-installed.ts';
import { run, type Started, startPetstore, tryRun, userEnvironment } from './run.ts';

const programs = postgresPrograms();
const isFull = process.env.MOVE === 'full';
const [ANIMALS, ACCOUNTS, DOMAINS, KILLS] = isFull ? [1_000_000, 1_000, 100, 10] : [20_000, 20, 3, 4];
const CLIENTS = 4;
/** What follows `petstore move` in the commands of postgres/README.md, in their order. */
const README = readFileSync(join(import.meta.dirname, '../../postgres/README.md'), 'utf8');
const [PREPARE = [], MOVE = [], UNDO = []] = [...README.matchAll(/`npx petstore move (.*?)`/g)].map(([, options = '']) => options.split(' '));

describe.skipIf(programs === undefined && process.env.CI === undefined)('an installation on one machine', () => {
  const ends: (() => unknown)[] = [];
  let installed: string;
  let environment: Record<string, string>;
  let elsewhere: Record<string, string>;
  let source: Started;
  let target: Started;
  let tokens: Tokens;
  let projectId: string;
  /** Keys of as many accounts. */
  const keys: string[] = [];
  const hosts = Array.from({ length: DOMAINS }, (_, n) => `www.shop${n}.test`);
  /** Who answers requests: the source, and then the target. */
  let front: Started;

  const petstore = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(await run('npx', ['petstore', ...args, '--json'], join(installed, 'one'), userEnvironment(environment)));
  const move = (...args: string[]) => tryRun('npx', ['petstore', 'move', ...args], join(installed, 'one'), userEnvironment(environment));
  const call = async <T = Record<string, string>>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${tokens.access_token}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${front.url}/dashboard/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as T };
  };
  const visit = (name: string, port: string | undefined) =>
    new Promise<{ readonly serial: string; readonly page: string }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, servername: name, headers: { host: name }, rejectUnauthorized: false, agent: false }, async (response) => {
        const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
        resolve({ serial, page: await text(response) });
      })
        .once('error', reject)
        .end();
    });

  beforeAll(async () => {
    const packages = await installPostgres('postgresPlatform');
    ends.push(packages.remove);
    ({ installed } = packages);
    const [, configuration = ''] = MOVE;
    cpSync(join(installed, 'petstore.config.ts'), join(installed, 'one', configuration));
    const folder = mkdtempSync(join(tmpdir(), 'petstore-move-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const database = await startPostgres(programs ?? '');
    ends.push(database.stop);
    const port = await freePort();
    const ports = async (api: number) => ({
      PETSTORE_PORT: String(api),
      PETSTORE_EDGE_HTTPS_PORT: String(await freePort()),
      PETSTORE_EDGE_HTTP_PORT: String(await freePort()),
      PETSTORE_SANDBOX_DNS_PORT: String(await freeDnsPort()),
    });
    const common = { DATABASE_URL: database.url, PETSTORE_URL: `http://127.0.0.1:${port}` };
    environment = { ...common, ...(await ports(port)), PETSTORE_DATA: join(folder, 'one') };
    elsewhere = { ...common, ...(await ports(await freePort())), PETSTORE_DATA: join(folder, 'host') };
    source = await startPetstore(join(installed, 'one'), [], environment);
    ends.push(() => source.stop());
    front = source;
    const [, email = '', password = ''] = /(demo@petstore\.test) {2}(\S+)/.exec(source.stdout()) ?? [];
    tokens = await signIn(source.url, email, password);

    const animals = Array.from({ length: ANIMALS }, (_, n) => `Animal ${n},${n % 7},available`);
    writeFileSync(join(folder, 'animals.csv'), `name,categoryId,status\n${animals.join('\n')}\n`);
    await petstore('pets', 'import', join(folder, 'animals.csv'));
    const [{ accountId } = { accountId: '' }] = (await call<{ accountId: string }[]>('GET', '/accounts')).body;
    projectId = (await call('POST', `/accounts/${accountId}/projects`, { name: 'Shop' })).body.projectId ?? '';
    mkdirSync(join(folder, 'site', 'assets'), { recursive: true });
    writeFileSync(join(folder, 'site', 'index.html'), 'hello from the shop');
    writeFileSync(join(folder, 'site', 'assets', 'large.bin'), Buffer.alloc(3 * 2 ** 20, 7));
    await petstore('projects', 'deploy', projectId, join(folder, 'site'));
    // As fast as the disk is, beside the service, as commands do it.
    const stores = openSqliteStores(environment.PETSTORE_DATA ?? '');
    for (let n = 0; n < ACCOUNTS; n += 1) keys.push((await makeAccount(stores, { perMinute: 1_000_000, perDay: n === 0 ? 5 : 1_000_000 })).key.text);
    stores.close();
    for (const host of hosts) {
      const { domainId } = (await call('POST', `/projects/${projectId}/domains`, { host })).body;
      await call('POST', `/projects/${projectId}/domains/${domainId}/publish`);
      await call('POST', `/projects/${projectId}/domains/${domainId}/verify`);
      // An account may verify 30 in a minute.
      if (isFull) await new Promise((resolve) => setTimeout(resolve, 2_100));
    }
    await eventually(
      async () => (await call<{ state: string }[]>('GET', `/projects/${projectId}/domains`)).body.map(({ state }) => state),
      (states) => expect(states).toEqual(hosts.map(() => 'live')),
    );
  }, 3_600_000);
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  test('a move says what it would move, and refuses what can take no installation', async () => {
    const { code, stdout } = await move(...MOVE, '--dry-run', '--json');
    const { records } = JSON.parse(stdout);
    expect([code, records.pets, records.domains]).toEqual([0, ANIMALS, DOMAINS]);
    expect(records.site_files).toBeGreaterThanOrEqual(2);
    writeFileSync(join(installed, 'one', 'none.config.ts'), 'export default { adapters: [] };\n');
    expect(await move('--to-config', 'none.config.ts')).toMatchObject({ code: 1, stderr: expect.stringContaining('no adapter provides records') });
    expect(await move()).toMatchObject({ code: 2, stderr: expect.stringContaining('--to-config') });
  });

  test('it is equal there, however often the move was killed, and nobody is refused or served twice', {
    timeout: isFull ? 3_600_000 : 300_000,
  }, async () => {
    await atADayWithTime();
    const admitted = async () => (await fetch(`${front.url}/v1/pets`, { headers: { authorization: `Bearer ${keys[0]}` } })).status;
    expect([await admitted(), await admitted(), await admitted()]).toEqual([200, 200, 200]);
    const before = await visit('www.shop0.test', environment.PETSTORE_EDGE_HTTPS_PORT);

    const load = startMoveLoad(() => front.url, keys.slice(1), CLIENTS);

    // Each gets further than the one before.
    for (let n = 1; n <= KILLS; n += 1) {
      const child = spawn(join(installed, 'node_modules/.bin/petstore'), ['move', ...PREPARE], {
        cwd: join(installed, 'one'),
        env: userEnvironment(environment),
        stdio: 'ignore',
      });
      setTimeout(() => child.kill('SIGKILL'), (isFull ? 5_000 : 600) * n);
      await once(child, 'close');
    }
    // On a busy machine, all of them may have been killed before they began.
    expect((await move(...PREPARE)).code).toBe(0);
    const early = await startPetstore(installed, [], elsewhere).then(
      async (started) => started.stop(),
      (error: Error) => error.message,
    );
    expect(early).toContain('an installation is being moved to petstore-postgres');
    const api = startPetstore(installed, ['--only', 'api'], elsewhere).then((started) => started.stop());
    await expect(api).rejects.toThrow('an installation is being moved to petstore-postgres');
    const moved = await move(...MOVE, '--json');
    expect([moved.code, moved.stderr]).toEqual([0, '']);
    const report = JSON.parse(moved.stdout) as { refusedSeconds: number; kinds: Record<string, { records: number }> };
    target = await startPetstore(installed, [], elsewhere);
    ends.push(() => target.stop());
    front = target;
    const atSwitch = load.created.length;
    await load.creates(20);
    await load.end();
    console.log(`moved: ${load.created.length} created meanwhile, ${load.refused()} writes refused; changes refused for ${report.refusedSeconds} s`);
    expect(load.others).toEqual([]);
    expect(load.refused()).toBeGreaterThan(0);
    expect(report.kinds.pets?.records).toBe(ANIMALS + atSwitch);

    // Everything is there: animals, counters, users with their sessions, domains with their certificates, files.
    for (const id of load.created)
      expect((await fetch(`${target.url}/v1/pets/${id}`, { headers: { authorization: `Bearer ${keys[1]}` } })).status).toBe(200);
    for (const key of keys.slice(1))
      expect((await fetch(`${target.url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect([await admitted(), await admitted(), await admitted()]).toEqual([200, 200, 429]);
    // The session goes on there.
    tokens = await exchange(source.url, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, target.url);
    expect(
      (await call<{ host: string; state: string }[]>('GET', `/projects/${projectId}/domains`)).body.map(({ host, state }) => [host, state]),
    ).toEqual(hosts.map((host) => [host, 'live']));
    expect(await visit('www.shop0.test', elsewhere.PETSTORE_EDGE_HTTPS_PORT)).toEqual(before);
    for (const host of hosts) expect((await visit(host, environment.PETSTORE_EDGE_HTTPS_PORT)).page).toBe('hello from the shop');
    const again = (await call('POST', `/projects/${projectId}/domains`, { host: 'www.later.test' })).status;
    // A plan has at most 100.
    expect(again).toBe(isFull ? 409 : 201);
  });

  test('it can move once: what has changed there is not overwritten; and the way back is open', async () => {
    expect(await move(...MOVE)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the move was completed at'),
    });
    front = source;
    const add = () => call('POST', `/projects/${projectId}/domains`, { host: 'www.back.test' });
    expect((await add()).status).toBe(503);
    expect(await move('--undo')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes: missing; the installation was moved to petstore-postgres'),
    });
    expect((await move(...UNDO)).code).toBe(0);
    expect(await move(...UNDO)).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no move to undo') });
    expect(await move(...MOVE)).toMatchObject({ code: 1, stderr: expect.stringContaining('was moved there at') });
    await eventually(add, ({ status }) => expect([201, 409]).toContain(status));
  });
});
