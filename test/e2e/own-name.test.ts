// The installation at its own name over TLS: by itself, and behind proxies that pass TLS through.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { signIn, title, trustAuthority } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { haproxyInstalled, startHaproxy } from '../support/haproxy.ts';
import { nginxStreamInstalled, startNginxStream } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { runCli, runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

const NAME = 'pets.own.test';
const SHOP = 'www.shop.test';
/** FAILURES_A_MINUTE, twice: a minute may end in between. */
const MOST_FAILURES = 125;

interface Front {
  stop(): Promise<void>;
}

interface Ports {
  readonly http: number;
  readonly https: number;
}

const FRONTS: readonly {
  readonly name: string;
  readonly isInstalled: boolean;
  readonly start?: (folder: string, front: Ports, edge: Ports) => Promise<Front>;
}[] = [
  { name: 'by itself', isInstalled: true },
  { name: 'behind HAProxy, PROXY protocol 2', isInstalled: haproxyInstalled, start: startHaproxy },
  { name: 'behind nginx, PROXY protocol 1', isInstalled: nginxStreamInstalled, start: startNginxStream },
];

describe.each(FRONTS.filter(({ isInstalled }) => isInstalled))('the installation at its own name, $name', ({ start }) => {
  const folder = makeFolder();
  let ports: Ports;
  let edge: Ports;
  let url: string;
  let server: ServerProcess;
  let front: Front | undefined;
  let ca: string;

  beforeAll(async () => {
    ports = { http: await freePort(), https: await freePort() };
    edge = start === undefined ? ports : { http: await freePort(), https: await freePort() };
    url = `https://${NAME}:${ports.https}`;
    server = await startServerProcess(folder.path, {
      PETSTORE_URL: url,
      PETSTORE_EDGE_HTTP_PORT: String(edge.http),
      PETSTORE_EDGE_HTTPS_PORT: String(edge.https),
      ...(start !== undefined && { PETSTORE_EDGE_PROXY_PROTOCOL: 'on', PETSTORE_TRUSTED_PROXIES: '127.0.0.1' }),
    });
    ca = readFileSync(join(folder.path, 'development-ca.pem'), 'utf8');
    front = await start?.(join(folder.path, 'front'), ports, edge);
  });

  afterAll(async () => {
    await front?.stop();
    await server?.stop();
    folder.remove();
  });

  interface Asked {
    readonly host?: string;
    readonly from?: string;
    readonly key?: string;
    readonly forwardedFor?: string;
  }

  function ask(
    path: string,
    { host = NAME, from = '127.0.0.1', key, forwardedFor }: Asked = {},
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
    const headers = {
      host: `${host}:${ports.https}`,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    };
    return new Promise((resolve, reject) => {
      httpsRequest(
        { host: '127.0.0.1', port: ports.https, servername: host, ca, path, headers, localAddress: from, agent: false },
        async (response) => {
          const body = Buffer.concat(await response.toArray()).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        },
      )
        .once('error', reject)
        .end();
    });
  }

  test('serves the API, the dashboard and sign-in with a certificate of its authority', async () => {
    const key = /petstore_test_\w+/.exec(server.stdout())?.[0] ?? '';
    expect((await ask('/v1/pets', { key })).status).toBe(200);
    expect((await ask('/')).headers['strict-transport-security']).toBe('max-age=31536000');
    expect(JSON.parse((await ask('/oidc/.well-known/openid-configuration')).body).issuer).toBe(`${url}/oidc`);
    expect((await ask('/healthz')).status).toBe(200);
  });

  test('leads from http to https', async () => {
    const answer = await new Promise<{ status: number | undefined; location: string | undefined }>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port: ports.http, path: '/docs?a=b', headers: { host: NAME }, agent: false }, (response) => {
        response.resume();
        resolve({ status: response.statusCode, location: response.headers.location });
      })
        .once('error', reject)
        .end();
    });
    expect(answer).toEqual({ status: 301, location: `${url}/docs?a=b` });
  });

  test('counts each client by its own address', async () => {
    let last = 0;
    for (let n = 0; n < MOST_FAILURES && last !== 429; n++) last = (await ask('/v1/pets', { from: '127.0.0.2' })).status;
    expect(last).toBe(429);
    expect((await ask('/v1/pets', { from: '127.0.0.3' })).status).toBe(401);
    // Also a client at the proxy's own address: whatever is in an encrypted connection, the client wrote.
    last = 0;
    for (let n = 0; n < MOST_FAILURES && last !== 429; n++) last = (await ask('/v1/pets', { forwardedFor: `192.0.2.${n}` })).status;
    expect(last).toBe(429);
  });

  test("serves a customer's domain too, and its own name is nobody's", async () => {
    const petstore = <T>(...args: string[]) => runCliJson<T>(folder.path, args);
    const { accountId } = await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Shop', '--plan', 'pro');
    const project = await petstore<{ projectId: string; target: string }>('projects', 'create', '--account', accountId, '--name', 'Shop', '--empty');
    const site = join(folder.path, 'site');
    mkdirSync(site, { recursive: true });
    writeFileSync(join(site, 'index.html'), '<h1>Shop</h1>');
    await petstore('projects', 'deploy', project.projectId, site);
    await petstore('sandbox-dns', 'set', SHOP, 'CNAME', project.target);
    await petstore('domains', 'add', SHOP, '--project', project.projectId);
    await petstore('domains', 'verify', SHOP);
    await runCli(folder.path, ['domains', 'watch', SHOP, '--json']);
    expect(await ask('/', { host: SHOP })).toMatchObject({ status: 200, body: '<h1>Shop</h1>' });
    const { code, stderr } = await runCli(folder.path, ['domains', 'add', NAME, '--project', project.projectId], '', { PETSTORE_URL: url });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${NAME} and all names below it are ours`)]);
  });

  if (start !== undefined)
    test('closes connections that do not come from the proxy or say nothing of their client', async () => {
      const sent = (port: number, from: string, text: string) =>
        new Promise<string>((resolve) => {
          const socket = connect({ port, host: '127.0.0.1', localAddress: from });
          let answer = '';
          socket.on('data', (chunk) => {
            answer += chunk;
          });
          socket.once('close', () => resolve(answer));
          socket.once('error', () => resolve(answer));
          socket.write(text);
        });
      const request = `GET / HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`;
      expect(await sent(edge.http, '127.0.0.1', request)).toBe('');
      expect(await sent(edge.http, '127.0.0.4', `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${request}`)).toBe('');
      expect(await sent(edge.http, '127.0.0.1', `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${request}`)).toMatch(/^HTTP\/1\.1 301 /);
    });

  test.runIf(chromiumInstalled)('users sign in at the name with a browser', async () => {
    const home = join(folder.path, 'home');
    trustAuthority(home, join(folder.path, 'development-ca.pem'));
    const browser = await launchChromium(['--host-resolver-rules=MAP *.test 127.0.0.1'], { HOME: home });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const [, email = '', password = ''] = /(\S+@\S+) {2}(\S+)/.exec(server.stdout()) ?? [];
    await page.goto(`${url}/keys`);
    await signIn(page, { email, password });
    await title(page, /./).waitFor();
    expect(new URL(page.url()).origin).toBe(url);
  });
});
