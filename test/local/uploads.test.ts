// Publishing without the operator: an owner uploads a deployment through the control API, over HTTP.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { signIn, type Tokens } from '../support/sign-in.ts';

const folder = makeFolder();
let server: ControlHost;
let owner: Tokens;
let stranger: Tokens;
let accountId = '';
let projectId = '';

interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

async function call(method: string, path: string, body?: unknown, { access_token }: Tokens = owner) {
  const response = await fetch(`${server.url}/dashboard/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${access_token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  return { status: response.status, body: (await response.json()) as any };
}

const fileOf = (name: string, content: string | Buffer) => ({
  name,
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
});
const send = ({ url, headers }: Target, body: string | Buffer, { access_token }: Partial<Tokens> = owner) =>
  fetch(new URL(url, server.url), {
    method: 'PUT',
    headers: { ...headers, ...(access_token !== undefined && { authorization: `Bearer ${access_token}` }) },
    body: new Uint8Array(Buffer.from(body)),
  });

async function begin(...files: readonly ReturnType<typeof fileOf>[]): Promise<{ deploymentId: string; targets: readonly Target[] }> {
  const begun = await call('POST', `/projects/${projectId}/uploads`, { files });
  expect(begun).toMatchObject({ status: 201, body: { files: files.length } });
  const { deploymentId } = begun.body;
  const listed = await call('GET', `/projects/${projectId}/uploads/${deploymentId}`);
  expect(listed.status).toBe(200);
  return { deploymentId, targets: listed.body.targets };
}

const publish = (deploymentId: string) => call('POST', `/projects/${projectId}/uploads/${deploymentId}/publish`);

async function served(deploymentId: string, name: string): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  const file = await createFolderSiteStore(folder.path).get({ projectId, id: deploymentId }, name);
  for await (const chunk of file?.read() ?? []) chunks.push(chunk);
  return file && Buffer.concat(chunks).toString();
}

beforeAll(async () => {
  server = await startControlHost(folder.path);
  const { email = '', password = '' } = server.demo ?? {};
  const stores = openSqliteStores(folder.path);
  await createSqliteUserStore(stores.database).add({ id: 'usr_stranger', email: 'stranger@petstore.test' }, 'password of a stranger');
  stores.close();
  owner = await signIn(server.url, email, password);
  stranger = await signIn(server.url, 'stranger@petstore.test', 'password of a stranger');
  accountId = (await call('GET', '/accounts')).body[0].accountId;
});

beforeEach(async () => {
  projectId = (await call('POST', `/accounts/${accountId}/projects`, { name: 'Uploads' })).body.projectId;
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server.stop();
  folder.remove();
});

describe('an upload', () => {
  test('is published with all of its files at once, and can be published again', async () => {
    const before = (await call('GET', `/projects/${projectId}`)).body.deploymentId;
    const { deploymentId, targets } = await begin(fileOf('index.html', '<h1>Hello</h1>'), fileOf('docs/ä b.txt', 'text'), fileOf('empty', ''));
    const [first, ...others] = targets;
    if (first === undefined) throw new Error('no target');
    expect((await send(first, 'text')).status).toBe(204);
    expect(await publish(deploymentId)).toMatchObject({ status: 409, body: { code: 'conflict', message: expect.stringMatching(/2 of 3 files/) } });
    expect((await call('GET', `/projects/${projectId}`)).body.deploymentId).toBe(before);
    const left = (await call('GET', `/projects/${projectId}/uploads/${deploymentId}`)).body.targets;
    expect(left).toEqual(others);
    for (const target of others) expect((await send(target, target.name === 'empty' ? '' : '<h1>Hello</h1>')).status).toBe(204);
    for (let times = 0; times < 2; times += 1)
      expect(await publish(deploymentId)).toMatchObject({ status: 200, body: { deploymentId, current: true, files: 3, bytes: 18 } });
    expect((await call('GET', `/projects/${projectId}`)).body.deploymentId).toBe(deploymentId);
    expect(await served(deploymentId, 'index.html')).toBe('<h1>Hello</h1>');
    expect(readdirSync(join(folder.path, 'uploads', projectId))).toEqual([]);
  });

  test('takes a file once, and again without harm; other content is refused, and nothing of it stays', async () => {
    const { deploymentId, targets } = await begin(fileOf('index.html', 'right'));
    const [target] = targets;
    if (target === undefined) throw new Error('no target');
    for (const wrong of ['wrong', 'righ', 'right!', '']) {
      const refused = await send(target, wrong);
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'invalid_request']);
    }
    expect(await served(deploymentId, 'index.html')).toBeUndefined();
    expect((await Promise.all([send(target, 'right'), send(target, 'right')])).map(({ status }) => status)).toEqual([204, 204]);
    expect((await send(target, 'other')).status).toBe(204);
    expect(await served(deploymentId, 'index.html')).toBe('right');
    expect(readdirSync(join(folder.path, 'uploads', projectId))).toEqual([`${deploymentId}.json`]);
  });

  test('takes at most 16 files at once', async () => {
    const contentOf = (name: string) => Buffer.alloc(1_000_000, Number(name.slice(1)));
    const { targets } = await begin(...Array.from({ length: 17 }, (_, n) => fileOf(`f${n}`, contentOf(`f${n}`))));
    const { hostname, port } = new URL(server.url);
    const sockets = targets.slice(0, 16).map(({ url }) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      const lines = [`PUT ${url} HTTP/1.1`, `Host: ${hostname}:${port}`, `Authorization: Bearer ${owner.access_token}`, 'Content-Length: 1000000'];
      socket.write(`${lines.join('\r\n')}\r\n\r\nx`);
      return socket;
    });
    await expect.poll(() => readdirSync(join(folder.path, 'uploads', projectId)).length).toBe(17);
    const last = targets.at(-1);
    if (last === undefined) throw new Error('no target');
    const refused = await send(last, contentOf(last.name));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await send(last, contentOf(last.name))).status).toBe(204);
  });

  test('takes a large file again on a connection that goes on', async () => {
    const content = Buffer.alloc(60_000, 'x');
    const { targets } = await begin(fileOf('large.txt', content));
    const { host, hostname, port } = new URL(server.url);
    const request = (more: string) =>
      `PUT ${targets[0]?.url} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${owner.access_token}\r\nContent-Length: ${content.length}\r\n${more}\r\n${content}`;
    const socket = connect(Number(port), hostname);
    socket.write(request(''));
    await once(socket, 'readable');
    for (let times = 0; times < 3; times += 1) socket.write(request(''));
    socket.write(request('Connection: close\r\n'));
    expect((await text(socket)).match(/^HTTP\/1\.1 204 /gm)).toHaveLength(5);
  });

  test('is refused to strangers, without a token, and for what is not in it', async () => {
    const { deploymentId, targets } = await begin(fileOf('index.html', 'x'));
    const [target] = targets;
    if (target === undefined) throw new Error('no target');
    expect((await send(target, 'x', stranger)).status).toBe(404);
    expect((await send(target, 'x', {})).status).toBe(401);
    for (const url of [`${target.url}1`, target.url.replace(deploymentId, 'dpl_0000000000'), target.url.replace('/files/0', '/files/99')])
      expect((await send({ ...target, url }, 'x')).status).toBe(404);
    expect((await call('GET', `/projects/${projectId}/uploads/${deploymentId}`, undefined, stranger)).status).toBe(404);
    expect((await call('POST', `/projects/${projectId}/uploads/${deploymentId}/publish`, undefined, stranger)).status).toBe(404);
    expect(await served(deploymentId, 'index.html')).toBeUndefined();
  });

  test.each([
    ['no files', [], /at least one file/],
    ['a hidden file', [fileOf('.env', 'x')], /\.env: a hidden file/],
    ['a file that leads out', [fileOf('../index.html', 'x')], /invalid file name/],
    ['a file twice', [fileOf('a', 'x'), fileOf('a', 'x')], /a: given twice/],
    ['a file that is a folder, too', [fileOf('a', 'x'), fileOf('a/b', 'x')], /a\/b: its folder is also the name of a file/],
    ['a file that is too large', [{ ...fileOf('a', 'x'), bytes: 25 * 2 ** 20 + 1 }], /a: 25\.0 MiB; allowed: at most 25\.0 MiB a file/],
    ['a name that no file system stores', [fileOf(`${'n'.repeat(256)}`, 'x')], /at most 255 bytes between slashes/],
    ['a digest of another kind', [{ ...fileOf('a', 'x'), sha256: 'abc' }], /64 lower-case hexadecimal digits/],
  ])('with %s is refused', async (_what, files, message) => {
    expect(await call('POST', `/projects/${projectId}/uploads`, { files })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message: expect.stringMatching(message) },
    });
  });

  test('is canceled, and then no longer counts', async () => {
    const { deploymentId, targets } = await begin(fileOf('index.html', 'x'));
    expect((await call('DELETE', `/projects/${projectId}/uploads/${deploymentId}`, undefined, stranger)).status).toBe(404);
    expect((await call('DELETE', `/projects/${projectId}/uploads/${deploymentId}`)).status).toBe(200);
    for (let times = 0; times < 10; times += 1) await begin(fileOf('index.html', 'x'));
    expect((await call('POST', `/projects/${projectId}/uploads`, { files: [fileOf('index.html', 'x')] })).status).toBe(409);
    expect((await call('DELETE', `/projects/${projectId}/uploads/dpl_0000000000`)).status).toBe(404);
    expect(targets).toHaveLength(1);
  });

  test('takes requests in absolute form, as from a proxy', async () => {
    const { targets } = await begin(fileOf('index.html', 'x'));
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const lines = [`PUT ${server.url}${targets[0]?.url} HTTP/1.1`, `Host: ${hostname}:${port}`, `Authorization: Bearer ${owner.access_token}`];
    socket.write(`${lines.join('\r\n')}\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 204 /);
  });

  test('of ten thousand files with long names is taken; an eleventh that is not published is not', async () => {
    const files = Array.from({ length: 10_000 }, (_, n) => fileOf(`${'folder/'.repeat(12)}file-${n}.txt`, String(n)));
    const begun = await call('POST', `/projects/${projectId}/uploads`, { files });
    expect([begun.status, begun.body.files]).toEqual([201, 10_000]);
    for (let times = 1; times < 10; times += 1) await begin(fileOf('index.html', 'x'));
    const refused = await call('POST', `/projects/${projectId}/uploads`, { files: [fileOf('index.html', 'x')] });
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringMatching(/10 uploads .* publish or cancel one, such as dpl_/) } });
  });

  test('whose client is gone in the middle of a file leaves nothing of it', async () => {
    const { deploymentId, targets } = await begin(fileOf('large.bin', Buffer.alloc(1_000_000)));
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `PUT ${targets[0]?.url} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${owner.access_token}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000)}`,
    );
    const folderOf = join(folder.path, 'uploads', projectId);
    await expect.poll(() => readdirSync(folderOf).length).toBe(2);
    socket.destroy();
    await expect.poll(() => readdirSync(folderOf)).toEqual([`${deploymentId}.json`]);
    expect(await served(deploymentId, 'large.bin')).toBeUndefined();
  });
});

