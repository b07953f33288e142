// When the host ends an upload of a file that is arriving. The sockets are real; the test says when the host checks.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { allowChanges, stopChanges } from '../../platforms/embedded/changes.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { signIn, type Tokens } from '../support/sign-in.ts';

const BYTES = 200_000;
const CONTENT = Buffer.alloc(BYTES, 'x');
const CHECK_MS = 10_000;

const folder = makeFolder();
let server: ControlHost;
let user: Tokens;
let users = 0;
let email = '';
let accountId = '';
let projectId = '';
let deploymentId = '';
let target = '';

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.url}/dashboard/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${user.access_token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  return (await response.json()) as any;
}

beforeAll(async () => {
  server = await startControlHost(folder.path);
});

beforeEach(async () => {
  users += 1;
  email = `user${users}@petstore.test`;
  const stores = openSqliteStores(folder.path);
  await createSqliteUserStore(stores.database).add({ id: `usr_${users}`, email }, 'password of a user');
  stores.close();
  user = await signIn(server.url, email, 'password of a user');
  ({ accountId } = await call('POST', '/accounts', { name: 'Slow' }));
  ({ projectId } = await call('POST', `/accounts/${accountId}/projects`, { name: 'Slow' }));
  const sha256 = createHash('sha256').update(CONTENT).digest('hex');
  ({ deploymentId } = await call('POST', `/projects/${projectId}/uploads`, { files: [{ name: 'large.bin', bytes: BYTES, sha256 }] }));
  target = (await call('GET', `/projects/${projectId}/uploads/${deploymentId}`)).targets[0].url;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server.stop();
  folder.remove();
});

const transit = () => join(folder.path, 'uploads', projectId);
/** Bytes of the file that have reached the disk. */
const arrived = () =>
  readdirSync(transit())
    .filter((name) => name.endsWith('.partial'))
    .reduce((sum, name) => sum + statSync(join(transit(), name)).size, 0);
const isNothingLeft = () => readdirSync(transit()).every((name) => !name.endsWith('.partial'));
const isStored = () => readdirSync(join(folder.path, 'sites', projectId), { recursive: true }).some((name) => String(name).endsWith('large.bin'));

/** Sends the beginning of the file, and waits until it has arrived. */
async function sendSome(
  bytes: number,
  path = target,
  token = user.access_token,
): Promise<{ socket: Socket; answer: Promise<string>; send: (more: number) => Promise<void> }> {
  const { host, hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const answer = text(socket);
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${BYTES}\r\nConnection: close\r\n\r\n`);
  let sent = 0;
  const send = async (more: number) => {
    socket.write(CONTENT.subarray(sent, sent + more));
    sent += more;
    if (sent < BYTES) await expect.poll(arrived).toBe(sent);
  };
  await send(bytes);
  return { socket, answer, send };
}

test('a byte now and then is not enough: the answer says what has arrived, and what is allowed', async () => {
  const { socket, answer, send } = await sendSome(1);
  for (let check = 1; check < 7; check += 1) {
    vi.advanceTimersByTime(CHECK_MS);
    if (check % 2 === 0) await send(1);
  }
  expect(arrived()).toBe(4);
  vi.advanceTimersByTime(CHECK_MS);
  const refused = await answer;
  expect(refused).toMatch(/^HTTP\/1\.1 408 /);
  expect(refused).toMatch(/^connection: close$/im);
  expect(JSON.parse(refused.split('\r\n\r\n')[1] ?? '')).toEqual({
    code: 'request_timeout',
    message: 'body: got 4 bytes in 70 s; allowed: at least 512 bytes a second, with pauses of less than 60 s; send the file again',
    status: 408,
  });
  if (!socket.closed) await once(socket, 'close');
  await expect.poll(isNothingLeft).toBe(true);
});

test('a file that is arriving does not delay a stop of changes, and is sent again afterwards', async () => {
  const { answer } = await sendSome(1_000);
  await stopChanges(folder.path, 'PostgreSQL');
  const refused = await answer;
  expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused).toMatch(/^retry-after: 10$/im);
  expect(refused).toContain('this installation is being moved');
  expect(isNothingLeft()).toBe(true);
  allowChanges(folder.path);
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).text()).not.toContain('moved');
  const again = await sendSome(BYTES);
  expect(await again.answer).toMatch(/^HTTP\/1\.1 204 /);
});

test('a slow line, and one that is silent for 50 s, are enough', async () => {
  const { answer, send } = await sendSome(6_000);
  for (let check = 1; check < 20; check += 1) {
    vi.advanceTimersByTime(CHECK_MS);
    await send(6_000);
  }
  for (let check = 0; check < 5; check += 1) vi.advanceTimersByTime(CHECK_MS);
  await send(BYTES - 20 * 6_000);
  expect(await answer).toMatch(/^HTTP\/1\.1 204 /);
  expect(isStored()).toBe(true);
});

const ENDS: readonly (readonly [string, () => Promise<unknown>, number])[] = [
  ['has signed out', () => call('POST', '/me/sign-out'), 401],
  ['is signed out by the operator', () => runCliJson(folder.path, ['users', 'sign-out', email]), 401],
  ['is removed', () => runCliJson(folder.path, ['users', 'remove', email, '--yes']), 401],
  ['has a suspended account', () => runCliJson(folder.path, ['accounts', 'suspend', accountId, '--reason', 'unpaid']), 403],
  ['has deleted the project', () => call('DELETE', `/projects/${projectId}`), 404],
  ['has canceled the upload', () => call('DELETE', `/projects/${projectId}/uploads/${deploymentId}`), 404],
];

test.each(ENDS)('the upload of a user who %s ends at the next check', async (_, end, status) => {
  const { answer } = await sendSome(1_000);
  await end();
  vi.advanceTimersByTime(CHECK_MS);
  expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  await expect.poll(isNothingLeft).toBe(true);
});

test.each(ENDS)('nothing is stored of a user who %s, also if the file is complete before the next check', async (_, end, status) => {
  const { answer, send } = await sendSome(1_000);
  await end();
  await send(BYTES - 1_000);
  expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(isStored()).toBe(false);
});

test('a deploy token that is revoked ends its upload', async () => {
  const { tokenId, token } = await call('POST', `/projects/${projectId}/deploy-tokens`, { name: 'CI' });
  const { answer } = await sendSome(1_000, target.replace('/dashboard/', '/deploy/'), token);
  await call('DELETE', `/projects/${projectId}/deploy-tokens/${tokenId}`);
  vi.advanceTimersByTime(CHECK_MS);
  expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
});
