// The command line in a pipeline: a deploy token in the environment, and no session.

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, commandJson } from '../support/command-line.ts';
import { makeFolder } from '../support/folders.ts';
import { logIn } from '../support/login.ts';
import { type Finished, type ServerProcess, startServerProcess } from '../support/processes.ts';

const folder = makeFolder();
const home = makeFolder();
/** A folder without a database: these commands must need none. */
const NOWHERE = '/nonexistent';
let server: ServerProcess;
let session = '';
let projectId = '';
let token = '';
const tokens = (method: string, id = '', body?: object) =>
  fetch(`${server.url}/dashboard/v1/projects/${projectId}/deploy-tokens${id}`, {
    method,
    headers: {
      authorization: `Bearer ${session}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
const newToken = async () => (await tokens('POST', '', { name: 'CI' })).json() as Promise<{ token: string; tokenId: string }>;
const pipeline = (deployToken: string, ...args: string[]): Promise<Finished> =>
  command(NOWHERE, ['--url', server.url, ...args], { XDG_CONFIG_HOME: NOWHERE, PETSTORE_DEPLOY_TOKEN: deployToken });

beforeAll(async () => {
  server = await startServerProcess(folder.path);
  const [, email = '', password = ''] = /(\S+@petstore\.test) {2}(\S+)/.exec(server.stdout()) ?? [];
  await logIn(server.url, { email, password }, { XDG_CONFIG_HOME: home.path });
  session = JSON.parse(readFileSync(join(home.path, 'petstore/credentials.json'), 'utf8'))[server.url].accessToken;
  const account = (await commandJson<{ accountId: string }[]>(folder.path, ['accounts', 'list']))[0]?.accountId ?? '';
  ({ projectId } = await commandJson<{ projectId: string }>(folder.path, ['projects', 'create', '--account', account, '--name', 'Pipeline']));
  ({ token } = await newToken());
});

afterAll(async () => {
  await server.stop();
  folder.remove();
  home.remove();
});

test('a pipeline with a deploy token publishes, lists and rolls back', async () => {
  const site = makeSite({ 'index.html': 'from the pipeline' });
  const published = await pipeline(`${token}\n`, 'projects', 'deploy', projectId, site, '--json');
  expect([published.code, published.stderr]).toEqual([0, '']);
  const { deploymentId } = JSON.parse(published.stdout);
  expect(JSON.parse((await pipeline(token, 'projects', 'deployments', projectId, '--json')).stdout)[0]).toMatchObject({
    deploymentId,
    current: true,
  });
  expect((await pipeline(token, 'projects', 'rollback', projectId)).code).toBe(0);
});

test('it is told that its token was revoked, not to sign in', async () => {
  const revoked = await newToken();
  expect((await tokens('DELETE', `/${revoked.tokenId}`)).status).toBe(200);
  const { code, stderr } = await pipeline(revoked.token, 'projects', 'deployments', projectId);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`PETSTORE_DEPLOY_TOKEN: ${server.url} refused it; it has expired or was revoked`)]);
  expect(stderr).not.toContain('petstore login');
});

test('it is told what the token cannot do, and what is wrong with it', async () => {
  const said = async (deployToken: string, ...args: string[]) => (await pipeline(deployToken, ...args)).stderr;
  expect(await said(token, 'projects', 'delete', projectId, '--yes')).toContain('is a deploy token, which only publishes');
  expect(await said(`${token}x`, 'projects', 'deployments', projectId)).toContain('PETSTORE_DEPLOY_TOKEN: not a deploy token');
  expect(await said(token, 'projects', 'deployments', 'prj_0123456789')).toContain('no project "prj_0123456789"');
  const large = makeSite({ 'index.html': 'x', 'a/b': 'x' });
  expect(await said(token, 'projects', 'deploy', projectId, join(large, 'nothing'))).toContain('no such folder');
});

function makeSite(files: Readonly<Record<string, string>>): string {
  const site = { path: mkdtempSync(join(home.path, 'site-')) };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(site.path, name, '..'), { recursive: true });
    writeFileSync(join(site.path, name), content);
  }
  return site.path;
}