describe('a project', () => {
  test('is renamed', async () => {
    expect(await call('PUT', `/projects/${projectId}`, { name: 'Another' })).toMatchObject({ status: 200, body: { projectId, name: 'Another' } });
    expect((await call('GET', `/projects/${projectId}`)).body.name).toBe('Another');
    expect((await call('PUT', `/projects/${projectId}`, { name: ' ' })).status).toBe(400);
    expect((await call('PUT', `/projects/${projectId}`, { name: 'Mine' }, stranger)).status).toBe(404);
  });

  test('is deleted with its uploads, but not while it has domains', async () => {
    const { deploymentId, targets } = await begin(fileOf('index.html', 'x'));
    for (const target of targets) await send(target, 'x');
    await publish(deploymentId);
    expect((await call('DELETE', `/projects/${projectId}`, undefined, stranger)).status).toBe(404);
    const { domainId } = (await call('POST', `/projects/${projectId}/domains`, { host: `www.${projectId.slice(4).toLowerCase()}.test` })).body;
    const refused = await call('DELETE', `/projects/${projectId}`);
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringMatching(/has a domain, www\..*: remove them first/) } });
    await call('DELETE', `/projects/${projectId}/domains/${domainId}`);
    await expect.poll(async () => (await call('GET', `/projects/${projectId}/domains`)).body, { timeout: 10_000 }).toEqual([]);
    expect(await call('DELETE', `/projects/${projectId}`)).toMatchObject({ status: 200, body: { done: true } });
    expect((await call('GET', `/projects/${projectId}`)).status).toBe(404);
    expect((await call('GET', `/accounts/${accountId}/projects`)).body.map(({ projectId: id }: { projectId: string }) => id)).not.toContain(
      projectId,
    );
  });

  test('has a bound on what is stored: deployments, uploads, and what is not removed yet; those that are not current can be deleted', async () => {
    const placeholder: string = (await call('GET', `/projects/${projectId}`)).body.deploymentId;
    const stores = openSqliteStores(folder.path);
    const large = { id: 'dpl_large00001', projectId, createdAt: Date.now(), files: 1, bytes: 20 * 500 * 2 ** 20 - 1_000_000 };
    await stores.projects.deploy(large);
    const upload = (bytes: number) => call('POST', `/projects/${projectId}/uploads`, { files: [{ ...fileOf('index.html', 'x'), bytes }] });
    const refusal = { status: 409, body: { message: expect.stringMatching(/the maximum of 10000\.0 MiB for deployments and uploads/) } };
    // Of several at once none may pass because the others are not counted yet.
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => upload(400_000)));
    expect(outcomes.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(2);
    expect(await upload(1_000_001)).toMatchObject(refusal);
    const deployment = (id: string) => `/projects/${projectId}/deployments/${id}`;
    expect(await call('DELETE', deployment(large.id))).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('is the current deployment') },
    });
    await call('POST', `/projects/${projectId}/rollback`, { deploymentId: placeholder });
    expect((await call('DELETE', deployment(large.id), undefined, stranger)).status).toBe(404);
    expect((await call('DELETE', deployment(large.id))).status).toBe(200);
    expect((await call('DELETE', deployment(large.id))).status).toBe(404);
    expect((await call('GET', `/projects/${projectId}/deployments`)).body).toHaveLength(1);
    expect(await upload(1_000_001)).toMatchObject(refusal);
    await stores.removals.finish({ projectId, deploymentId: large.id, dueAt: 0, bytes: 0 });
    expect((await upload(1_000_001)).status).toBe(201);
    stores.close();
  });

  test('takes a domain as it is pasted', async () => {
    const name = `${projectId.slice(4).toLowerCase()}.test`;
    const added = await call('POST', `/projects/${projectId}/domains`, { host: ` https://WWW.${name}:443/x?y#z ` });
    expect(added).toMatchObject({ status: 201, body: { host: `www.${name}` } });
  });
});
