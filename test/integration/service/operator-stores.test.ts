// What operators see and change, through the control API on both stores.

import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDynamoDbOutbox } from '../../../adapters/store/dynamodb/notifications.ts';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { createMemoryMinuteCounter } from '../../../adapters/store/memory/single-process.ts';
import { createSqliteOutbox } from '../../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { type Domain, newDomain } from '../../../core/domains/domain.ts';
import { MINUTE_MS } from '../../../core/limits/windows.ts';
import { EMPTY_CONFIGURATION } from '../../../core/projects/project.ts';
import type { ControlPorts } from '../../../service/control/context.ts';
import { createControl } from '../../../service/control/create-control.ts';
import { NOON, sampleAccount } from '../../../testing/samples.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';
import { testFolder } from '../../support/folders.ts';
import { controlEvent } from '../../support/function-environments.ts';

type Stores = Pick<ControlPorts, 'accounts' | 'members' | 'projects' | 'domains' | 'outbox'>;

function openSqlite(): Stores {
  const stores = openSqliteStores(testFolder());
  onTestFinished(() => stores.close());
  return { ...stores, outbox: createSqliteOutbox(stores.database) };
}

async function openDynamoDb(): Promise<Stores> {
  const { clients, tables } = await makeTables();
  return {
    ...createDynamoDbStores(clients, tables),
    ...createDynamoDbProjectStores(clients, tables),
    outbox: createDynamoDbOutbox(clients.retrying, tables.control),
  };
}

/** More domains than a request reads. */
const MANY = 1_050;

describe.each([
  ['SQLite', openSqlite, true],
  ['DynamoDB', openDynamoDb, dynamoDbEndpoint !== undefined],
] as const)('operators, on %s', (_engine, open, isThere) => {
  async function openControl() {
    const stores = await open();
    const ports = {
      ...stores,
      operators: ['usr_operator'],
      readiness: undefined,
      userRequests: createMemoryMinuteCounter(),
      directory: { emailOf: () => undefined, userOf: () => undefined },
      edge: { publish: async () => {} },
      rules: { policy: { ours: [], extraSuffixes: ['test'] }, edge: { host: 'edge.petstore.test' } },
      httpsPort: 443,
      answers: {},
    } as unknown as ControlPorts;
    const control = createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    const claims = { sub: 'usr_operator', auth_time: NOON / 1_000 };
    const ask = async (method: string, path: string, body?: unknown, query = {}) => {
      const event = controlEvent(method, path, { claims, ...(body !== undefined && { body: JSON.stringify(body) }) });
      const answer = await control({ ...event, queryStringParameters: query }, {} as Context);
      return { status: answer.statusCode, link: answer.headers.link, body: JSON.parse(answer.body) };
    };
    return { stores, ask };
  }

  async function makeShop({ accounts, projects }: Stores) {
    const account = { ...sampleAccount(), plan: 'pro' as const };
    await accounts.createAccount(account);
    const project = {
      id: 'prj_operator01',
      accountId: account.id,
      name: 'Site',
      token: 'tokenoperator01',
      createdAt: NOON,
      currentDeploymentId: undefined,
    };
    await projects.createProject({ ...project, configuration: EMPTY_CONFIGURATION });
    return account;
  }

  const domainOf = (accountId: string, n: number, state: Domain['state']): Domain => {
    const ids = { id: `dom_${String(n).padStart(10, '0')}`, host: `n${n}.operator.test`, projectId: 'prj_operator01', accountId };
    return { ...newDomain(ids, NOON - 1), state };
  };

  test.runIf(isThere)('accounts are found, changed, suspended and resumed', async () => {
    const { stores, ask } = await openControl();
    const { id, name } = await makeShop(stores);
    await stores.domains.addDomain(domainOf(id, 1, { name: 'awaiting_dns', since: NOON - 1 }));
    for (const search of [id, name.slice(1), 'https://N1.operator.test/', 'prj_operator01'])
      expect((await ask('GET', '/operator/accounts', undefined, { search })).body, search).toMatchObject([{ accountId: id }]);
    expect((await ask('PUT', `/operator/accounts/${id}/plan`, { plan: 'business' })).body).toMatchObject({ plan: 'business' });
    expect((await ask('PUT', `/operator/accounts/${id}/suspension`, { reason: 'unpaid' })).body).toMatchObject({ suspension: { reason: 'unpaid' } });
    expect((await ask('GET', '/operator/accounts', undefined, { only: 'suspended' })).body).toMatchObject([{ accountId: id }]);
    expect((await ask('DELETE', `/operator/accounts/${id}/suspension`)).body).toMatchObject({ suspension: null });
    expect((await ask('GET', `/operator/accounts/${id}/contents`)).body).toMatchObject({ projects: 1, domains: [{ host: 'n1.operator.test' }] });
  });

  test.runIf(isThere)('what is late, and domains in trouble behind a thousand others, are found', async () => {
    const { stores, ask } = await openControl();
    const { id } = await makeShop(stores);
    const live = (n: number) => domainOf(id, n, { name: 'live', since: NOON - 1, certificate: 'ref', misses: 0, nextCheckAt: NOON + n });
    for (let n = 0; n < MANY; n += 50) await Promise.all(Array.from({ length: 50 }, (_, each) => stores.domains.addDomain(live(n + each))));
    const troubled = domainOf(id, MANY, {
      name: 'degraded',
      since: NOON - 1,
      certificate: 'ref',
      nextCheckAt: NOON + MANY,
    } as unknown as Domain['state']);
    await stores.domains.addDomain(troubled);
    expect((await ask('GET', '/operator/installation')).body).toMatchObject({ domainWork: { count: 0 }, mail: { count: 0 }, checks: null });
    const found: string[] = [];
    let query = {};
    for (let pages = 0; pages < 5; pages += 1) {
      const { body, link } = await ask('GET', '/operator/domains', undefined, query);
      found.push(...body.map((each: { host: string }) => each.host));
      const [, cursor] = /[?&]cursor=([^&>]+)/.exec(link ?? '') ?? [];
      if (cursor === undefined) break;
      query = { cursor: decodeURIComponent(cursor.replace('+', ' ')) };
    }
    expect(found).toEqual([`n${MANY}.operator.test`]);
    await stores.domains.addDomain(
      domainOf(id, MANY + 1, { name: 'verifying', since: NOON - 10 * MINUTE_MS, checks: 0 } as unknown as Domain['state']),
    );
    expect((await ask('GET', '/operator/installation')).body.domainWork).toEqual({ count: 1, since: new Date(NOON - 10 * MINUTE_MS).toISOString() });
  });
});
