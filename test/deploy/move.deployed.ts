// A whole installation moves from one machine to an empty stage while it is used. `MOVE=full` has as much as a large machine.

import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ACMClient, DeleteCertificateCommand } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CloudFrontKeyValueStoreClient, GetKeyCommand } from '@aws-sdk/client-cloudfront-keyvaluestore';
import '@aws-sdk/signature-v4a';
import { CognitoIdentityProviderClient, ListUsersCommand } from '@aws-sdk/client-cognito-identity-provider';
import { S3Client } from '@aws-sdk/client-s3';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTenants } from '../../adapters/edge/cloudfront.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbMemberStore } from '../../adapters/store/dynamodb/members.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type ParameterGroup, parameterPath } from '../../platforms/aws/stage-parameters.ts';
import { makeAccount } from '../../testing/suite.ts';
import { stopChild } from '../support/children.ts';
import { atADayWithTime } from '../support/day.ts';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/folders.ts';
import { startMoveLoad } from '../support/move-load.ts';
import { runCli, runCliJson, type ServerProcess, startCli, startServerProcess } from '../support/processes.ts';
import { signIn, type Tokens } from '../support/sign-in.ts';
import { edgeName } from './account.ts';

const [ANIMALS, ACCOUNTS, DOMAINS, KILLS] = process.env.MOVE === 'full' ? [1_000_000, 1_000, 100, 10] : [2_000, 20, 3, 3];
const STAGE = String(process.env.E2E_STAGE);
const CLIENTS = 2;

const folder = makeFolder();
const hosts = Array.from({ length: DOMAINS }, (_, n) => `www.shop${n}.test`);
/** Keys of as many accounts. */
const keys: string[] = [];
/** What is removed at the end, since other tests count what is in the account. */
const ends: (() => Promise<unknown>)[] = [];
let source: ServerProcess;
let tokens: Tokens;
let accountId = '';
let projectId = '';

const environment = { PETSTORE_EDGE_NAME: edgeName(STAGE) };
const petstore = <T>(...args: string[]) => runCliJson<T>(folder.path, args);
const move = (...args: string[]) => runCli(folder.path, ['move', ...args], '', environment);
const moveToStage = (...args: string[]) => move('--to-stage', STAGE, ...args);

async function call<T = Record<string, string>>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${tokens.access_token}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(`${source.url}/dashboard/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return (await response.json()) as T;
}

beforeAll(async () => {
  source = await startServerProcess(folder.path, environment);
  const [, email = '', password = ''] = /(demo@petstore\.test) {2}(\S+)/.exec(source.stdout()) ?? [];
  tokens = await signIn(source.url, email, password);
  const animals = Array.from({ length: ANIMALS }, (_, n) => `Animal ${n},${n % 7},available`);
  const site = join(folder.path, 'site-to-deploy');
  mkdirSync(join(site, 'assets'), { recursive: true });
  writeFileSync(join(folder.path, 'animals.csv'), `name,categoryId,status\n${animals.join('\n')}\n`);
  writeFileSync(join(site, 'index.html'), 'hello from the shop');
  writeFileSync(join(site, 'assets', 'style.css'), 'body { margin: 0 }');
  await petstore('pets', 'import', join(folder.path, 'animals.csv'));
  accountId = (await call<{ accountId: string }[]>('GET', '/accounts'))[0]?.accountId ?? '';
  projectId = (await call('POST', `/accounts/${accountId}/projects`, { name: 'Shop' })).projectId ?? '';
  await petstore('projects', 'deploy', projectId, site);
  const stores = openSqliteStores(folder.path);
  for (let n = 0; n < ACCOUNTS; n += 1) keys.push((await makeAccount(stores, { perMinute: 1_000_000, perDay: n === 0 ? 5 : 1_000_000 })).key.text);
  stores.close();
  for (const host of hosts) {
    const { domainId } = await call('POST', `/projects/${projectId}/domains`, { host });
    await call('POST', `/projects/${projectId}/domains/${domainId}/publish`);
    await call('POST', `/projects/${projectId}/domains/${domainId}/verify`);
  }
  await eventually(
    async () => (await call<{ state: string }[]>('GET', `/projects/${projectId}/domains`)).map(({ state }) => state),
    (states) => expect(states).toEqual(hosts.map(() => 'live')),
  );
});
afterAll(async () => {
  for (const end of ends) await end();
  await source.stop();
  folder.remove();
});

test('requests are answered by one of the two, and everything is there, however often the move was killed', async () => {
  await atADayWithTime();
  let front = source.url;
  const admitted = async () => (await fetch(`${front}/v1/pets`, { headers: { authorization: `Bearer ${keys[0]}` } })).status;
  expect([await admitted(), await admitted(), await admitted()]).toEqual([200, 200, 200]);

  const load = startMoveLoad(() => front, keys.slice(1), CLIENTS);
  // Each gets further than the one before.
  for (let n = 1; n <= KILLS; n += 1) {
    const child = startCli(folder.path, ['move', '--to-stage', STAGE, '--prepare'], environment);
    setTimeout(() => child.kill('SIGKILL'), (process.env.MOVE === 'full' ? 20_000 : 1_500) * n);
    await once(child, 'close');
    await stopChild(child, 'SIGKILL');
  }
  const stageUrl = String(process.env.E2E_URL).replace(/\/$/, '');
  const early = await fetch(`${stageUrl}/v1/pets`, { headers: { authorization: `Bearer ${keys[1]}` } });
  expect(early.status).toBe(401);
  const moved = await moveToStage('--json');
  expect([moved.code, moved.stderr]).toEqual([0, '']);
  const report = JSON.parse(moved.stdout) as { refusedSeconds: number; kinds: Record<string, { records: number }> };
  front = stageUrl;
  const atSwitch = load.created.length;
  await load.creates(5);
  await load.end();
  console.log(`moved: ${load.created.length} created meanwhile, ${load.refused()} writes refused; changes refused for ${report.refusedSeconds} s`);
  expect(load.others).toEqual([]);
  expect(load.refused()).toBeGreaterThan(0);
  expect(report.kinds.pets?.records).toBe(ANIMALS + atSwitch);

  for (const id of load.created)
    expect((await fetch(`${front}/v1/pets/${id}`, { headers: { authorization: `Bearer ${keys[1]}` } })).status).toBe(200);
  for (const key of keys.slice(1))
    expect((await fetch(`${front}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  expect([await admitted(), await admitted(), await admitted()]).toEqual([200, 200, 429]);
});

