// Lists in pages, over HTTP: every link leads to the next page.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { controlOpenApi } from '../../service/control/openapi.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { undeclaredHeaders } from '../support/declared-headers.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { signIn } from '../support/sign-in.ts';

const folder = makeFolder();
let server: ControlHost;
let token = '';
let accountId = '';
let projectId = '';

async function get(path: string, bearer = token): Promise<{ status: number; body: unknown; link: string | null }> {
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
  expect(
    undeclaredHeaders(controlOpenApi(), 'GET', path.replace(/^\/(dashboard|deploy)\/v1/, ''), response.status, response.headers.keys()) ?? [],
  ).toEqual([]);
  return { status: response.status, body: await response.json(), link: response.headers.get('link') };
}

/** Follows the links from a page to the last one. */
async function walk(path: string, bearer?: string): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { status, body, link } = await get(next, bearer);
    expect(status).toBe(200);
    pages.push(body as unknown[]);
    next = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1];
    expect(link === null || next !== undefined).toBe(true);
  }
  return pages;
}

beforeAll(async () => {
  server = await startControlHost(folder.path);
  const { email = '', password = '' } = server.demo ?? {};
  token = (await signIn(server.url, email, password)).access_token;
  accountId = ((await get('/dashboard/v1/accounts')).body as { accountId: string }[])[0]?.accountId ?? '';
  const site = join(folder.path, 'site-to-publish');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'x');
  for (let number = 0; number < 5; number += 1) {
    const made = await runCliJson<{ projectId: string }>(folder.path, ['projects', 'create', '--account', accountId, '--name', `P${number}`]);
    projectId ||= made.projectId;
  }
  for (let number = 0; number < 4; number += 1) {
    await runCliJson(folder.path, ['projects', 'deploy', projectId, site]);
    await runCliJson(folder.path, ['domains', 'add', `www.list${number}.test`, '--project', projectId]);
  }
});

afterAll(async () => {
  await server.stop();
  folder.remove();
});

test.each([
  ['projects', () => `/dashboard/v1/accounts/${accountId}/projects`],
  ['deployments', () => `/dashboard/v1/projects/${projectId}/deployments`],
  ['domains', () => `/dashboard/v1/projects/${projectId}/domains`],
])('%s', async (_, path) => {
  const whole = await get(path());
  const items = whole.body as unknown[];
  expect([whole.link, items.length >= 4]).toEqual([null, true]);
  const pages = await walk(`${path()}?limit=3`);
  expect(pages.map(({ length }) => length)).toEqual([3, ...(items.length > 6 ? [3, items.length - 6] : [items.length - 3])]);
  expect(pages.flat()).toEqual(items);
  expect((await walk(`${path()}?limit=${items.length}`)).length).toBe(1);
});

test("a pipeline's links stay below its prefix", async () => {
  const created = await fetch(`${server.url}/dashboard/v1/projects/${projectId}/deploy-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'CI' }),
  });
  const deployToken = ((await created.json()) as { token: string }).token;
  const { link } = await get(`/deploy/v1/projects/${projectId}/deployments?limit=2`, deployToken);
  expect(link).toMatch(new RegExp(`^</deploy/v1/projects/${projectId}/deployments\\?limit=2&cursor=[0-9a-z]+\\.dpl_\\w+>; rel="next"$`));
  expect((await walk(`/deploy/v1/projects/${projectId}/deployments?limit=2`, deployToken)).length).toBeGreaterThan(1);
});

test.each([
  ['limit=0', 'query parameter limit: got "0"; allowed: an integer from 1 to 100'],
  ['limit=101', 'query parameter limit: got "101"; allowed: an integer from 1 to 100'],
  ['limit=1e1', 'query parameter limit: got "1e1"; allowed: an integer from 1 to 100'],
  ['cursor=x', 'query parameter cursor: got "x"; allowed: the cursor from a next link of this list'],
])('%s is refused', async (query, message) => {
  expect(await get(`/dashboard/v1/accounts/${accountId}/projects?${query}`)).toMatchObject({ status: 400, body: { message } });
});
