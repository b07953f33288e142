// The control API on the emulated AWS: a Cognito user's token at API Gateway's authorizer, and the real function behind it.

import {
  AdminCreateUserCommand,
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import type { ControlOutputs } from './cdk.ts';

const { url, userPoolId, clientId } = JSON.parse(String(process.env.E2E_CONTROL)) as ControlOutputs;
const cognito = new CognitoIdentityProviderClient({});

async function signIn(email: string): Promise<string> {
  const password = 'Correct-horse-7';
  const user = { UserPoolId: userPoolId, Username: email };
  await cognito.send(new AdminCreateUserCommand({ ...user, MessageAction: 'SUPPRESS', UserAttributes: [{ Name: 'email', Value: email }] }));
  await cognito.send(new AdminSetUserPasswordCommand({ ...user, Password: password, Permanent: true }));
  const { AuthenticationResult } = await cognito.send(
    new AdminInitiateAuthCommand({
      UserPoolId: userPoolId,
      ClientId: clientId,
      AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: email, PASSWORD: password },
    }),
  );
  return AuthenticationResult?.AccessToken ?? '';
}

let [mine, theirs] = ['', ''];

beforeAll(async () => {
  [mine, theirs] = [await signIn('one@example.com'), await signIn('two@example.com')];
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

test('nobody gets in without a token, or with a wrong one; the document is for everybody', async () => {
  expect((await call(undefined, 'GET', '/me')).status).toBe(401);
  expect((await call('a.b.c', 'GET', '/me')).status).toBe(401);
  expect((await call(undefined, 'GET', '/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
});

test('a user makes an account, a project and a key, which are nobody else’s', async () => {
  expect((await call(mine, 'GET', '/me')).body).toMatchObject({
    accounts: [],
    platform: { edgeHost: process.env.STAGING_EDGE_NAME, sandboxSuffix: null },
  });
  const { accountId } = (await call(mine, 'POST', '/accounts', { name: 'Shop' })).body;
  const project = await call(mine, 'POST', `/accounts/${accountId}/projects`, { name: 'Shop' });
  expect([project.status, project.body]).toEqual([201, expect.objectContaining({ deploymentId: expect.stringMatching(/^dpl_/) })]);
  expect((await call(mine, 'GET', `/projects/${project.body.projectId}/deployments`)).body).toHaveLength(1);
  const key = await call(mine, 'POST', `/accounts/${accountId}/keys`, { name: 'First' });
  expect((await fetch(`${process.env.E2E_URL}/v1/pets`, { headers: { authorization: `Bearer ${key.body.key}` } })).status).toBe(200);
  expect((await call(mine, 'GET', `/accounts/${accountId}/usage`)).body).toMatchObject({ plan: 'free', day: { used: 1 } });
  expect((await call(mine, 'GET', '/sandbox/records')).status).toBe(404);
  for (const path of [`/accounts/${accountId}`, `/projects/${project.body.projectId}`, `/accounts/${accountId}/keys`])
    expect((await call(theirs, 'GET', path)).status).toBe(404);
});

test('the dashboard is uploaded to its distribution, with the configuration of the stage', async () => {
  const folder = makeFolder();
  const published = await runCliJson<{ files: number }>(folder.path, ['--stage', String(process.env.E2E_STAGE), 'dashboard', 'publish']);
  folder.remove();
  expect(published.files).toBeGreaterThan(5);
  const [s3, ssm] = [new S3Client({}), new SSMClient({})];
  const { Parameters = [] } = await ssm.send(new GetParametersByPathCommand({ Path: '/petstore/staging/dashboard/' }));
  const Bucket = Parameters.find(({ Name }) => Name?.endsWith('/bucket'))?.Value;
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  expect(Contents.map(({ Key }) => Key)).toEqual(
    expect.arrayContaining(['index.html', 'dashboard/config.json', expect.stringMatching(/^assets\/.*\.js$/)]),
  );
  const configuration = await s3.send(new GetObjectCommand({ Bucket, Key: 'dashboard/config.json' }));
  expect(JSON.parse((await configuration.Body?.transformToString()) ?? '')).toEqual({
    authority: expect.stringContaining(userPoolId),
    clientId,
    scope: 'openid email',
  });
  const page = await s3.send(new GetObjectCommand({ Bucket, Key: 'index.html' }));
  expect([page.ContentType, page.CacheControl]).toEqual(['text/html; charset=utf-8', 'no-cache']);
  // The bucket can only go empty.
  await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: Contents.map(({ Key }) => ({ Key })) } }));
});
