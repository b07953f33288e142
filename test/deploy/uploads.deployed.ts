// Publishing by upload on the emulated AWS: the control API signs requests, and files go to S3 directly.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { beforeAll, expect, test } from 'vitest';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import type { ControlOutputs } from './cdk.ts';
import { runProgram } from './run-program.ts';
import { signInAs } from './users.ts';

const control = JSON.parse(String(process.env.E2E_CONTROL)) as ControlOutputs;
const s3 = new S3Client({ forcePathStyle: true });
let token = '';
let bucket = '';
let projectId = '';

interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

beforeAll(async () => {
  token = (await signInAs('uploads@example.com', control)).access;
  bucket = (await new SSMClient({}).send(new GetParameterCommand({ Name: parameterName('staging', 'edge', 'bucket') }))).Parameter?.Value ?? '';
  const { accountId } = (await call('POST', '/accounts', { name: 'Uploads' })).body;
  projectId = (await call('POST', `/accounts/${accountId}/projects`, { name: 'Uploads' })).body.projectId;
});

async function call(method: string, path: string, body?: unknown, { prefix, bearer } = { prefix: '/dashboard/v1', bearer: token }) {
  const response = await fetch(`${control.url}${prefix}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about.
  return { status: response.status, body: (await response.json()) as any };
}

async function keys(): Promise<readonly (string | undefined)[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: '' }));
  return Contents.map(({ Key }) => Key).filter((key) => key?.includes(projectId));
}

const FILES = { 'index.html': '<h1>Hello</h1>', 'docs/ä b+c.txt': 'text' };
const announced = Object.entries(FILES).map(([name, content]) => ({
  name,
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
}));

test('a pipeline publishes with a deploy token, which opens nothing else', async () => {
  const created = await call('POST', `/projects/${projectId}/deploy-tokens`, { name: 'CI' });
  expect(created).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^petstore_deploy_/) } });
  const pipeline = { prefix: '/deploy/v1', bearer: created.body.token };
  const begun = await call('POST', `/projects/${projectId}/uploads`, { files: announced }, pipeline);
  expect(begun).toMatchObject({ status: 201, body: { files: 2 } });
  const upload = `/projects/${projectId}/uploads/${begun.body.deploymentId}`;
  const { targets }: { targets: readonly Target[] } = (await call('GET', upload, undefined, pipeline)).body;
  for (const { name, url, headers } of targets)
    expect((await fetch(url, { method: 'PUT', headers, body: FILES[name as keyof typeof FILES] })).status).toBe(200);
  expect(await call('POST', `${upload}/publish`, undefined, pipeline)).toMatchObject({ status: 200, body: { current: true } });
  expect((await call('DELETE', `/projects/${projectId}`, undefined, pipeline)).status).toBe(405);
  expect((await call('GET', `/projects/${projectId}`, undefined, { ...pipeline, prefix: '/dashboard/v1' })).status).toBe(401);
  expect((await call('GET', `/projects/${projectId}`, undefined, { ...pipeline, bearer: token })).status).toBe(401);
  expect((await call('DELETE', `/projects/${projectId}/deploy-tokens/${created.body.tokenId}`)).status).toBe(200);
  expect((await call('GET', `/projects/${projectId}`, undefined, pipeline)).status).toBe(401);
});

test('files are sent to S3 and published all at once; the files of a deleted project are removed', async () => {
  const begun = await call('POST', `/projects/${projectId}/uploads`, { files: announced });
  expect(begun).toMatchObject({ status: 201, body: { files: 2 } });
  const { deploymentId } = begun.body;
  const upload = `/projects/${projectId}/uploads/${deploymentId}`;
  const { targets }: { targets: readonly Target[] } = (await call('GET', upload)).body;
  expect(targets.map(({ name }) => name).sort()).toEqual(['docs/ä b+c.txt', 'index.html', 'index.html', 'index.html']);
  expect(await call('POST', `${upload}/publish`)).toMatchObject({ status: 409, body: { message: expect.stringContaining('2 of 2 files') } });
  for (const { name, url, headers } of targets) {
    const sent = await fetch(url, { method: 'PUT', headers, body: FILES[name as keyof typeof FILES] });
    expect([name, sent.status]).toEqual([name, 200]);
  }
  expect((await call('GET', upload)).body).toEqual({ targets: [], next: null });
  expect(await call('POST', `${upload}/publish`)).toMatchObject({ status: 200, body: { deploymentId, current: true, files: 2, bytes: 18 } });
  const object = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: `${projectId}/${deploymentId}/docs/ä b+c.txt` }));
  expect([await object.Body?.transformToString(), object.ContentType]).toEqual(['text', 'text/plain; charset=utf-8']);
  expect((await keys()).filter((key) => key?.startsWith('uploads/'))).toEqual([]);

  expect((await call('PUT', `/projects/${projectId}`, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', deploymentId });
  const published = await keys();
  expect(published.length).toBeGreaterThan(4);
  // As the bucket of a stage whose data is retained.
  await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  const since = new Date(Date.now() - 1_000).toISOString();
  await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: published.map((Key = '') => ({ Key })) } }));
  expect(await keys()).toEqual([]);
  const restore = async (...more: string[]) => {
    const command = ['infra/commands/restore-files.ts', '--stage', 'staging', '--since', since, ...more];
    return (await runProgram(process.execPath, command, join(import.meta.dirname, '../..'), process.env)).output;
  };
  expect(await restore('--project', projectId, '--dry-run')).toContain(`${published.length} files would be restored`);
  expect(await restore('--project', 'prj_none')).toContain('0 files restored');
  expect(await restore('--project', projectId)).toContain(`${published.length} files restored`);
  expect(await keys()).toEqual(published);

  expect((await call('DELETE', `/projects/${projectId}`)).status).toBe(200);
  const lambda = new LambdaClient({});
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  const sweep = Functions.find(({ FunctionName, Description }) => FunctionName?.startsWith('staging-') && Description?.includes('orphans'));
  const { Payload } = await lambda.send(new InvokeCommand({ FunctionName: sweep?.FunctionName, Payload: '{}' }));
  expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toMatchObject({ removals: expect.any(Number) });
  expect(await keys()).toEqual([]);
  // Nothing would delete them again.
  expect(await restore('--project', projectId)).toContain('0 files restored');
});