test('owners find their members, projects and domains there, each domain with its certificate', async () => {
  const stage = <T>(...args: string[]) => runCliJson<T>(folder.path, ['--stage', STAGE, ...args]);
  const ssm = new SSMClient({});
  const parametersOf = async (group: ParameterGroup) => {
    const { Parameters = [] } = await ssm.send(new GetParametersByPathCommand({ Path: parameterPath(STAGE, group) }));
    return (name: string) => Parameters.find(({ Name }) => Name?.endsWith(`/${name}`))?.Value ?? '';
  };
  const [edge, dashboard] = [await parametersOf('edge'), await parametersOf('dashboard')];
  const { authority } = JSON.parse(dashboard('configuration')) as { authority: string };
  const cognito = new CognitoIdentityProviderClient({});
  const { Users = [] } = await cognito.send(new ListUsersCommand({ UserPoolId: authority.split('/').at(-1) }));
  expect(Users.map(({ Attributes, UserStatus }) => [Attributes?.find(({ Name }) => Name === 'email')?.Value, UserStatus])).toEqual([
    ['demo@petstore.test', 'RESET_REQUIRED'],
  ]);
  const sub = Users[0]?.Attributes?.find(({ Name }) => Name === 'sub')?.Value;
  const members = createDynamoDbMemberStore(createDynamoDbClients().retrying, (await parametersOf('tables'))('control'));
  expect(await members.membersOf(accountId)).toEqual([{ userId: sub, role: 'owner' }]);

  const sites = createS3SiteStore(new S3Client({}), edge('bucket'));
  const [{ deploymentId: id } = { deploymentId: '' }] = await stage<{ deploymentId: string }[]>('projects', 'deployments', projectId);
  const index = await sites.get({ projectId, id }, 'index.html');
  expect(index && (await text(index.read()))).toBe('hello from the shop');

  const listed = await stage<{ host: string; state: string; domainId: string }[]>('domains', 'list', projectId);
  expect(listed.map(({ host, state }) => [host, state])).toEqual(hosts.map((host) => [host, 'live']));
  const tenants = createTenants(new CloudFrontClient({}), {
    distributionId: edge('distribution'),
    connectionGroup: edge('connection-group'),
    stage: edge('tag'),
  });
  const map = new CloudFrontKeyValueStoreClient({});
  const shownAt = async (Key: string) => (await map.send(new GetKeyCommand({ KvsARN: edge('map'), Key }))).Value;
  expect(await shownAt(projectId)).toContain(id);
  for (const { domainId, host } of listed) {
    const tenant = await tenants.get(domainId);
    expect([tenant?.Enabled, tenant?.Domains?.map(({ Domain }) => Domain)]).toEqual([true, [host]]);
    const CertificateArn = tenant?.Customizations?.Certificate?.Arn;
    expect(CertificateArn).toMatch(/^arn:aws:acm:us-east-1:/);
    ends.push(async () => {
      await tenants.update(domainId, { enabled: false });
      const disabled = await tenants.get(domainId);
      expect(disabled && (await tenants.delete(disabled))).toBe(true);
      await new ACMClient({}).send(new DeleteCertificateCommand({ CertificateArn }));
    });
    expect(await shownAt(host)).toBe(projectId);
  }
});

test('it moves once, to a stage that has the same edge name; taken back, it lets nobody in', async () => {
  expect((await moveToStage('--dry-run')).stdout).toContain('Users (1) would choose a new password');
  const elsewhere = await runCli(folder.path, ['move', '--to-stage', STAGE]);
  expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining(`deploy it with PRODUCTION_EDGE_NAME=edge.petstore.test`) });
  expect(await moveToStage()).toMatchObject({ code: 1, stderr: expect.stringContaining('the move was completed at') });
  expect(await move('--undo')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes: missing') });
  expect((await move('--undo', '--yes')).code).toBe(0);
  const refused = await fetch(`${process.env.E2E_URL}/v1/pets`, { headers: { authorization: `Bearer ${keys[1]}` } });
  expect(refused.status).toBe(401);
  expect(await moveToStage()).toMatchObject({ code: 1, stderr: expect.stringContaining('was moved there at') });
});
