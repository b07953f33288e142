// Two people change the same thing at the same time, through the control API on both stores: no one overwrites what they have not seen.

import { setImmediate as tick } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { createMemoryMinuteCounter } from '../../../adapters/store/memory/single-process.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { newDomain } from '../../../core/domains/domain.ts';
import type { ProjectStore } from '../../../core/projects/ports.ts';
import { EMPTY_CONFIGURATION } from '../../../core/projects/project.ts';
import type { ControlPorts } from '../../../service/control/context.ts';
import { createControl } from '../../../service/control/create-control.ts';
import { NOON, sampleAccount } from '../../../testing/samples.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';
import { makeFolder } from '../../support/folders.ts';
import { controlEvent } from '../../support/function-environments.ts';

type Stores = Pick<ControlPorts, 'accounts' | 'members' | 'projects' | 'domains' | 'deployTokens' | 'notificationSettings'>;

/** Schedules at a time, each with a project of its own. */
const AT_A_TIME = 20;
/** The names of a project's live domains. */
const hostsOf = (projectId: string) => ['a', 'b', 'c'].map((name) => `${name}.${projectId.replace('_', '')}.test`) as [string, string, string];

function openSqlite(): Stores {
  const folder = makeFolder();
  const stores = openSqliteStores(folder.path);
  onTestFinished(() => {
    stores.close();
    folder.remove();
  });
  return stores;
}

async function openDynamoDb(): Promise<Stores> {
  const { clients, tables } = await makeTables();
  return { ...createDynamoDbStores(clients, tables), ...createDynamoDbProjectStores(clients, tables) };
}

/** Lets others go first, before and after each call, as often as the schedule says. */
function delayed(projects: ProjectStore, pauses: () => number): ProjectStore {
  const wait = async () => {
    for (let left = pauses(); left > 0; left -= 1) await tick();
  };
  const methods = Object.entries(projects).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      await wait();
      const answer = await (method as (...given: unknown[]) => unknown)(...args);
      await wait();
      return answer;
    },
  ]);
  return Object.fromEntries(methods);
}

