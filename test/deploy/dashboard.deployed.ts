// A stage's dashboard: uploaded to its bucket, and used in Chromium against the stage's control API.

import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parameterPath } from '../../platforms/aws/stage-parameters.ts';
import { launchChromium } from '../support/chromium.ts';
import { button, title } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import type { ControlOutputs } from './cdk.ts';
import { startOneOrigin } from './one-origin.ts';
import { signInAs } from './users.ts';

const control = JSON.parse(String(process.env.E2E_CONTROL)) as ControlOutputs;
const s3 = new S3Client({});
let bucket: string;
let keys: string[] = [];

beforeAll(async () => {
  const folder = makeFolder();
  const published = await runCliJson<{ files: number }>(folder.path, ['--stage', String(process.env.E2E_STAGE), 'dashboard', 'publish']);
  folder.remove();
  expect(published.files).toBeGreaterThan(5);
  const { Parameters = [] } = await new SSMClient({}).send(new GetParametersByPathCommand({ Path: parameterPath('staging', 'dashboard') }));
  bucket = Parameters.find(({ Name }) => Name?.endsWith('/bucket'))?.Value ?? '';
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  keys = Contents.map(({ Key = '' }) => Key);
});

afterAll(async () => {
  // Only an empty bucket can be deleted.
  await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }));
});

test("the dashboard is uploaded to its distribution, with the stage's configuration", async () => {
  expect(keys).toEqual(expect.arrayContaining(['index.html', 'dashboard/config.json', expect.stringMatching(/^assets\/.*\.js$/)]));
  const configuration = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'dashboard/config.json' }));
  expect(JSON.parse((await configuration.Body?.transformToString()) ?? '')).toEqual({
    authority: expect.stringContaining(control.userPoolId),
    clientId: control.clientId,
    scope: 'openid email',
    apiUrl: expect.stringMatching(/^https?:/),
    metadata: {
      issuer: expect.stringContaining(control.userPoolId),
      authorization_endpoint: expect.stringMatching(/^https:.*\/oauth2\/authorize$/),
      token_endpoint: expect.stringMatching(/^https:.*\/oauth2\/token$/),
      end_session_endpoint: expect.stringMatching(/^https:.*\/logout$/),
    },
    commandLine: { clientId: expect.any(String), redirectUris: expect.any(Array) },
  });
  const page = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'index.html' }));
  expect([page.ContentType, page.CacheControl]).toEqual(['text/html; charset=utf-8', 'no-cache']);
});

test('the dashboard creates accounts, projects and keys in a browser, for a user of the pool', async () => {
  const origin = await startOneOrigin(bucket, control.url);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    // The test's own limit ends it.
    page.setDefaultTimeout(0);
    const problems: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    page.on('pageerror', (error) => void problems.push(error.message));
    const email = 'browser@example.com';
    const configuration = (await (await fetch(`${origin.url}/dashboard/config.json`)).json()) as Record<'authority' | 'clientId' | 'scope', string>;
    const user = {
      access_token: (await signInAs(email, control)).access,
      token_type: 'Bearer',
      scope: configuration.scope,
      profile: { sub: email, email },
      expires_at: Math.floor(Date.now() / 1_000) + 3_600,
    };
    await page.addInitScript(
      ([name, value]) => sessionStorage.setItem(String(name), String(value)),
      [`oidc.user:${configuration.authority}:${configuration.clientId}`, JSON.stringify(user)],
    );
    // Every URL of the dashboard leads to its single page.
    await page.goto(`${origin.url}/accounts/new`);
    await page.getByLabel('Account name').fill('Browser shop');
    await page.getByRole('main').getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Browser shop, free plan').waitFor();
    await button(page, 'Create project').first().click();
    await page.getByLabel('Name').fill('In the cloud');
    await button(page, 'Create').click();
    await title(page, 'In the cloud').waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('link', { name: 'See plans' }).waitFor();
    expect(await page.getByLabel('Domain or subdomain').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Sandbox DNS' }).count()).toBe(0);
    await page.getByRole('link', { name: 'API keys' }).click();
    await button(page, 'Create key').first().click();
    await page.getByLabel('Name').fill('Till');
    await button(page, 'Create').click();
    const key = await page.getByText(/^petstore_\w+$/).textContent();
    await button(page, "I've saved it").click();
    expect((await fetch(`${process.env.E2E_URL}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('1 of 1,000', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
    await origin.stop();
  }
});
