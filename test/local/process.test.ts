// The embedded service as a process: its first start, its exit, refused starts, and the data that a killed process leaves behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { testFolder, testInstallation } from '../support/folders.ts';
import { runCli, runCliJson } from '../support/processes.ts';
import { petBody } from '../support/samples.ts';
import { failInTest, startTestServer } from '../support/test-processes.ts';

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

const keyIn = (text: string) => /petstore_test_[0-9A-Za-z]{46}/.exec(text)?.[0];

describe('petstore start', () => {
  test('serves all that npm start serves', async () => {
    const folder = testFolder();
    const server = await startTestServer(folder, {}, ['start']);
    const lines = server.stdout().trimEnd().split('\n');
    expect(lines[0]).toBe('First start: made the account Demo (plan pro). Its API key, shown only now:');
    expect(lines.at(-2)).toMatch(/^custom domains at https:/);
    expect(lines.at(-1)).toBe(`petstore ready at ${server.url} (dashboard: ${server.url}/, reference: ${server.url}/docs, data: ${folder})`);
    for (const path of ['/', '/docs', '/v1/openapi.json', '/dashboard/v1/openapi.json', '/oidc/.well-known/openid-configuration'])
      expect((await fetch(server.url + path, { headers: { accept: 'text/html' } })).status, path).toBe(200);
    const page = await fetch(server.url, { headers: { accept: 'text/html' } });
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(await server.stop()).toBe(0);
  });

  test('serves the API only', async () => {
    const folder = testFolder();
    const server = await startTestServer(folder, {}, ['start', '--only', 'api']);
    expect(server.stdout()).toBe(`petstore ready at ${server.url} (API only, reference: ${server.url}/docs, data: ${folder})\n`);
    const { accountId } = await runCliJson<{ accountId: string }>(folder, ['accounts', 'create', '--name', 'Shop', '--plan', 'free']);
    const { key } = await runCliJson<{ key: string }>(folder, [
      ...['keys', 'issue', '--account', accountId, '--name', 'laptop', '--scopes', 'pets:read', '--expires', '1d'],
    ]);
    expect((await fetch(`${server.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    for (const path of ['/dashboard/v1/openapi.json', '/oidc/.well-known/openid-configuration'])
      expect((await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })).status, path).toBe(404);
    expect(await server.stop()).toBe(0);
  });

  test('names the adapters of a configuration before the last line, and with --only api opens and names only those of the API', async () => {
    const folder = testFolder();
    const file = join(testFolder(), 'petstore.config.mjs');
    const of = (name: string, port: string, methods: string) =>
      `{ name: '${name}', provides: ['${port}'], open: async () => (console.error('opened ${name}'), { ports: { ${port}: { ${methods} } } }) }`;
    const pets = of('sample-pets', 'pets', 'create() {}, createAll() {}, get() {}, list() {}, remove() {}');
    writeFileSync(file, `export default { adapters: [${pets}, ${of('sample-counter', 'userRequests', 'count() {}')}] };`);
    const environment = { PETSTORE_CONFIG: file };
    const all = await startTestServer(folder, environment, ['start']);
    expect(all.stdout().trimEnd().split('\n').at(-2)).toBe('adapters: sample-pets (pets), sample-counter (userRequests)');
    expect(await all.stop()).toBe(0);
    const api = await startTestServer(folder, environment, ['start', '--only', 'api']);
    expect(api.stdout()).toMatch(/^adapters: sample-pets \(pets\)\npetstore ready at .*\n$/);
    expect(api.stderr()).not.toContain('sample-counter');
    expect(await api.stop()).toBe(0);
  });

  test('takes no stage, no address and no other part', async () => {
    const folder = testFolder();
    expect(await runCli(folder, ['--stage', 'staging', 'start'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('start: --stage and --url are not allowed'),
    });
    expect(await runCli(folder, ['start', '--only', 'edge'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Allowed choices are api') });
  });

  test('says what is wrong with the configuration before anything starts', async () => {
    const folder = testFolder();
    const file = join(folder, 'petstore.config.ts');
    writeFileSync(file, "import { postgresStores } from 'petstore-postgres';\nexport default { adapters: [postgresStores({})] };\n");
    for (const args of [['start'], ['start', '--only', 'api'], ['accounts', 'list']]) {
      const { code, stdout, stderr } = await runCli(folder, args, '', { PETSTORE_CONFIG: file, PETSTORE_DATA: join(folder, 'data') });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(`petstore: ${file}: the package petstore-postgres is not installed; run: npm install petstore-postgres\n`);
    }
    expect(readdirSync(folder)).toEqual(['petstore.config.ts']);
  });
});

describe('adapters', () => {
  const adapter = (open: string) =>
    `setInterval(() => {}, 1e6); export default { adapters: [{ name: 'open-handle', provides: ['userRequests'], open: ${open} }] };`;

  test('that leave something open do not keep a service that has stopped', async () => {
    const folder = testFolder();
    const file = join(folder, 'petstore.config.mjs');
    writeFileSync(file, adapter('async () => ({ ports: { userRequests: { count: async () => 1 } } })'));
    const server = await startTestServer(folder, { PETSTORE_CONFIG: file });
    expect(await server.stop()).toBe(0);
  });

  test('and the file that names them: an error has the place where it is, also in a file that is imported', async () => {
    const folder = testFolder();
    const file = join(folder, 'petstore.config.mjs');
    writeFileSync(file, "import './part.mjs';\nexport default { adapters: [] };\n");
    writeFileSync(join(folder, 'part.mjs'), 'const one = 1;\nthrow new Error("no url");\n');
    expect(await runCli(folder, ['accounts', 'list'], '', { PETSTORE_CONFIG: file })).toMatchObject({
      code: 1,
      stderr: `petstore: ${file}: no url (file://${folder}/part.mjs:2:7)\n`,
    });
  });

  test('that take long to open are named', async () => {
    const folder = testFolder();
    const file = join(folder, 'petstore.config.mjs');
    writeFileSync(file, adapter("() => new Promise((resolve, reject) => setTimeout(() => reject(new Error('no server')), 10_500))"));
    const { code, stderr } = await failInTest(folder, { PETSTORE_CONFIG: file });
    const sentence = `petstore: ${file}: waiting for open-handle to open\npetstore: ${file}: open-handle can't be opened: no server\n`;
    expect([code, stderr]).toEqual([1, sentence]);
  });
});

test('names of other programs in the same shell are no settings of the service', async () => {
  const folder = testInstallation();
  const others = { PETSTORE_DEPLOY_TOKEN: 'x', PETSTORE_KEY: 'x', PETSTORE_TOKEN: 'x', PETSTORE_PROJECT: 'x' };
  expect(await runCli(folder, ['accounts', 'list', '--json'], '', others)).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});

test('petstore --version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };
  expect(await runCli(testFolder(), ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

describe('start', () => {
  test('creates an account and shows its key the first time, but not the second', async () => {
    const folder = testFolder();
    const first = await startTestServer(folder);
    const key = keyIn(first.stdout());
    expect(first.stdout()).toMatch(/\n.*ready at http:\/\/127\.0\.0\.1:\d+ /);
    expect((await fetch(`${first.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect(await first.stop()).toBe(0);
    const second = await startTestServer(folder);
    expect(keyIn(second.stdout())).toBeUndefined();
    expect((await fetch(`${second.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect(await second.stop('SIGINT')).toBe(0);
    expect(await runCliJson<unknown[]>(folder, ['accounts', 'list'])).toMatchObject([{ name: 'Demo', plan: 'pro', perMinute: 300 }]);
  });

  test('shows the key once it succeeds, even if an earlier start failed for want of a port', async () => {
    const folder = testFolder();
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const failed = await failInTest(folder, { PETSTORE_PORT: '0', PETSTORE_EDGE_HTTP_PORT: String(port) });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('PETSTORE_EDGE_HTTP_PORT')]);
    blocker.close();
    const server = await startTestServer(folder);
    expect(keyIn(server.stdout())).toMatch(/^petstore_test_/);
    await server.stop();
  });

  test('reports every invalid setting, and why a port is unusable', async () => {
    const folder = testFolder();
    const wrong = await failInTest(folder, { PETSTORE_PORT: 'x', PETSTORE_NAME: 'y' });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/PETSTORE_NAME: unknown setting[\s\S]*PETSTORE_PORT: got "x"/)]);
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const taken = await failInTest(folder, { PETSTORE_PORT: String(port) });
    holder.close();
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining(`PETSTORE_PORT: ${port} is in use`)]);
    const elsewhere = await failInTest(folder, { PETSTORE_PORT: '0', PETSTORE_HOST: '192.0.2.1' });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining("PETSTORE_HOST: can't listen on 192.0.2.1")]);
  });

  test.each([
    ['/dev/null', '/dev/null is not a folder'],
    ['/dev/null/x', "/dev/null/x can't be created: ENOTDIR: not a directory"],
    // File systems that refuse a new folder by saying that its parent is missing.
    ['/proc/x', "/proc/x can't be created: "],
    ['/proc/x/y', "/proc/x can't be created: "],
    ['/proc', "/proc/service.lock can't be written: "],
    ['/sys/x', "/sys/x can't be created: "],
  ])('says at once why the data folder %s is unusable', async (folder, reason) => {
    const { code, stderr } = await failInTest(folder, { PETSTORE_PORT: '0' });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`petstore: PETSTORE_DATA: can't use ${folder}: ${reason}`)]);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('data folder', () => {
  const filesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, statSync(join(folder, name)).mode & 0o077] as const);

  test('is accessible only to its owner, from the first start on, even if it existed before', async () => {
    const folder = join(testFolder(), 'data');
    mkdirSync(folder, { mode: 0o755 });
    const umask = process.umask(0o022);
    writeFileSync(join(folder, 'petstore.db'), '', { mode: 0o644 });
    process.umask(umask);
    const server = await startTestServer(folder);
    await fetch(`${server.url}/v1/pets`);
    const open = filesOf(folder).filter(([, others]) => others !== 0);
    expect([open, filesOf(folder).map(([name]) => name)]).toEqual([
      [],
      expect.arrayContaining(['petstore.db', 'petstore.db-wal', 'petstore.db-shm']),
    ]);
    expect(server.stderr()).toContain(`PETSTORE_DATA: other users of this machine can access ${folder} (mode 755)`);
    await server.stop();
    chmodSync(folder, 0o700);
    for (const name of ['identity-keys.json', 'development-ca.key']) chmodSync(join(folder, name), 0o644);
    const again = await startTestServer(folder);
    expect(again.stderr()).not.toContain('other users of this machine');
    expect(filesOf(folder).filter(([, others]) => others !== 0)).toEqual([]);
    await again.stop();
  });

  test.each(['deleted', 'replaced'])('that is %s makes the running service exit, with 503 until then and no animal lost', async (what) => {
    const folder = join(testFolder(), 'data');
    const server = await startTestServer(folder);
    const key = /petstore_test_\w+/.exec(server.stdout())?.[0] ?? '';
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const create = () =>
      fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body: petBody({ name: 'A', categoryId: 1 }) }).then(
        ({ status }) => status,
        () => undefined,
      );
    expect(await create()).toBe(201);
    const exited = once(server.child, 'exit');
    renameSync(folder, `${folder}-moved`);
    if (what === 'replaced') (await startTestServer(folder)).child.kill('SIGKILL');
    let last: number | undefined;
    while (server.child.exitCode === null) last = (await create()) ?? last;
    expect((await exited)[0]).toBe(1);
    // Undefined: the service exited before the request.
    expect([503, what === 'replaced' ? undefined : 503]).toContain(last);
    expect(server.stderr()).toContain('was deleted or replaced while the service was running');
  });
});

