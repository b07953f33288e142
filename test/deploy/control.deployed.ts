// The control API on the emulated AWS: a Cognito user's token at API Gateway's authorizer, with the real function behind it.

import { beforeAll, expect, test } from 'vitest';
import type { ControlOutputs } from './cdk.ts';
import { signInAs } from './users.ts';

const control = JSON.parse(String(process.env.E2E_CONTROL)) as ControlOutputs;
const { url } = control;

let [mine, theirs] = ['', ''];

beforeAll(async () => {
  [mine, theirs] = [await signInAs('one@example.com', control), await signInAs('two@example.com', control)];
});

async function call(token: string | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/dashboard/v1${path}`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  return { status: response.status, body: (await response.json()) as any };
}

test('a missing or invalid token is refused; the OpenAPI document is public', async () => {
  expect((await call(undefined, 'GET', '/me')).status).toBe(401);
  expect((await call('a.b.c', 'GET', '/me')).status).toBe(401);
  expect((await call(undefined, 'GET', '/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
});

test('a user creates an account, a project and a key, which no other user can see', async () => {
  expect((await call(mine, 'GET', '/me')).body).toMatchObject({
    accounts: [],
    platform: { edgeHost: process.env.STAGING_EDGE_NAME, httpsPort: 443, sandboxSuffix: null },
  });
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Shop' })).body;
  const project = await call(mine, 'POST', `/accounts/${accountId}/projects`, { name: 'Shop' });
  expect([project.status, project.body]).toEqual([201, expect.objectContaining({ deploymentId: expect.stringMatching(/^dpl_/) })]);
  expect((await call(mine, 'GET', `/projects/${project.body.projectId}/deployments`)).body).toHaveLength(1);
  const key = await call(mine, 'POST', `/accounts/${accountId}/keys`, { name: 'First' });
  expect((await fetch(`${process.env.E2E_URL}/v1/pets`, { headers: { authorization: `Bearer ${key.body.key}` } })).status).toBe(200);
  expect((await call(mine, 'GET', `/accounts/${accountId}/usage`)).body).toMatchObject({ plan: 'free', day: { used: 1 } });
  const [{ lastUsedAt }] = (await call(mine, 'GET', `/accounts/${accountId}/keys`)).body;
  expect(Date.now() - Date.parse(lastUsedAt)).toBeLessThan(120_000);
  expect((await call(mine, 'GET', '/sandbox/records')).status).toBe(404);
  for (const path of [`/accounts/${accountId}`, `/projects/${project.body.projectId}`, `/accounts/${accountId}/keys`])
    expect((await call(theirs, 'GET', path)).status).toBe(404);
});
