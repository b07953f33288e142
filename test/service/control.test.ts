// The Lambda entry of the control API, as it starts on AWS; and faults of what is behind it.

import { Logger } from '@aws-lambda-powertools/logger';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Context } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, test, vi } from 'vitest';
import { StoreFault } from '../../core/store-fault.ts';
import { parseControlSettings } from '../../platforms/aws/control-settings.ts';
import type { ControlEvent } from '../../service/control/authenticate.ts';
import type { ControlPorts } from '../../service/control/context.ts';
import { createControl } from '../../service/control/create-control.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import { dynamoDbEndpoint, makeTables } from '../support/dynamodb.ts';
import { NOON } from '../support/samples.ts';

const ENVIRONMENT = {
  PETS_TABLE: 'pets',
  USAGE_TABLE: 'usage',
  CONTROL_TABLE: 'control',
  SERVICE_NAME: 'petstore-test',
  KEY_MODE: 'test',
  EDGE_NAME: 'edge.platform.dev',
  ROUTING_ENDPOINT_PARAMETER: '/petstore/staging/edge/routing-endpoint',
  EDGE_MAP_ARN: 'arn:map',
  SITES_BUCKET: 'sites',
  WORKFLOW_ARN: 'arn:workflow',
};

const CONTEXT = {} as Context;

function event(method: string, path: string, fields: { claims?: object; body?: string } = {}): ControlEvent {
  return {
    rawPath: `/dashboard/v1${path}`,
    headers: { 'content-type': 'application/json' },
    body: fields.body,
    isBase64Encoded: false,
    requestContext: { http: { method }, requestId: 'r1', ...(fields.claims && { authorizer: { jwt: { claims: fields.claims } } }) },
  } as unknown as ControlEvent;
}

describe('a user', () => {
  const user = { sub: 'usr_1', email: 'ann@example.com' };
  const ports = {
    accounts: {},
    members: { accountsOf: async () => [] },
    projects: {},
    domains: {},
    rules: { edge: { host: 'e' } },
  } as unknown as ControlPorts;

  test('may ask 600 times a minute, sees how far that is, and is then told when to go on; others are not held up', async () => {
    const clock = { now: NOON };
    const control = createControl({ ports, clock: () => clock.now, logger: new Logger({ logLevel: 'SILENT' }) });
    const ask = (claims: object | undefined = user) => control(event('GET', '/accounts', claims && { claims }), CONTEXT);
    for (let n = 1; n <= 600; n += 1) {
      const { statusCode, headers } = await ask();
      expect([statusCode, headers['x-ratelimit-remaining']]).toEqual([200, String(600 - n)]);
    }
    const refused = await ask();
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers['x-ratelimit-limit']]).toEqual([429, '60', '600']);
    expect(JSON.parse(refused.body)).toEqual({
      code: 'rate_limit_exceeded',
      message: 'this user has sent more than 600 requests in this UTC minute; retry in 60 s',
      status: 429,
    });
    expect((await ask({ sub: 'usr_2' })).statusCode).toBe(200);
    expect((await control(event('GET', '/accounts'), CONTEXT)).statusCode).toBe(401);
    clock.now += 60_000;
    expect((await ask()).statusCode).toBe(200);
  });
});

test('settings that are missing are named, all of them', () => {
  expect(parseControlSettings(ENVIRONMENT).KEY_MODE).toBe('test');
  expect(() => parseControlSettings({ KEY_MODE: 'x' })).toThrow(/PETS_TABLE[\s\S]*KEY_MODE: live or test[\s\S]*WORKFLOW_ARN/);
});

describe.runIf(dynamoDbEndpoint !== undefined)('the entry', () => {
  test('answers a signed-in user from the tables of its stage', async () => {
    const ssm = mockClient(SSMClient);
    ssm.on(GetParameterCommand).resolves({ Parameter: { Value: 'd1.cloudfront.net' } });
    const { tables } = await makeTables();
    const environment = { ...ENVIRONMENT, PETS_TABLE: tables.pets, USAGE_TABLE: tables.usage, CONTROL_TABLE: tables.control };
    const aws = { AWS_ENDPOINT_URL: dynamoDbEndpoint, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    for (const [name, value] of Object.entries({ ...environment, ...aws })) vi.stubEnv(name, value);
    const { handler } = await import('../../functions/control.ts');
    const claims = { sub: 'user-1', email: 'ann@example.com' };
    const made = await handler(event('POST', '/accounts', { claims, body: '{"name":"Shop"}' }), CONTEXT);
    expect(made.statusCode).toBe(201);
    const me = JSON.parse((await handler(event('GET', '/me', { claims }), CONTEXT)).body);
    expect(me).toMatchObject({
      userId: 'user-1',
      email: 'ann@example.com',
      accounts: [{ name: 'Shop', plan: 'free' }],
      platform: { sandboxSuffix: null },
    });
    expect((await handler(event('GET', '/sandbox/records', { claims }), CONTEXT)).statusCode).toBe(404);
    expect((await handler(event('GET', '/me'), CONTEXT)).statusCode).toBe(401);
    vi.unstubAllEnvs();
  });
});

test.each([
  [new StoreFault('unavailable', 'secret detail'), 503, 'unavailable'],
  [new StoreFault('corrupt', 'secret detail'), 500, 'internal_error'],
  ['secret detail', 500, 'internal_error'],
])('a fault is answered without its detail: %s', async (fault, status, code) => {
  const ports = { members: { accountsOf: () => Promise.reject(fault) } } as unknown as ControlPorts;
  const control = createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
  const answer = await control(event('GET', '/accounts', { claims: { sub: 'user-1' } }), CONTEXT);
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([status, { code, message: expect.any(String), status }]);
  expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  expect(answer.body).not.toContain('secret');
});

test('the document tells every error of a status, and the headers that come with it', () => {
  const { paths } = controlOpenApi() as {
    paths: Record<string, Record<string, { responses: Record<string, { description: string; headers: object }> }>>;
  };
  const responses = (path: string, method: string) => paths[`/dashboard/v1${path}`]?.[method]?.responses ?? {};
  const creates = responses('/accounts', 'post');
  expect(creates[409]?.description).toMatch(/idempotency_in_progress[\s\S]*conflict/);
  expect(Object.keys(creates[409]?.headers ?? {})).toEqual(expect.arrayContaining(['Retry-After', 'X-RateLimit-Remaining']));
  expect(Object.keys(creates[201]?.headers ?? {})).toContain('Idempotent-Replayed');
  expect([responses('/me', 'get')[409], responses('/openapi.json', 'get')[401]]).toEqual([undefined, undefined]);
});

test('a body that is no JSON is refused', async () => {
  const control = createControl({ ports: {} as ControlPorts, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
  const claims = { sub: 'user-1' };
  expect((await control(event('POST', '/accounts', { claims, body: '{' }), CONTEXT)).statusCode).toBe(400);
});
