// The access log of a running service: who gets a line, what is in it, and that nothing secret is.

import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { expect, test, vi } from 'vitest';
import { createAccessLog } from '../../local/log.ts';
import { startTestEdge } from '../support/edge.ts';
import { testFolder } from '../support/folders.ts';
import { runCliJson, type ServerProcess } from '../support/processes.ts';
import { startTestServer } from '../support/test-processes.ts';

/** Without Powertools' form for developers, which the tests' own environment asks for. */
const EDGE = { POWERTOOLS_DEV: 'false', PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const keyIn = (text: string) => /petstore_test_[0-9A-Za-z]{46}/.exec(text)?.[0] ?? '';

/** The entries that a server has logged. */
function entriesOf(server: ServerProcess): readonly Record<string, unknown>[] {
  return server
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

test('has a line for each request of the API, the dashboard and sign-in, with the caller, and without secrets', async () => {
  const folder = testFolder();
  const server = await startTestServer(folder, { ...EDGE, PETSTORE_ACCESS_LOG: 'api' });
  const key = keyIn(server.stdout());
  const { url } = server;
  const ask = (path: string, headers: Record<string, string> = {}) => fetch(url + path, { headers }).then((response) => response.text());
  const body = await ask('/v1/pets?limit=1&status=available', { authorization: `Bearer ${key}`, cookie: 'session=very-secret' });
  const [account] = await runCliJson<{ accountId: string }[]>(folder, ['accounts', 'list']);
  const [record] = await runCliJson<{ keyId: string }[]>(folder, ['keys', 'list', '--account', account?.accountId ?? '']);
  await runCliJson(folder, ['keys', 'revoke', record?.keyId ?? '', '--yes']);
  // A key that was admitted just now is known for a moment.
  await vi.waitFor(async () => expect(await ask('/v1/pets', { authorization: `Bearer ${key}` })).toContain('revoked'), 10_000);
  await ask(`/v1/${key}?token=very-secret`);
  await ask('/dashboard/v1/accounts/acc_x/keys', { authorization: 'Bearer very-secret' });
  await ask('/', { accept: 'text/html', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
  await ask('/oidc/interaction/Xr7mW2kq9ZsT4vB8nL1pQ');
  await vi.waitFor(() => expect(entriesOf(server).at(-1)).toMatchObject({ operation: 'sign_in' }));
  expect(await server.stop()).toBe(0);
  const entries = entriesOf(server);
  expect(entries[0]).toEqual({
    level: 'INFO',
    message: 'request',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    service: 'petstore',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    sourceIp: '127.0.0.1',
    operation: 'listPets',
    method: 'GET',
    path: '/v1/pets',
    status: 200,
    durationMs: expect.any(Number),
    bytes: Buffer.byteLength(body),
    accountId: account?.accountId,
    keyId: record?.keyId,
    plan: 'pro',
  });
  expect(entries).toContainEqual(expect.objectContaining({ status: 401, code: 'unauthorized', keyId: record?.keyId }));
  expect(entries).toContainEqual(expect.objectContaining({ path: '/v1/petstore_test_…', operation: 'not_found' }));
  expect(entries).toContainEqual(expect.objectContaining({ operation: 'listKeys', status: 401, accountId: 'acc_x' }));
  expect(entries).toContainEqual(
    expect.objectContaining({ traceId: TRACE, operation: 'dashboard.page', path: '/', status: 200, bytes: expect.any(Number) }),
  );
  expect(entries).toContainEqual(expect.objectContaining({ operation: 'sign_in', path: '/oidc/interaction/…' }));
  const text = JSON.stringify(entries);
  expect(text).not.toContain(key.slice(14));
  expect(text).not.toContain('very-secret');
});

test.each<[environment: Record<string, string>, lines: number]>([
  [{}, 0],
  [{ PETSTORE_LOG_LEVEL: 'INFO' }, 1],
  [{ PETSTORE_ACCESS_LOG: 'off', PETSTORE_LOG_LEVEL: 'INFO' }, 0],
  [{ PETSTORE_ACCESS_LOG: 'api', PETSTORE_LOG_LEVEL: 'SILENT' }, 1],
  [{ PETSTORE_ACCESS_LOG: 'all' }, 1],
])('%j logs %i requests of 1', async (environment, lines) => {
  const server = await startTestServer(testFolder(), { ...EDGE, ...environment });
  await fetch(`${server.url}/v1/openapi.json`);
  expect(await server.stop()).toBe(0);
  expect(entriesOf(server).filter(({ message }) => message === 'request')).toHaveLength(lines);
});

test('has visits to the sites of those projects only that have chosen it', async () => {
  const entries: unknown[] = [];
  const server = await startTestEdge({ logVisit: (entry) => entries.push(entry) });
  const { project, stores } = server;
  await server.serve('www.shop.test');
  const visit = async (path: string) => {
    const sent = httpsRequest({
      host: '127.0.0.1',
      port: server.httpsPort,
      servername: 'www.shop.test',
      path,
      ca: server.ca,
      agent: false,
    })
      .setHeader('host', 'www.shop.test')
      .setHeader('traceparent', `00-${TRACE}-00f067aa0ba902b7-01`);
    sent.end();
    const [response] = await once(sent, 'response');
    await once(response.resume(), 'close');
  };
  await visit('/');
  await stores.projects.putConfiguration(project.id, { domains: { redirects: [] }, logs: { access: true } });
  await visit('/missing?name=ann');
  await vi.waitFor(() => expect(entries).toHaveLength(1));
  await stores.projects.putConfiguration(project.id, { domains: { redirects: [] } });
  await visit('/');
  expect(entries).toEqual([
    {
      traceId: TRACE,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      sourceIp: '127.0.0.1',
      host: 'www.shop.test',
      projectId: project.id,
      method: 'GET',
      path: '/missing',
      status: 404,
      durationMs: expect.any(Number),
      bytes: expect.any(Number),
      outcome: 'site',
    },
  ]);
  await server.stop();
});

test('writes lines together, and never throws', async () => {
  const written: string[] = [];
  let fails = false;
  const log = createAccessLog(
    (text) => {
      if (fails) throw new Error('the reader is gone');
      written.push(text);
    },
    () => 0,
  );
  for (let n = 0; n < 3; n += 1) log.write('request', { n });
  expect(written).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toHaveLength(1);
  expect(written[0]?.split('\n')).toHaveLength(4);
  log.write('request', { path: 'x'.repeat(70_000) });
  expect(written).toHaveLength(2);
  fails = true;
  log.write('request', {});
  log.flush();
  expect(written).toHaveLength(2);
});