async function makeShop(stores: Stores, projectId: string, pauses: () => number, hosts: readonly string[]) {
  const claims = { sub: projectId.replace('prj', 'usr') };
  const account = { ...sampleAccount(), plan: 'pro' as const };
  await stores.accounts.createAccount(account);
  await stores.members.addMember(account.id, claims.sub, 'owner');
  const made = { id: projectId, accountId: account.id, name: 'Shop', token: projectId, createdAt: NOON, currentDeploymentId: undefined };
  await stores.projects.createProject({ ...made, configuration: EMPTY_CONFIGURATION });
  for (const [n, host] of hosts.entries()) {
    const state = { name: 'live', since: NOON, certificate: 'ref', misses: 0, nextCheckAt: NOON + 1_000 } as const;
    const ids = { id: `dom_${projectId}_${n}`, host, projectId, accountId: account.id };
    await stores.domains.addDomain({ ...newDomain(ids, NOON), state });
  }
  const ports = {
    ...stores,
    projects: delayed(stores.projects, pauses),
    userRequests: createMemoryMinuteCounter(),
    edge: { publish: async () => {} },
    rules: { policy: { ours: [], extraSuffixes: ['test'] }, edge: { host: 'edge.petstore.test' } },
    httpsPort: 443,
    answers: {},
  } as unknown as ControlPorts;
  const control = createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
  return async (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: unknown) => {
    const event = controlEvent(method, path.startsWith('//') ? path.slice(1) : `/projects/${projectId}${path}`, {
      claims,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    Object.assign(event.headers, headers);
    const answer = await control(event, {} as Context);
    return {
      status: answer.statusCode,
      etag: answer.headers.etag ?? '',
      location: answer.headers['content-location'],
      body: answer.body === '' ? undefined : JSON.parse(answer.body),
    };
  };
}

type Ask = Awaited<ReturnType<typeof makeShop>>;

/** Adds a redirect, as an editor who reads again after a 412. @returns how often that was */
async function addRedirect(ask: Ask, from: string, to: string): Promise<number> {
  for (let refused = 0; ; refused += 1) {
    const read = await ask('GET', '/configuration');
    const { redirects } = read.body.domains;
    const domains = { ...read.body.domains, redirects: [...redirects, { from, to, status: 308 }] };
    const written = await ask('PUT', '/configuration', { 'if-match': read.etag }, { ...read.body, domains });
    if (written.status === 200) {
      expect(written.etag).not.toBe(read.etag);
      return refused;
    }
    expect([written.status, written.body.code]).toEqual([412, 'precondition_failed']);
  }
}

/** Plays random schedules, some at a time, each with a project of its own. */
async function playAll(
  schedules: number,
  stores: Stores,
  hosts: (projectId: string) => readonly string[],
  play: (ask: Ask, projectId: string) => Promise<void>,
): Promise<void> {
  const queue = fc.sample(fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }), schedules).entries();
  const worker = async () => {
    for (const [n, schedule] of queue) {
      let calls = 0;
      const pauses = () => {
        calls += 1;
        return schedule[calls % schedule.length] ?? 0;
      };
      await play(await makeShop(stores, `prj_${n}`, pauses, hosts(`prj_${n}`)), `prj_${n}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

describe.each([
  ['SQLite', openSqlite, true, 300],
  ['DynamoDB', openDynamoDb, dynamoDbEndpoint !== undefined, 100],
] as const)('on %s, in any order', (_, open, isThere, usual) => {
  const schedules = Number(process.env.SCHEDULES ?? usual);

  test.runIf(isThere)('of two editors, none loses an update without a 412', async () => {
    const stores = await open();
    const refusals: number[] = [];
    await playAll(schedules, stores, hostsOf, async (ask, projectId) => {
      const [a, b, to] = hostsOf(projectId);
      refusals.push(...(await Promise.all([addRedirect(ask, a, to), addRedirect(ask, b, to)])));
      const redirects = (await stores.projects.getProject(projectId))?.configuration.domains.redirects;
      expect(redirects?.map(({ from }) => from).sort()).toEqual([a, b]);
    });
    // They met: otherwise this proves nothing.
    expect(refusals.filter((refused) => refused > 0).length).toBeGreaterThan(schedules / 4);
  });

  test.runIf(isThere)('what one renames, another does not delete unseen', async () => {
    const stores = await open();
    const seen = new Set<string>();
    await playAll(
      schedules,
      stores,
      () => [],
      async (ask, projectId) => {
        const { etag } = await ask('GET', '');
        const [renamed, deleted] = await Promise.all([
          ask('PUT', '', { 'if-match': etag }, { name: 'Another' }),
          ask('DELETE', '', { 'if-match': etag }),
        ]);
        const stored = await stores.projects.getProject(projectId);
        const how = `${renamed.status} ${deleted.status} ${stored?.name}`;
        expect(['200 412 Another', '404 200 undefined', '412 200 undefined']).toContain(how);
        seen.add(how);
      },
    );
    expect(seen.size).toBeGreaterThan(1);
  });
});

test('conditions mean what RFC 9110 says', async () => {
  const stores = openSqlite();
  const ask = await makeShop(stores, 'prj_1', () => 0, hostsOf('prj_1'));
  const statusOf = async (...asked: Parameters<Ask>) => (await ask(...asked)).status;
  await stores.projects.deploy({ id: 'dpl_1', projectId: 'prj_1', createdAt: NOON, files: 1, bytes: 1 });
  const { etag } = await ask('GET', '');
  // Reads.
  expect(await statusOf('GET', '', { 'if-match': `"other", ${etag}` })).toBe(200);
  expect(await statusOf('GET', '', { 'if-match': '*' })).toBe(200);
  const malformed = [`w/${etag}`, `W/ ${etag}`, `x${etag}`, `${etag}"`, `*, ${etag}`, `${etag};q=1`, `"a ${etag}`];
  for (const other of ['"other"', `W/${etag}`, etag.slice(1, -1), '', ...malformed])
    expect(await statusOf('GET', '', { 'if-match': other })).toBe(412);
  expect(await statusOf('HEAD', '', { 'if-match': '"other"' })).toBe(412);
  expect(await statusOf('GET', '', { 'if-match': etag, 'if-none-match': etag })).toBe(304);
  // Something that exists already.
  expect(await statusOf('PUT', '', { 'if-none-match': '*' }, { name: 'Shop' })).toBe(412);
  expect(await statusOf('PUT', '', { 'if-none-match': `W/${etag}` }, { name: 'Shop' })).toBe(412);
  expect(await statusOf('POST', '/domains', { 'if-none-match': '*' }, { host: 'd.prj1.test' })).toBe(412);
  expect(await statusOf('POST', '/domains', { 'if-match': '"other"' }, { host: 'd.prj1.test' })).toBe(412);
  // The answer is a new version, of what Content-Location names.
  const renamed = await ask('PUT', '', { 'if-match': etag }, { name: 'Another' });
  expect([renamed.status, renamed.location]).toEqual([200, '/dashboard/v1/projects/prj_1']);
  expect((await ask('GET', '')).etag).toBe(renamed.etag);
  expect(await statusOf('PUT', '', { 'if-match': etag }, { name: 'Third' })).toBe(412);
  // A domain's own actions have its version.
  const domain = '/domains/dom_prj_1_0';
  expect((await ask('POST', `${domain}/verify`, { 'if-match': '"other"' })).status).toBe(412);
  const verified = await ask('POST', `${domain}/verify`, { 'if-match': (await ask('GET', domain)).etag });
  expect([verified.status, verified.location]).toEqual([200, `/dashboard/v1/projects/prj_1${domain}`]);
  expect(await statusOf('DELETE', domain, { 'if-match': '"other"' })).toBe(412);
  // Where nothing is to be read, no version can be right; and what does not exist is still not found.
  const { status, body } = await ask('DELETE', '/deploy-tokens/tok_1', { 'if-match': '*' });
  expect([status, body.message]).toEqual([412, expect.stringContaining('this path has no GET, and so no ETag')]);
  expect(await statusOf('DELETE', '/domains/dom_none', { 'if-match': '"other"' })).toBe(404);
  expect((await ask('POST', `${domain}/verify/`, { 'if-match': '*' })).location).toBe(`/dashboard/v1/projects/prj_1${domain}`);
  // Nor what does not exist, or is not the user's.
  expect(await statusOf('DELETE', '//accounts/acc_none/plan-request', { 'if-match': '*' })).toBe(404);
});