describe('a second process', () => {
  test('that serves everything is refused, with where the first one is; the first one does not notice', async () => {
    const folder = testFolder();
    const first = await startTestServer(folder);
    const second = await failInTest(folder, { PETSTORE_PORT: '0' });
    expect([second.code, second.stderr]).toEqual([
      1,
      `petstore: PETSTORE_DATA: another service is using ${folder} (process ${first.child.pid}, ${first.url}); stop it first, or set PETSTORE_DATA to another folder\n`,
    ]);
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    await first.stop();
  });

  test('that serves the API only shares the folder', async () => {
    const folder = testFolder();
    const first = await startTestServer(folder);
    const second = await startTestServer(folder, {}, ['start', '--only', 'api']);
    expect((await fetch(`${second.url}/v1/pets`, { headers: { authorization: `Bearer ${keyIn(first.stdout())}` } })).status).toBe(200);
    await Promise.all([second.stop(), first.stop()]);
  });

  test('starts when the first one has been killed', async () => {
    const folder = testFolder();
    await (await startTestServer(folder)).stop('SIGKILL');
    await (await startTestServer(folder)).stop();
    expect(existsSync(join(folder, 'service.json'))).toBe(false);
  });
});

test('says whether it lives and whether it is ready, also while nothing can be stored', async () => {
  const folder = testFolder();
  const server = await startTestServer(folder);
  const ask = async (path: string) => {
    const response = await fetch(server.url + path);
    return [response.status, response.headers.get('cache-control'), await response.json()];
  };
  expect(await ask('/livez')).toEqual([200, 'no-store', { status: 'ok' }]);
  expect(await ask('/readyz')).toEqual([
    200,
    'no-store',
    {
      status: 'ready',
      checks: ['accounts', 'storage', 'space', 'domains', 'notifications', 'file_removals'].map((name) =>
        expect.objectContaining({ name, state: expect.stringMatching('ok|warning') }),
      ),
    },
  ]);
  const other = new DatabaseSync(join(folder, DATABASE_FILE));
  other.exec('BEGIN IMMEDIATE');
  // What was found a moment ago is still good.
  await expect
    .poll(() => ask('/readyz'), { timeout: 10_000 })
    .toEqual([
      503,
      'no-store',
      {
        status: 'not_ready',
        checks: expect.arrayContaining([{ name: 'storage', state: 'failed', reason: 'nothing can be stored: database is locked' }]),
      },
    ]);
  expect((await ask('/livez'))[0]).toBe(200);
  other.close();
  await server.stop();
});

