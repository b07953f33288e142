// Two hosts whose configuration names an adapter for everything that hosts share are one installation.

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as requestHost } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { eventually } from '../support/eventually.ts';
import { testFolder } from '../support/folders.ts';
import { freeDnsPort, freePort } from '../support/ports.ts';
import { exchange, signIn } from '../support/sign-in.ts';

const ADAPTER = join(import.meta.dirname, '../support/shared-sqlite.ts');

/** A proxy before the hosts, as a load balancer is. */
async function startProxy() {
  let port = 0;
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const forwarded = requestHost({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  const own = await freePort();
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    origin: `http://127.0.0.1:${own}`,
    leadTo: ({ url }: ControlHost) => {
      port = Number(new URL(url).port);
    },
  };
}

/** The name of the certificate that a host's edge presents. */
function issuerAt(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().issuer.CN));
      socket.destroy();
    }).once('error', reject);
  });
}

test('a sign-in, a project and a domain of one host are those of the other; their folders have keys and caches only', {
  timeout: 120_000,
}, async () => {
  const [shared, ...folders] = [testFolder(), testFolder(), testFolder()];
  const configuration = join(testFolder(), 'petstore.config.mjs');
  writeFileSync(
    configuration,
    `import { sharedSqlite } from ${JSON.stringify(ADAPTER)};\nexport default { adapters: [sharedSqlite(${JSON.stringify(shared)})] };\n`,
  );
  const proxy = await startProxy();
  const hosts: ControlHost[] = [];
  const edges: number[] = [];
  for (const folder of folders) {
    const [https, dns] = [await freePort(), await freeDnsPort()];
    const settings = {
      PETSTORE_CONFIG: configuration,
      PETSTORE_URL: proxy.origin,
      PETSTORE_EDGE_HTTPS_PORT: String(https),
      PETSTORE_SANDBOX_DNS_PORT: String(dns),
      PETSTORE_METRICS_PORT: '0',
    };
    const host = await startControlHost(folder, 0, settings);
    onTestFinished(host.stop);
    hosts.push(host);
    edges.push(https);
  }
  const [one, two] = hosts as [ControlHost, ControlHost];
  const { email = '', password = '' } = one.demo ?? {};
  expect([two.demo, one.adapters]).toEqual([undefined, expect.stringContaining('shared-sqlite (accounts, usage, members')]);
  for (const file of ['identity-keys.json', 'development-ca.pem'])
    expect(readFileSync(join(folders[0] ?? '', file), 'utf8')).toBe(readFileSync(join(folders[1] ?? '', file), 'utf8'));

  proxy.leadTo(one);
  const tokens = await signIn(proxy.origin, email, password);
  const call = async <T = unknown>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${tokens.access_token}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${proxy.origin}/dashboard/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as T };
  };
  const [account] = (await call<{ accountId: string }[]>('GET', '/accounts')).body;
  const { projectId } = (await call<{ projectId: string }>('POST', `/accounts/${account?.accountId}/projects`, { name: 'Shop' })).body;
  proxy.leadTo(two);
  expect((await call('GET', '/me')).body).toMatchObject({ email });
  expect((await call('GET', `/projects/${projectId}`)).body).toMatchObject({ name: 'Shop' });
  // Its session is renewed here, and ended for both.
  const renewed = await exchange(proxy.origin, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  expect(renewed.access_token).not.toBe(tokens.access_token);

  const files = openSqliteStores(shared ?? '');
  onTestFinished(files.close);
  await createFolderSiteStore(shared ?? '').put({ id: 'dpl_1', projectId }, 'index.html', Readable.from([Buffer.from('hello')]), 5);
  await files.projects.deploy({ id: 'dpl_1', projectId, createdAt: Date.now(), files: 1, bytes: 5 });

  // Both hosts' timers look for work; one does each piece.
  const host = 'www.two-hosts.test';
  const { domainId } = (await call<{ domainId: string }>('POST', `/projects/${projectId}/domains`, { host })).body;
  proxy.leadTo(one);
  expect(await call('POST', `/projects/${projectId}/domains/${domainId}/publish`)).toMatchObject({ status: 200 });
  expect(await call('POST', `/projects/${projectId}/domains/${domainId}/verify`)).toMatchObject({ status: 200 });
  await eventually(
    async () => (await call<{ state: string }>('GET', `/projects/${projectId}/domains/${domainId}`)).body,
    (domain) => expect(domain.state).toBe('live'),
  );
  // Each of them says so.
  for (const { metrics = '', url } of hosts) {
    expect((await (await fetch(metrics)).text()).split('\n')).toEqual(
      expect.arrayContaining(['petstore_domains{state="live"} 1', 'petstore_queue_due_items{queue="notifications"} 0']),
    );
    const { checks } = (await (await fetch(`${url}/readyz`)).json()) as { checks: { name: string; state: string }[] };
    expect(checks).toContainEqual({ name: 'domains', state: 'ok' });
  }
  const issuers = await Promise.all(edges.map((port) => issuerAt(port, host)));
  expect(issuers[0]).toBe(issuers[1]);
  for (const folder of folders) {
    const { database, close } = openSqliteStores(folder);
    for (const table of ['accounts', 'users', 'projects', 'domains', 'oidc', 'certificates', 'audit', 'sandbox_records'])
      expect([table, database.prepare(`SELECT count(*) AS n FROM ${table}`).get()]).toEqual([table, { n: 0 }]);
    close();
  }
  expect([one.faults, two.faults]).toEqual([[], []]);
});
