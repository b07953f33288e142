// Storage calls per request, counted at the SDK clients, by operation and outcome. The tables answer from memory: a counting stand-in is enough to
// see which calls are made, and their effect is tested with DynamoDB Local.

import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { createDynamoDbClients } from '../adapters/store/dynamodb/calls.ts';
import { keyAttribute } from '../adapters/store/dynamodb/items.ts';
import { PET } from '../adapters/store/dynamodb/pets.ts';
import { createDynamoDbStores } from '../adapters/store/dynamodb/stores.ts';
import { keyValue, minuteAttribute, usageItem } from '../adapters/store/dynamodb/usage/usage-item.ts';
import { NEVER } from '../core/access/account.ts';
import { generateApiKey, parseApiKey } from '../core/access/api-key.ts';
import { SCOPES } from '../core/access/plans.ts';
import { windowsAt } from '../core/limits/windows.ts';
import { createCatalogue } from '../service/catalogue/create-catalogue.ts';
import { petBody } from '../test/support/samples.ts';
import { samplePet } from '../testing/samples.ts';

const NOW = Date.UTC(2026, 10, 21, 10);

/** Counts the storage calls of each kind of request, and prints a table. */
export async function benchStorageCalls(): Promise<void> {
  const clients = createDynamoDbClients({ region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } });
  const accountId = 'acc_0000000000';
  const key = generateApiKey('test', accountId, (length) => Uint8Array.from({ length }, () => randomInt(256)));
  const digest = parseApiKey(key)?.digest ?? '';
  const limits = { perMinute: 60, perDay: 1_000 };
  const item = { ...usageItem(accountId, 'free', limits), [keyAttribute(digest)]: keyValue({ scopes: SCOPES, expiresAt: NEVER }) };
  const full = { ...item, [minuteAttribute(windowsAt(NOW).minute)]: { N: '60' } };
  const refusal = Object.assign(new Error('full'), { name: 'ConditionalCheckFailedException', $fault: 'client', $metadata: {}, Item: full });
  // Commands are known by name, because the peers bring a second copy of the SDK with its own classes.
  const calls: string[] = [];
  let isAdmitted = true;
  const answers: Readonly<Record<string, () => object>> = {
    UpdateItem: () => {
      if (!isAdmitted) throw refusal;
      return { Attributes: item };
    },
    Query: () => ({ Items: [PET.write(samplePet(1))] }),
    GetItem: () => ({ Item: PET.write(samplePet(1)) }),
    PutItem: () => ({}),
    TransactWriteItems: () => ({}),
  };
  const send = async (command: object) => {
    const name = command.constructor.name.replace('Command', '');
    const answer = answers[name];
    if (answer === undefined) throw new Error(`no answer to ${name}`);
    calls.push(name);
    return answer();
  };
  for (const client of [clients.once, clients.retrying]) Object.assign(client, { send });

  let clock = NOW;
  const api = createCatalogue({
    stores: createDynamoDbStores(clients, { pets: 'pets', usage: 'usage', control: 'control' }),
    clock: () => clock,
    random32: () => randomInt(2 ** 32),
    logger: new Logger({ logLevel: 'SILENT' }),
  });
  const call = (method: string, path: string, bearer: string, headers: Record<string, string> = {}, body?: string) =>
    api(
      {
        rawPath: path,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
        body,
        isBase64Encoded: false,
        requestContext: { domainName: 'x', requestId: 'r', http: { method, path, sourceIp: '192.0.2.1' } },
      } as unknown as APIGatewayProxyEventV2,
      {} as Context,
    );
  const animal = petBody();
  const junk = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;

  console.log('\n## Storage calls per warm request\n\n| request | status | calls | which |\n|---|---:|---:|---|');
  const rows: [string, boolean, number, number, () => ReturnType<typeof call>][] = [
    ['list', true, 200, 2, () => call('GET', '/v1/pets', key)],
    ['list by status', true, 200, 2, () => call('GET', '/v1/pets', key)],
    ['get', true, 200, 2, () => call('GET', '/v1/pets/1', key)],
    ['create', true, 201, 2, () => call('POST', '/v1/pets', key, {}, animal)],
    ['create with Idempotency-Key', true, 201, 2, () => call('POST', '/v1/pets', key, { 'idempotency-key': 'k' }, animal)],
    ['invalid body', true, 400, 1, () => call('POST', '/v1/pets', key, {}, '{}')],
    ['unknown path', true, 404, 1, () => call('GET', '/v1/nothing', key)],
    ['no key', true, 401, 0, () => call('GET', '/v1/pets', '')],
    ['junk key', true, 401, 0, () => call('GET', '/v1/pets', junk)],
    ['first refusal', false, 429, 1, () => call('GET', '/v1/pets', key)],
    ['repeat refusal inside the window', false, 429, 0, () => call('GET', '/v1/pets', key)],
    ['OpenAPI document', true, 200, 0, () => call('GET', '/v1/openapi.json', '')],
  ];
  await prepare();
  for (const [name, admitted, status, wanted, run] of rows) {
    isAdmitted = admitted;
    calls.length = 0;
    clock += 1;
    const { statusCode } = await run();
    assert.equal(statusCode, status, name);
    console.log(`| ${name} | ${statusCode} | ${calls.length} | ${calls.join(', ')} |`);
    assert(calls.length <= wanted, `storage calls: got ${calls.length}; allowed: at most ${wanted}`);
  }

  /** Warms up the process: afterwards, it has seen the account. */
  async function prepare(): Promise<void> {
    await call('GET', '/v1/pets', key);
  }
}
