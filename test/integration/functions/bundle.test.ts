// The bundle for Lambda: built as for deployment, measured, and called, with DynamoDB Local.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { build } from 'esbuild';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { BUNDLE_OPTIONS } from '../../../functions/bundle/build.ts';
import { entryOf } from '../../../functions/bundle/bundles.ts';
import type { HttpHandler } from '../../../service/http/pipeline.ts';
import { NOON, sampleAccount, sampleKey, samplePet } from '../../../testing/samples.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';
import { testFolder } from '../../support/folders.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function bundle(): Promise<string> {
  const { outputFiles } = await build({ ...BUNDLE_OPTIONS, entryPoints: [entryOf('catalogue')], write: false });
  return outputFiles?.[0]?.text ?? '';
}

function stubEnvironment(tables: { pets: string; usage: string; control: string }): void {
  const environment = {
    PETS_TABLE: tables.pets,
    USAGE_TABLE: tables.usage,
    CONTROL_TABLE: tables.control,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint ?? '',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

describe('API bundle', () => {
  test('includes the SDK', async () => {
    expect(await bundle()).toContain('DynamoDB_20120810');
  });

  test.runIf(dynamoDbEndpoint !== undefined).each(['bundle', 'source'])('answers from DynamoDB: %s', async (form) => {
    vi.spyOn(console, 'log').mockImplementation(() => {});
    const { clients, tables } = await makeTables();
    const stores = createDynamoDbStores(clients, tables);
    const account = sampleAccount();
    const { text: key, ...record } = sampleKey(account.id);
    await stores.accounts.createAccount(account);
    await stores.accounts.addKey(record, 10, NOON);
    await stores.pets.create({ pet: samplePet(7) }, NOON);
    stubEnvironment(tables);
    const { handler }: { handler: HttpHandler } = form === 'source' ? await import('../../../functions/catalogue.ts') : await importBundle();
    const event = {
      rawPath: '/v1/pets',
      headers: { authorization: `Bearer ${key}` },
      requestContext: { domainName: 'x', requestId: 'r', http: { method: 'GET', path: '/v1/pets', sourceIp: '192.0.2.1' } },
    };
    const response = await handler(event as unknown as APIGatewayProxyEventV2, {} as Context);
    expect([response.statusCode, JSON.parse(response.body)]).toEqual([
      200,
      [expect.objectContaining({ id: 7, name: 'Animal 7', categoryId: 7, status: 'available' })],
    ]);
    expect(response.headers['x-ratelimit-remaining']).toBe('59');
  });

  async function importBundle(): Promise<{ handler: HttpHandler }> {
    const file = join(testFolder(), 'index.mjs');
    writeFileSync(file, await bundle());
    return import(pathToFileURL(file).href);
  }
});