test('listens on the sockets that the service manager has opened, and refuses those that it does not know', async () => {
  const folder = testFolder();
  const root = join(import.meta.dirname, '../..');
  const opened = async () => {
    const socket = createServer().listen(0, '127.0.0.1');
    await once(socket, 'listening');
    return socket;
  };
  const start = async (names: string) => {
    const [api, http, https] = [await opened(), await opened(), await opened()];
    const descriptors = [api, http, https].map((socket) => (socket as unknown as { _handle: { fd: number } })._handle.fd);
    // The process that LISTEN_PID names is the one that node takes the place of.
    const child = spawn('sh', ['-c', 'LISTEN_PID=$$ exec "$0" local/main.ts', process.execPath], {
      cwd: root,
      env: { ...process.env, PETSTORE_DATA: folder, PETSTORE_SANDBOX_DNS_PORT: '0', LISTEN_FDS: '3', LISTEN_FDNAMES: names },
      stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ports = [api, http, https].map((socket) => (socket.address() as { port: number }).port);
    for (const socket of [api, http, https]) socket.close();
    return { child, ports };
  };
  const { child, ports } = await start('api:edge-http:edge-https');
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('ready at')) break;
  }
  expect(text).toContain(`custom domains at https://127.0.0.1:${ports[2]} and http://127.0.0.1:${ports[1]}`);
  expect(text).toContain(`petstore ready at http://127.0.0.1:${ports[0]} `);
  expect((await fetch(`http://127.0.0.1:${ports[0]}/healthz`)).status).toBe(200);
  const ended = once(child, 'exit');
  child.kill();
  expect((await ended)[0]).toBe(0);

  const wrong = await start('api:web:edge-https');
  const stderr = await wrong.child.stderr?.toArray();
  expect(Buffer.concat(stderr ?? []).toString()).toContain(
    'LISTEN_FDNAMES: got "api:web:edge-https"; allowed: api, edge-http, edge-https, each once',
  );
});

