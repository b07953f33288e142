// Visitors who ask all the time while an operator's commands, in processes of their own, change what they get: what was there before a command is not
// seen after it has ended, also if the edge holds it in memory.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../../support/folders.ts';
import { runCliJson, type ServerProcess, startServerProcess } from '../../support/processes.ts';

const DOMAIN = 'www.race.test';
/** Together some 2,000 requests a second. */
const VISITORS = 4;
/** A file, one without its ending, one that is compressed, and a missing one, each with the deployment's text. */
const PATHS = ['/', '/about', '/long.txt', '/missing'];
/** How long visitors go on after a command, in milliseconds. */
const AFTER_MS = 300;

const folder = makeFolder();
const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });
let server: ServerProcess;
let port: number;
let ca: Buffer;
/** The project's own address. */
let address: string;
let account: string;
let project: string;
/** Answers that were compressed. */
let compressed = 0;

const petstore = <T>(...args: string[]) => runCliJson<T>(folder.path, args);

function deploy(version: string) {
  const site = join(folder.path, `site-${version}`);
  mkdirSync(site);
  for (const name of ['index.html', 'about.html', '404.html', 'long.txt'])
    writeFileSync(join(site, name), name === 'long.txt' ? version.padEnd(2_000) : version);
  return petstore<{ deploymentId: string }>('projects', 'deploy', project, site);
}

/** The text of what a visitor gets, or that the host is refused. */
function visit(host: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    request({ agent, host: '127.0.0.1', port, servername: host, path, ca, headers: { host, 'accept-encoding': 'br' } }, async (response) => {
      const content = await buffer(response);
      const body = String(response.headers['content-encoding'] === 'br' ? brotliDecompressSync(content) : content);
      compressed += response.headers['content-encoding'] === 'br' ? 1 : 0;
      resolve(response.statusCode === 421 ? 'refused' : body.trim());
    })
      // Without a certificate, there is no connection.
      .once('error', () => resolve('refused'))
      .end();
  });
}

/** Runs a command while visitors ask. @returns what they got all the time, and for requests that they sent after the command had ended */
async function during(host: string, command: () => Promise<unknown>) {
  const seen = new Set<string>();
  const after = new Set<string>();
  let endedAt = Number.POSITIVE_INFINITY;
  const visitor = async (_: unknown, first: number) => {
    for (let n = first; performance.now() < endedAt + AFTER_MS; n += 1) {
      const sentAt = performance.now();
      const got = await visit(host, PATHS[n % PATHS.length] ?? '/');
      seen.add(got);
      if (sentAt > endedAt) after.add(got);
    }
  };
  const visitors = Promise.all(Array.from({ length: VISITORS }, visitor));
  await command();
  endedAt = performance.now();
  await visitors;
  return { seen: [...seen].sort(), after: [...after] };
}

beforeAll(async () => {
  server = await startServerProcess(folder.path);
  port = Number(/custom domains at https:\/\/[\d.]+:(\d+)/.exec(server.stdout())?.[1]);
  ca = readFileSync(join(folder.path, 'development-ca.pem'));
  account = (await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Owner', '--plan', 'pro')).accountId;
  const made = await petstore<{ projectId: string; target: string }>('projects', 'create', '--account', account, '--name', 'Shop', '--empty');
  project = made.projectId;
  address = made.target;
});

afterAll(async () => {
  agent.destroy();
  await server.stop();
  folder.remove();
});

test('nothing of the old state is answered after a command has ended', async () => {
  const first = await deploy('first');
  await petstore('sandbox-dns', 'set', DOMAIN, 'CNAME', address);
  await petstore('domains', 'add', DOMAIN, '--project', project);
  await petstore('domains', 'verify', DOMAIN);
  await expect.poll(() => visit(DOMAIN, '/')).toBe('first');

  expect(await during(DOMAIN, () => deploy('second'))).toMatchObject({ seen: ['first', 'second'], after: ['second'] });
  const back = await during(address, () => petstore('projects', 'rollback', project, '--to', first.deploymentId));
  expect(back).toMatchObject({ seen: ['first', 'second'], after: ['first'] });
  expect(await during(DOMAIN, () => petstore('domains', 'remove', DOMAIN, '--yes'))).toMatchObject({
    seen: ['first', 'refused'],
    after: ['refused'],
  });
  expect(await visit(address, '/')).toBe('first');
  const suspended = await during(address, () => petstore('accounts', 'suspend', account, '--reason', 'unpaid'));
  expect(suspended).toMatchObject({ seen: ['first', 'refused'], after: ['refused'] });
  expect(await during(address, () => petstore('accounts', 'resume', account))).toMatchObject({ seen: ['first', 'refused'], after: ['first'] });
  expect(compressed).toBeGreaterThan(0);
  const deleted = await during(address, () => petstore('projects', 'delete', project, '--yes'));
  expect(deleted).toMatchObject({ seen: ['first', 'refused'], after: ['refused'] });
});
