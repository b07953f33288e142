// The metrics of a running service: judged by Prometheus, with bounded labels, and true.

import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { CONTENT_TYPES } from '../../core/metrics/exposition.ts';
import { FAMILIES } from '../../platforms/embedded/metrics/families.ts';
import { VERSION } from '../../platforms/version.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { promtool, promtoolInstalled } from '../support/promtool.ts';
import { sendRaw } from '../support/raw-http.ts';
import { failInTest, startTestServer } from '../support/test-processes.ts';

const ON = { PETSTORE_METRICS_PORT: '0', PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
const metricsOf = (stdout: string) => /metrics: (http:[^,)]+)/.exec(stdout)?.[1] ?? '';
const keyIn = (text: string) => /petstore_test_[0-9A-Za-z]{46}/.exec(text)?.[0] ?? '';

/** The series of a service, with their values. */
async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
}

/** Sends a request without letting the client change its path. */
function ask(url: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, path, headers, method, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

test('there are none, and no listener, without the setting', async () => {
  const server = await startTestServer(testFolder());
  expect(server.stdout()).not.toContain('metrics');
  expect(await ask(server.url, '/metrics')).toBe(401);
});

describe('a service with metrics', () => {
  test('exports every family, in both formats, and Prometheus finds nothing wrong', async () => {
    const folder = testFolder();
    const server = await startTestServer(folder, ON);
    const url = metricsOf(server.stdout());
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    await ask(server.url, '/v1/pets');
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe(CONTENT_TYPES.prometheus);
    const text = await response.text();
    if (promtoolInstalled) expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
    const open = await fetch(url, { headers: { accept: 'application/openmetrics-text;version=1.0.0' } });
    expect(open.headers.get('content-type')).toBe(CONTENT_TYPES.openmetrics);
    const exported = [...(await open.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    // There is no backup, no certificate and no site yet.
    const later = [FAMILIES.lastBackup, FAMILIES.firstExpiry, FAMILIES.edgeRequests, FAMILIES.handshakes].map(({ name }) => name as string);
    const families = Object.values(FAMILIES).map(({ name }) => name as string);
    expect(exported.toSorted()).toEqual(families.filter((name) => !later.includes(name)).sort());
    expect((await scrape(url)).get(`petstore_build_info{version="${VERSION}",node="${process.version}"}`)).toBe(1);
    expect(await server.stop()).toBe(0);
  });

  test('counts requests and refusals by operation, whatever clients send', async () => {
    const server = await startTestServer(testFolder(), ON);
    const url = metricsOf(server.stdout());
    const authorization = { authorization: `Bearer ${keyIn(server.stdout())}` };
    const before = await scrape(url);
    for (const [path, headers, method] of [
      ['/v1/pets', authorization],
      ['/v1/pets?limit=3', authorization],
      ['/v1/pets/1', authorization],
      ['/v1/pets', {}],
      ...Array.from({ length: 60 }, (_, n) => [`/v1/${n}"\\`, authorization, ['GET', 'POST', 'DELETE'][n % 3]] as const),
      ['/dashboard/v1/me', {}],
      ['/livez', {}],
      ['/docs', {}],
      ['/', { accept: 'text/html' }],
      ['/oidc/.well-known/openid-configuration', {}],
      ['/v1/pets', { host: 'elsewhere.example' }],
    ] as const)
      await ask(server.url, path, headers, method);
    await sendRaw('nonsense\r\n\r\n', server.url);
    const series = await scrape(url);
    expect(Object.fromEntries([...series].filter(([name]) => /^petstore_http_(requests_total|refusals_total)/.test(name)))).toEqual({
      'petstore_http_requests_total{api="catalogue",operation="listPets",status="200"}': 2,
      'petstore_http_requests_total{api="catalogue",operation="listPets",status="401"}': 1,
      'petstore_http_requests_total{api="catalogue",operation="getPet",status="404"}': 1,
      'petstore_http_requests_total{api="catalogue",operation="not_found",status="404"}': 60,
      'petstore_http_requests_total{api="control",operation="getMe",status="401"}': 1,
      'petstore_http_requests_total{api="pages",operation="health",status="200"}': 1,
      'petstore_http_requests_total{api="pages",operation="reference",status="200"}': 1,
      'petstore_http_requests_total{api="dashboard",operation="page",status="200"}': 1,
      'petstore_http_requests_total{api="sign_in",operation="sign_in",status="200"}': 1,
      'petstore_http_refusals_total{api="catalogue",code="unauthorized"}': 1,
      'petstore_http_refusals_total{api="catalogue",code="not_found"}': 61,
      'petstore_http_refusals_total{api="control",code="unauthorized"}': 1,
      'petstore_http_refusals_total{api="listener",code="invalid_request"}': 2,
    });
    expect(series.get('petstore_http_request_duration_seconds_count{api="catalogue",operation="listPets"}')).toBe(3);
    expect([...series].filter(([name]) => name.startsWith('petstore_http_requests_in_progress')).map(([, value]) => value)).toEqual([0, 0, 0, 0, 0]);
    const folderOnly = (all: ReadonlyMap<string, number>) => [...all.keys()].filter((name) => !name.startsWith('petstore_http'));
    expect(folderOnly(series)).toEqual(folderOnly(before));
  });

  test('counts what the edge refuses, and knows the last backup', async () => {
    const folder = testFolder();
    const server = await startTestServer(folder, ON);
    const [, https = '', http = ''] = /custom domains at https:\/\/127\.0\.0\.1:(\d+) and (http:\S+\d)/.exec(server.stdout()) ?? [];
    expect(await ask(http, '/', { host: 'unknown.example' })).toBe(404);
    const socket = connect({ host: '127.0.0.1', port: Number(https), servername: 'unknown.example' });
    await once(socket, 'error').catch(() => {});
    const { createdAt } = await runCliJson<{ createdAt: string }>(folder, ['backup', testFolder()]);
    const series = await scrape(metricsOf(server.stdout()));
    expect(series.get('petstore_edge_requests_total{outcome="not_served",status="404"}')).toBe(1);
    expect(series.get('petstore_edge_tls_handshake_failures_total{reason="unknown_host"}')).toBe(1);
    expect(series.get('petstore_edge_sent_bytes_total')).toBeGreaterThan(100);
    expect(series.get('petstore_last_backup_timestamp_seconds')).toBe(Date.parse(createdAt) / 1_000);
  });

  test('counts the requests for another plan that are open', async () => {
    const folder = testFolder();
    const server = await startTestServer(folder, ON);
    const stores = openSqliteStores(folder);
    const request = { plan: 'business', note: '', requestedBy: 'usr_1', requestedAt: NOON } as const;
    const decided = { ...request, decision: { approved: false, reason: '', at: NOON } };
    for (const each of [request, decided, undefined]) {
      const account = sampleAccount();
      await stores.accounts.createAccount(account);
      expect(await stores.accounts.setPlanRequest(account.id, each)).toBe(true);
    }
    expect((await scrape(metricsOf(server.stdout()))).get('petstore_plan_requests')).toBe(1);
    stores.close();
  });

  test('still says what it has while another process locks the database, and is not ready then', async () => {
    const folder = testFolder();
    const server = await startTestServer(folder, ON);
    const url = metricsOf(server.stdout());
    const other = new DatabaseSync(join(folder, DATABASE_FILE));
    other.exec('BEGIN IMMEDIATE');
    const series = await scrape(url);
    other.close();
    expect(series.get('petstore_ready')).toBe(0);
    expect(series.get('petstore_readiness_check{check="storage",state="failed"}')).toBe(1);
    expect(series.get('petstore_domains{state="live"}')).toBe(0);
    expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  test('knows the path and the methods of its listener only', async () => {
    const server = await startTestServer(testFolder(), ON);
    const url = metricsOf(server.stdout());
    expect(await ask(url, '/metrics?name[]=petstore_ready')).toBe(200);
    expect(await ask(url, '/metrics', {}, 'HEAD')).toBe(200);
    expect(await ask(url, '/metrics', {}, 'POST')).toBe(405);
    for (const path of ['/', '/metrics/', '/v1/pets']) expect(await ask(url, path)).toBe(404);
    expect(await ask(server.url, '/metrics')).toBe(401);
  });

  test('is for those who call it by its own name: no page may point its name to this machine', async () => {
    const server = await startTestServer(testFolder(), ON);
    const url = metricsOf(server.stdout());
    const { port } = new URL(url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) expect(await ask(url, '/metrics', { host })).toBe(200);
    for (const host of [`rebound.example:${port}`, 'rebound.example', 'localhost', `127.0.0.1.example:${port}`])
      expect(await ask(url, '/metrics', { host }), host).toBe(400);
    const refused = await sendRaw('GET /metrics HTTP/1.1\r\nHost: rebound.example\r\n\r\n', url);
    expect(refused).toContain(`header Host: got "rebound.example"; this service is at http://127.0.0.1:${port}\n`);
    expect(refused).not.toContain('petstore_ready');
    expect(await sendRaw('GET /metrics HTTP/1.1\r\nHost: HERE\r\nHost: rebound.example\r\n\r\n', url)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('can be scraped by any name on other addresses, where names of a network lead', async () => {
    const server = await startTestServer(testFolder(), { ...ON, PETSTORE_METRICS_HOST: '0.0.0.0' });
    const url = metricsOf(server.stdout()).replace('0.0.0.0', '127.0.0.1');
    expect(await ask(url, '/metrics', { host: 'petstore.internal:9464' })).toBe(200);
  });

  test('can be the API only, and then says nothing of domains', async () => {
    const server = await startTestServer(testFolder(), { PETSTORE_METRICS_PORT: '0' }, ['start', '--only', 'api']);
    const series = await scrape(metricsOf(server.stdout()));
    expect(series.get('petstore_ready')).toBe(1);
    expect([...series.keys()].join()).not.toContain('petstore_domains');
    expect(await server.stop()).toBe(0);
  });

  test('refuses to start if the port is taken', async () => {
    const server = await startTestServer(testFolder(), ON);
    const { port } = new URL(metricsOf(server.stdout()));
    const { code, stderr } = await failInTest(testFolder(), { ...ON, PETSTORE_METRICS_PORT: port });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^petstore: PETSTORE_METRICS_PORT, PETSTORE_METRICS_HOST: can't listen on 127\.0\.0\.1, port \d+: .*EADDRINUSE.*; choose others$/m,
    );
  });
});
