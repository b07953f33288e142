// Separate tables on DynamoDB Local for each test file.

import { randomUUID } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { createDynamoDbClients, type DynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { type TableNames, tableDefinitions } from '../../adapters/store/dynamodb/tables.ts';
import { dynamoDbReady } from './dynamodb-local.ts';

const local = inject('dynamoDbLocal');

/** Undefined if Java is missing. */
export const dynamoDbEndpoint = local && `http://127.0.0.1:${local.port}`;

export const LOCAL_CONFIG = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  // A JVM that shares two cores with the tests can be slow. It ends connections that were idle for 30 s, at times while the next request is on its way.
  requestHandler: { connectionTimeout: 15_000, requestTimeout: 15_000, httpAgent: { keepAlive: false, maxSockets: 50 } },
  ...(dynamoDbEndpoint && { endpoint: dynamoDbEndpoint }),
};

/** Creates the tables under a random prefix. @throws Error if Java is missing */
export async function makeTables(): Promise<{ clients: DynamoDbClients; tables: TableNames }> {
  if (local === undefined) throw new Error('no DynamoDB Local without Java');
  await dynamoDbReady(local);
  const clients = createDynamoDbClients(LOCAL_CONFIG);
  const prefix = randomUUID();
  const tables = { pets: `${prefix}-pets`, usage: `${prefix}-usage`, control: `${prefix}-control`, audit: `${prefix}-audit` };
  for (const definition of tableDefinitions(tables)) await clients.retrying.send(new CreateTableCommand(definition));
  return { clients, tables };
}
