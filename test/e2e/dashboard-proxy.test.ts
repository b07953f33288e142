// The dashboard and the API at a public name, behind nginx with TLS, configured as docs/server/address.md says.

import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { ROOT_FILE } from '../../adapters/files/data-folder.ts';
import { MIGRATIONS } from '../../adapters/store/sqlite/migrations.ts';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { button, signIn, title, trustAuthority } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { type Nginx, nginxInstalled, startNginx } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { type ServerProcess, startServerProcess } from '../support/processes.ts';
import { petBody } from '../support/samples.ts';

const NAME = 'pets.proxy.test';

describe.runIf(chromiumInstalled && nginxInstalled)('dashboard behind nginx', () => {
  const folder = makeFolder();
  const files = { certificate: join(folder.path, 'nginx.pem'), key: join(folder.path, 'nginx.key') };
  let port: number;
  let url: string;
  let ca: string;
  let server: ServerProcess;
  let nginx: Nginx;
  let browser: Browser;

  beforeAll(async () => {
    port = await freePort();
    url = `https://${NAME}:${port}`;
    server = await startServerProcess(folder.path, { PETSTORE_URL: url, PETSTORE_TRUSTED_PROXIES: '127.0.0.1' });
    const database = new DatabaseSync(':memory:');
    for (const migration of MIGRATIONS) database.exec(migration);
    const vault = createSqliteVault(database);
    const authority = await createDevelopmentAuthority(folder.path, vault, Date.now);
    const own = vault.get(await authority.request(NAME, 'nginx'));
    writeFileSync(files.certificate, own?.chain ?? '');
    writeFileSync(files.key, own?.privateKey ?? '');
    ca = readFileSync(join(folder.path, ROOT_FILE), 'utf8');
    nginx = await startNginx(join(folder.path, 'nginx'), documentedConfiguration(), port);
    const home = join(folder.path, 'home');
    trustAuthority(home, join(folder.path, ROOT_FILE));
    browser = await launchChromium(['--host-resolver-rules=MAP *.test 127.0.0.1'], { HOME: home });
  });

  afterAll(async () => {
    await browser?.close();
    await nginx?.stop();
    await server?.stop();
    folder.remove();
  });

  /** The configuration in docs/server/address.md, with the names and ports of this test. */
  function documentedConfiguration(): string {
    const text = /```nginx\n([\s\S]*?)```/.exec(readFileSync(join(import.meta.dirname, '../../docs/server/address.md'), 'utf8'))?.[1] ?? '';
    const changes = {
      'listen 443': `listen 127.0.0.1:${port}`,
      'server_name pets.example.com': `server_name ${NAME}`,
      '/etc/ssl/pets.example.com.pem': files.certificate,
      '/etc/ssl/pets.example.com.key': files.key,
      '127.0.0.1:8080': new URL(server.url).host,
    };
    return Object.entries(changes).reduce((changed, [from, to]) => {
      expect(changed).toContain(from);
      return changed.replace(from, to);
    }, text);
  }

  interface Answer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: string;
  }

  function ask(path: string, { key = '', body, host = `${NAME}:${port}` }: { key?: string; body?: unknown; host?: string } = {}): Promise<Answer> {
    const headers = { host, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    return new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, servername: NAME, ca, path, method, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      })
        .once('error', reject)
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  test('users sign in at the public name, and the key that they issue works there', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const [, email = '', password = ''] = /(\S+@\S+) {2}(\S+)/.exec(server.stdout()) ?? [];
    await page.goto(`${url}/keys`);
    await signIn(page, { email, password });
    await title(page, /./).waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await button(page, 'Create key').first().click();
    await page.getByLabel('Name').fill('Till');
    await button(page, 'Create').click();
    const key = (await page.getByText(/^petstore_test_\w+$/).textContent()) ?? '';
    await button(page, "I've saved it").click();
    expect(new URL(page.url()).origin).toBe(url);
    const cookies = await context.cookies(url);
    expect(cookies.length).toBeGreaterThan(0);
    expect(cookies.filter(({ secure }) => !secure)).toEqual([]);

    for (const name of ['One', 'Two']) expect((await ask('/v1/pets', { key, body: JSON.parse(petBody({ name })) })).status).toBe(201);
    const list = await ask('/v1/pets?limit=1', { key });
    expect([list.status, list.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    const next = /^<([^>]+)>/.exec(String(list.headers.link))?.[1] ?? '';
    expect(new URL(next).origin).toBe(url);
    expect(JSON.parse((await ask(next.slice(url.length), { key })).body)).toMatchObject([{ name: 'Two' }]);

    await button(page, email).click();
    await button(page, 'Sign out').click();
    await button(page, 'Sign out').click();
    await page.getByLabel('Password').waitFor();
    expect(new URL(page.url()).origin).toBe(url);
    await context.close();
  });

  test('every URL of the service uses the public name', async () => {
    const discovery = await ask('/oidc/.well-known/openid-configuration');
    expect(JSON.parse(discovery.body)).toMatchObject({
      issuer: `${url}/oidc`,
      token_endpoint: `${url}/oidc/token`,
      end_session_endpoint: `${url}/oidc/session/end`,
    });
    const { issuer, authorization_endpoint, token_endpoint, end_session_endpoint } = JSON.parse(discovery.body);
    // The dashboard signs in by what its configuration says, without requesting this document.
    expect(JSON.parse((await ask('/dashboard/config.json')).body)).toMatchObject({
      authority: `${url}/oidc`,
      apiUrl: url,
      metadata: { issuer, authorization_endpoint, token_endpoint, end_session_endpoint },
    });
    expect(server.stdout()).toContain(`(public address: ${url}, dashboard: ${url}/, reference: ${url}/docs,`);
    expect((await ask('/docs', { host: 'rebound.example' })).status).toBe(400);
    expect((await ask('/docs', { host: NAME })).status).toBe(200);
    expect((await fetch(`${server.url}/docs`)).status).toBe(200);
  });
});
