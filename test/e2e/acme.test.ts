// A domain whose certificate is issued by an ACME authority: the service as users run it, Pebble, and real DNS between them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../support/folders.ts';
import { type Pebble, pebbleInstalled, startPebble } from '../support/pebble.ts';
import { freeDnsPort, freePort } from '../support/ports.ts';
import { runCli, runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

describe.runIf(pebbleInstalled)('a certificate from an ACME authority', () => {
  const folder = makeFolder();
  let pebble: Pebble;
  let server: ServerProcess;
  let environment: Record<string, string>;
  let project: { projectId: string; target: string };

  const petstore = <T>(...args: string[]) => runCliJson<T>(folder.path, args);
  const watch = async (host: string) => {
    const { stdout } = await runCli(folder.path, ['domains', 'watch', host, '--json']);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
  };
  const page = (host: string, ca: string) =>
    new Promise<{ body: string; issuer: string }>((resolve, reject) => {
      const port = Number(environment.PETSTORE_EDGE_HTTPS_PORT);
      request({ host: '127.0.0.1', port, servername: host, headers: { host }, ca, agent: false }, (response) => {
        const issuer = String((response.socket as import('node:tls').TLSSocket).getPeerCertificate().issuer.CN);
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ body, issuer }));
      })
        .once('error', reject)
        .end();
    });

  beforeAll(async () => {
    const [http, https, dns] = [await freePort(), await freePort(), await freeDnsPort()];
    pebble = await startPebble(join(folder.path, 'pebble'), { httpPort: http, dnsServer: `127.0.0.1:${dns}` });
    environment = {
      PETSTORE_EDGE_HTTP_PORT: String(http),
      PETSTORE_EDGE_HTTPS_PORT: String(https),
      PETSTORE_SANDBOX_DNS_PORT: String(dns),
      PETSTORE_ACME_DIRECTORY: pebble.directory,
      PETSTORE_ACME_CA_FILE: pebble.caFile,
      PETSTORE_ACME_ISSUERS: 'pebble.test',
    };
    server = await startServerProcess(folder.path, environment);
    const { accountId } = await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Owner', '--plan', 'pro');
    project = await petstore('projects', 'create', '--account', accountId, '--name', 'Shop');
    mkdirSync(join(folder.path, 'site'));
    writeFileSync(join(folder.path, 'site/index.html'), 'by ACME');
    await petstore('projects', 'deploy', project.projectId, join(folder.path, 'site'));
  });

  afterAll(async () => {
    await server.stop();
    await pebble.stop();
    folder.remove();
  });

  const verify = async (host: string) => {
    await petstore('domains', 'add', host, '--project', project.projectId);
    await petstore('domains', 'verify', host);
    return watch(host);
  };

  test('is issued automatically once the record exists, and the page is served with it', async () => {
    const host = 'www.acme-shop.test';
    await petstore('sandbox-dns', 'set', host, 'CNAME', project.target);
    expect(await verify(host)).toMatchObject({ state: 'live' });
    const { body, issuer } = await page(host, await pebble.issuingRoot());
    expect([body, issuer]).toEqual(['by ACME', expect.stringMatching(/^Pebble Intermediate/)]);
  });

  test("is issued for a project's own address at the first visit", async () => {
    const root = await pebble.issuingRoot();
    // The handshake waits for the authority, for some seconds.
    await expect
      .poll(() => page(project.target, root).catch(() => undefined))
      .toEqual({ body: 'by ACME', issuer: expect.stringMatching(/^Pebble Intermediate/) });
  });

  test('is not requested where CAA forbids the authority', async () => {
    const host = 'www.caa-shop.test';
    await petstore('sandbox-dns', 'set', host, 'CNAME', project.target);
    await petstore('sandbox-dns', 'set', 'caa-shop.test', 'CAA', '0 issue "other.test"');
    await petstore('domains', 'add', host, '--project', project.projectId);
    expect(await petstore('domains', 'verify', host)).toMatchObject({ state: 'verifying', diagnosis: { code: 'caa_blocked' } });
    await petstore('sandbox-dns', 'set', 'caa-shop.test', 'CAA', '0 issue "pebble.test"');
    await petstore('domains', 'verify', host);
    expect(await watch(host)).toMatchObject({ state: 'live' });
  });

  // What the kill interrupts is repeated after 15 to 60 seconds: the lookup, the validation, or a request to the authority.
  test('is obtained by the next process if the first is killed while waiting', async () => {
    const host = 'www.killed-shop.test';
    await petstore('sandbox-dns', 'set', host, 'CNAME', project.target);
    await petstore('domains', 'add', host, '--project', project.projectId);
    // The command waits for the first answer; the process is killed while the rest is in progress.
    const verified = petstore('domains', 'verify', host);
    const stateOf = async () => ((await petstore('domains', 'show', host)) as { state: string }).state;
    await expect.poll(stateOf).not.toBe('awaiting_dns');
    await server.stop('SIGKILL');
    server = await startServerProcess(folder.path, environment);
    await verified;
    expect(await watch(host)).toMatchObject({ state: 'live' });
    expect((await page(host, await pebble.issuingRoot())).body).toBe('by ACME');
  });
});