test('a log without a reader does not prevent the service from exiting', async () => {
  const folder = testFolder();
  const server = await startTestServer(folder);
  const exited = once(server.child, 'exit');
  server.child.stdout?.destroy();
  server.child.stderr?.destroy();
  // From here on it writes to the log, which no process reads.
  renameSync(join(folder, 'petstore.db'), join(folder, 'elsewhere.db'));
  expect((await exited)[0]).toBe(1);
});

describe('shutdown', () => {
  test('answers requests in progress, refuses new ones, and exits with 0', async () => {
    const folder = testFolder();
    const server = await startTestServer(folder);
    const key = keyIn(server.stdout());
    const { hostname, port } = new URL(server.url);
    const body = petBody({ name: 'Last', categoryId: 1 });
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    );
    // The request is in progress once the server has its headers, so a second request follows on another connection.
    await fetch(`${server.url}/healthz`);
    const ended = server.stop();
    await expect
      .poll(() =>
        fetch(`${server.url}/healthz`).then(
          (response) => response.status,
          () => 'refused',
        ),
      )
      .toBe('refused');
    socket.write(body.slice(1));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 201 /);
    expect(String(answer).toLowerCase()).toContain('connection: close');
    expect(await ended).toBe(0);
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('%s ends it as SIGTERM does', async (signal) => {
    const folder = testFolder();
    const env = { ...process.env, PETSTORE_DATA: folder, PETSTORE_PORT: '0' };
    const service = spawn(process.execPath, ['local/main.ts'], { cwd: join(import.meta.dirname, '../..'), env, stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const chunk of service.stdout) if (String(chunk).includes('ready')) break;
    const ended = once(service, 'exit');
    service.kill(signal);
    expect(await ended).toEqual([0, null]);
  });

  test('a signal to npm reaches the service', async () => {
    const folder = testFolder();
    const root = join(import.meta.dirname, '../..');
    const env = { ...process.env, PETSTORE_DATA: folder, PETSTORE_PORT: '0' };
    const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    // Its group has the service too.
    onTestFinished(() => endGroup(npm.pid ?? 0));
    for await (const chunk of npm.stdout) if (String(chunk).includes('ready')) break;
    const ended = once(npm, 'exit');
    npm.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  });

  test('after a kill while animals are being created, no confirmed animal is lost, and the file can be opened again', async () => {
    const folder = testInstallation();
    const { accountId } = await runCliJson<{ accountId: string }>(folder, [
      'accounts',
      'create',
      '--name',
      'A',
      '--plan',
      'enterprise',
      '--per-minute',
      '1000000',
      '--per-day',
      '1000000',
    ]);
    const { key } = await runCliJson<{ key: string }>(folder, ['keys', 'issue', '--account', accountId]);
    const answered = new Map<number, string>();
    for (let round = 0; round < 3; round += 1) {
      const server = await startTestServer(folder);
      const before = answered.size;
      const create = async () => {
        for (let n = 0; ; n += 1) {
          const response = await fetch(`${server.url}/v1/pets`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': `${round}-${n}-${Math.random()}` },
            body: petBody({ name: `Round ${round}`, categoryId: n }),
          });
          const pet = (await response.json()) as { id: number; name: string };
          if (response.status === 201) answered.set(pet.id, pet.name);
        }
      };
      const creators = Promise.allSettled(Array.from({ length: 8 }, create));
      await expect.poll(() => answered.size, { interval: 5 }).toBeGreaterThan(before + 100);
      await server.stop('SIGKILL');
      await creators;
    }
    const database = new DatabaseSync(join(folder, DATABASE_FILE));
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const find = database.prepare('SELECT name FROM pets WHERE id = ?');
    for (const [id, name] of answered) expect(find.get(id)).toEqual({ name });
    database.close();
    expect(answered.size).toBeGreaterThan(300);
    const again = await startTestServer(folder);
    expect((await fetch(`${again.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    await again.stop();
  });
});

test('the package pins the versions that it runs on', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(process.version).toBe(`v${devDependencies.node}`);
});
