// Storage calls of the control API's requests, counted at the SDK client, and the time that a page of 100 domains takes. The tables keep whole items
// in memory, without conditions; the effect of the calls is tested with DynamoDB Local.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { createDynamoDbClients } from '../adapters/store/dynamodb/calls.ts';
import type { Item } from '../adapters/store/dynamodb/items.ts';
import { createDynamoDbAccessStores, createDynamoDbProjectStores } from '../adapters/store/dynamodb/stores.ts';
import { createAccount } from '../core/access/accounts.ts';
import { newDomain } from '../core/domains/domain.ts';
import { createProject } from '../core/projects/actions.ts';
import type { ControlPorts } from '../service/control/context.ts';
import { createControl } from '../service/control/create-control.ts';
import { controlEvent } from '../test/support/function-environments.ts';
import { bar, sized } from './measure.ts';

const NOW = Date.UTC(2026, 10, 21, 10);
const USER = 'usr_0123456789abcdef';
const DOMAINS = 100;
const PAGES = sized(200, 2);

/** Counts the storage calls of requests to the control API, times a page of domains, and prints both. */
export async function benchControlCalls(): Promise<void> {
  const clients = createDynamoDbClients({ region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } });
  const { calls, send } = tablesInMemory();
  for (const client of [clients.once, clients.retrying]) Object.assign(client, { send });
  const ports = {
    ...createDynamoDbAccessStores(clients, { usage: 'usage', control: 'control' }),
    ...createDynamoDbProjectStores(clients, { control: 'control' }),
    rules: { policy: { ours: ['edge.example.com'], extraSuffixes: [] }, edge: { host: 'edge.example.com', challenge: 'd1.example.net' } },
    httpsPort: 443,
    directory: { emailOf: () => undefined },
    keyMode: 'test',
    randomBytes,
  } as unknown as ControlPorts;
  const control = createControl({ ports, clock: () => NOW, logger: new Logger({ logLevel: 'SILENT' }) });

  const made = await createAccount(ports, { name: 'Shop', plan: 'business', owner: USER }, randomBytes, NOW);
  assert(made.ok);
  const { id: accountId } = made.account;
  const created = await createProject(ports, { accountId, name: 'Shop' }, randomBytes, NOW, undefined);
  assert(created.ok);
  const { id: projectId } = created.project;
  for (let n = 0; n < DOMAINS; n += 1)
    await ports.domains.addDomain(newDomain({ id: `dom_${String(n).padStart(10, '0')}`, host: `www.shop-${n}.com`, projectId, accountId }, NOW + n));

  console.log('\n## Storage calls per request to the control API\n\n| request | status | calls | which |\n|---|---:|---:|---|');
  const [account, project] = [`/accounts/${accountId}`, `/projects/${projectId}`];
  const rows: readonly (readonly [method: string, path: string, status: number, most: number, body?: object])[] = [
    ['GET', '/accounts', 200, 3],
    ['GET', `${account}/keys`, 200, 5],
    ['GET', project, 200, 3],
    ['PUT', project, 200, 6, { name: 'Store' }],
    ['GET', `${project}/configuration`, 200, 3],
    ['GET', `${project}/domains?limit=20`, 200, 5],
    ['GET', `${project}/domains/dom_0000000000`, 200, 4],
    ['GET', '/projects/prj_0000000000', 404, 2],
  ];
  const ask = async (method: string, path: string, body?: object) => {
    const [rawPath = '', query] = path.split('?');
    const event = controlEvent(method, rawPath, { claims: { sub: USER }, body: body && JSON.stringify(body) });
    return control({ ...event, queryStringParameters: Object.fromEntries(new URLSearchParams(query)) } as typeof event, {} as Context);
  };
  for (const [method, path, status, most, body] of rows) {
    calls.length = 0;
    const { statusCode } = await ask(method, path, body);
    assert.equal(statusCode, status, `${method} ${path}`);
    console.log(`| ${method} ${path.replace(accountId, '{}').replace(projectId, '{}')} | ${statusCode} | ${calls.length} | ${calls.join(', ')} |`);
    assert(calls.length <= most, `storage calls: got ${calls.length}; allowed: at most ${most}`);
  }

  const { body = '' } = await ask('GET', `${project}/domains?limit=100`);
  const page = await cpuOf(() => ask('GET', `${project}/domains?limit=100`));
  // Both depend on the machine's speed.
  const serialization = await cpuOf(() => JSON.stringify(JSON.parse(body)));
  bar('CPU of a page of 100 domains, compared with parsing and serializing it', page / serialization, 'at most', 7);
}

/** CPU time per call, in milliseconds, once the code is warm. */
async function cpuOf(call: () => unknown): Promise<number> {
  for (let n = 0; n < PAGES; n += 1) await call();
  const started = process.cpuUsage();
  for (let n = 0; n < PAGES; n += 1) await call();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000 / PAGES;
}

/** Stands in for the client's `send`. */
function tablesInMemory() {
  const items = new Map<string, Item>();
  const calls: string[] = [];
  const nameOf = (table: string, { pk, sk }: Item) => JSON.stringify([table, pk, sk]);
  const put = ({ TableName, Item }: { TableName: string; Item: Item }) => {
    items.set(nameOf(TableName, Item), Item);
    return {};
  };
  const answers: Readonly<Record<string, (input: never) => object>> = {
    GetItem: ({ TableName, Key }: { TableName: string; Key: Item }) => ({ Item: items.get(nameOf(TableName, Key)) }),
    BatchGetItem: ({ RequestItems }: { RequestItems: Readonly<Record<string, { readonly Keys: readonly Item[] }>> }) => ({
      Responses: Object.fromEntries(
        Object.entries(RequestItems).map(([table, { Keys }]) => [
          table,
          Keys.map((key) => items.get(nameOf(table, key))).filter((item) => item !== undefined),
        ]),
      ),
    }),
    PutItem: put,
    Query: ({ TableName, ExpressionAttributeValues }: { TableName: string; ExpressionAttributeValues: Item }) => {
      const start = JSON.stringify([TableName, ExpressionAttributeValues[':pk']]).slice(0, -1);
      return { Items: [...items].filter(([name]) => name.startsWith(start)).map(([, item]) => item) };
    },
    UpdateItem: () => ({ Attributes: { counted: { N: '1' } } }),
    TransactWriteItems: ({ TransactItems }: { TransactItems: { Put?: { TableName: string; Item: Item } }[] }) => {
      for (const { Put } of TransactItems) if (Put !== undefined) put(Put);
      return {};
    },
  };
  const send = async (command: { readonly input: object }) => {
    const name = command.constructor.name.replace('Command', '');
    const answer = answers[name];
    if (answer === undefined) throw new Error(`no answer to ${name}`);
    calls.push(name);
    return answer(command.input as never);
  };
  return { calls, send };
}
