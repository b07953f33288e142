// The example of another CDK app, deployed with its constructs: accounts and keys come from the command line, in its operator's role, and its own
// function is behind the limits.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAdmitted } from '../e2e/admitted.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';
import { cdk } from './cdk.ts';
import { assumeOperatorRole } from './operator.ts';
import type { Environment } from './run-program.ts';

const APP = 'node --import ./examples/from-source.ts examples/own-cdk-app/app.ts';
const LIMIT = 20;
const TIMES = 60;

const folder = makeFolder();
let url = '';
let operator: Environment = {};

beforeAll(async () => {
  const outputs = join(folder.path, 'outputs.json');
  await cdk(
    ['deploy', 'Orders', '--app', APP, '--output', join(folder.path, 'cdk.out'), '--outputs-file', outputs, '--require-approval', 'never'],
    {},
  );
  const { Orders } = JSON.parse(readFileSync(outputs, 'utf8')) as { Orders: { Url: string; OperatorRole: string } };
  url = Orders.Url;
  operator = await assumeOperatorRole(Orders.OperatorRole);
});

afterAll(() => folder.remove());

async function petstore<T>(args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runCli('.', ['--stage', 'orders', ...args, '--json'], '', operator);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

async function makeKey(perMinute: number) {
  const limits = ['--plan', 'enterprise', '--per-minute', String(perMinute), '--per-day', '1000'];
  const { accountId } = await petstore<{ accountId: string }>(['accounts', 'create', '--name', 'Ada', ...limits]);
  const { key, keyId } = await petstore<{ key: string; keyId: string }>(['keys', 'issue', '--account', accountId]);
  return { accountId, key, keyId, send: (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } }) };
}

describe('an API of its own', () => {
  test('gets admitted requests with their caller', async () => {
    const { accountId, send } = await makeKey(100);
    const response = await send('/anything/at/all');
    expect(await response.json()).toEqual({ path: '/anything/at/all', accountId, plan: 'enterprise' });
    expect([response.status, response.headers.get('x-ratelimit-limit'), response.headers.get('x-ratelimit-remaining')]).toEqual([200, '100', '99']);
  });

  test('gets no request without a key', async () => {
    const response = await fetch(`${url}/anything`);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([401, 'unauthorized']);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  test(`gets exactly ${LIMIT} of ${TIMES} requests in a minute, of an account with that limit`, async () => {
    const { accountId, send } = await makeKey(LIMIT);
    const responses: Response[] = [];
    const client = async () => {
      for (let sent = 0; sent < TIMES / 6 || responses.every(({ status }) => status !== 429); sent += 1) {
        const response = await send('/');
        responses.push(response);
        await response.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: 6 }, client));
    const { least, most } = expectAdmitted(responses, LIMIT);
    const { day } = await petstore<{ day: { used: number } }>(['usage', '--account', accountId]);
    expect(day.used).toBeGreaterThanOrEqual(least);
    expect(day.used).toBeLessThanOrEqual(most);
    for (const refused of responses.filter(({ status }) => status === 429)) expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('has no catalogue, and the command line says so', async () => {
    const { code, stderr } = await runCli('.', ['--stage', 'orders', 'pets', 'export'], '', operator);
    expect([code, stderr]).toEqual([1, expect.stringContaining('this stage has no catalogue')]);
  });
});

test('its accounts have projects, whose sites are published', async () => {
  const { accountId } = await makeKey(10);
  const { projectId } = await petstore<{ projectId: string }>(['projects', 'create', '--account', accountId, '--name', 'Site']);
  expect(await petstore(['projects', 'deployments', projectId])).toHaveLength(1);
});
