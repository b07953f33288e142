// A page on a custom domain in Chromium, which trusts the development authority as a developer's browser would; no other check is relaxed.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli, runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

const HOST = 'www.browser.test';

describe.runIf(chromiumInstalled)('a browser', () => {
  const folder = makeFolder();
  const home = join(folder.path, 'home');
  let server: ServerProcess;
  let port = '';

  beforeAll(async () => {
    server = await startServerProcess(folder.path);
    port = /custom domains at https:\/\/[\d.]+:(\d+)/.exec(server.stdout())?.[1] ?? '';
    const { accountId } = await runCliJson<{ accountId: string }>(folder.path, ['accounts', 'create', '--name', 'A', '--plan', 'pro']);
    const { projectId } = await runCliJson<{ projectId: string }>(folder.path, [
      'projects',
      'create',
      '--account',
      accountId,
      '--name',
      'Corner Shop',
    ]);
    await runCliJson(folder.path, ['domains', 'add', HOST, '--project', projectId]);
    await runCliJson(folder.path, ['domains', 'publish', HOST]);
    await runCliJson(folder.path, ['domains', 'verify', HOST]);
    await runCli(folder.path, ['domains', 'watch', HOST]);
    const database = `sql:${join(home, '.pki/nssdb')}`;
    mkdirSync(join(home, '.pki/nssdb'), { recursive: true });
    for (const args of [
      ['-N', '--empty-password'],
      ['-A', '-t', 'C,,', '-n', 'petstore', '-i', join(folder.path, 'development-ca.pem')],
    ]) {
      const { status, stderr } = spawnSync('certutil', ['-d', database, ...args], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`certutil: ${stderr}`);
    }
  });

  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  async function visit(environment: Record<string, string>): Promise<{ title: string; protocol: string; issuer: string }> {
    const browser = await launchChromium([`--host-resolver-rules=MAP *.test 127.0.0.1`], environment);
    try {
      const page = await browser.newPage();
      const response = await page.goto(`https://${HOST}:${port}/`);
      const details = await response?.securityDetails();
      return { title: await page.title(), protocol: details?.protocol ?? '', issuer: details?.issuer ?? '' };
    } finally {
      await browser.close();
    }
  }

  test('shows the page of a live domain once it trusts the authority', async () => {
    expect(await visit({ HOME: home })).toEqual({
      title: expect.stringContaining('Corner Shop'),
      protocol: 'TLS 1.3',
      issuer: expect.stringContaining('Petstore development CA'),
    });
  });

  test('refuses the page if it does not trust the authority', async () => {
    await expect(visit({ HOME: folder.path })).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID');
  });
});
