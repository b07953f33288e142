// The calls to AWS that the adapters make, recorded while they do their work against clients without a network.

import { Readable } from 'node:stream';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, HeadObjectCommand, NotFound, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { expect } from 'vitest';
import { createDnsValidatedAuthority } from '../../../adapters/certificates/acm-dns.ts';
import { createAwsAuthority, createManagedAuthority } from '../../../adapters/certificates/aws.ts';
import { createDelegatedPublisher, createRoute53Publisher } from '../../../adapters/dns/route53-publisher.ts';
import { createRoute53Zones } from '../../../adapters/dns/route53-zones.ts';
import { createCloudFrontEdge, createTenants } from '../../../adapters/edge/cloudfront.ts';
import { createFailover } from '../../../adapters/edge/failover.ts';
import { createKeyValueMap } from '../../../adapters/edge/key-value-map.ts';
import { createCognitoAddresses, createCognitoSessions } from '../../../adapters/identity/cognito.ts';
import { createS3SiteStore, createS3Uploads } from '../../../adapters/sites/s3.ts';
import { KEY } from '../../../adapters/store/dynamodb/access-items.ts';
import { createDynamoDbAuditLog, UNAUDITED } from '../../../adapters/store/dynamodb/audit.ts';
import { createDynamoDbClients } from '../../../adapters/store/dynamodb/calls.ts';
import { keyAttribute, refusalsKey } from '../../../adapters/store/dynamodb/items.ts';
import { createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { banAttribute, momentValue } from '../../../adapters/store/dynamodb/usage/bans.ts';
import { dayAttribute, keyValue, minuteAttribute, usageItem } from '../../../adapters/store/dynamodb/usage/usage-item.ts';
import { createStepFunctionsWorkflow } from '../../../adapters/workflow/step-functions.ts';
import { NEVER } from '../../../core/access/account.ts';
import { SCOPES } from '../../../core/access/plans.ts';
import { newDomain } from '../../../core/domains/domain.ts';
import { windowsAt } from '../../../core/limits/windows.ts';
import type { Authorization } from '../../../judge/rules.ts';
import { type ParameterOf, parameterName } from '../../../platforms/aws/stage-parameters.ts';
import { MemoryAws } from '../../../test/support/memory-aws.ts';
import { mockedClient, operationOf } from '../../../test/support/mocked-clients.ts';
import { currentOf, sampleProject } from '../../../testing/projects.ts';
import { NOON, REVOKED, sampleAccount, sampleKey } from '../../../testing/samples.ts';
import { authorizationsOf } from './authorizations.ts';
import { type DeployedStage, REGION } from './deployed-templates.ts';

const PROJECT = sampleProject({ id: 'prj_1', accountId: 'acc_1', currentDeploymentId: 'dpl_1' });

/** The control API's calls to the account and key tables. */
export async function tableCalls(name: string, stage: DeployedStage): Promise<readonly Authorization[]> {
  const parameter = (of: ParameterOf<'tables'>) => String(stage.parameter(parameterName(name, 'tables', of)));
  const tables = { pets: parameter('pets'), usage: parameter('usage'), control: parameter('control'), audit: parameter('audit') };
  const account = sampleAccount(undefined, NOON);
  const { text: _, ...key } = sampleKey(account.id);
  const Item = {
    ...KEY.write(key),
    ...usageItem(account.id, account.plan, account.limits),
    [keyAttribute(key.digest)]: keyValue(key),
  };
  const client = mockedClient(DynamoDBClient);
  client.onAnyCommand().resolves({});
  client.on(GetItemCommand).resolves({ Item: { ...Item, [banAttribute(key.digest)]: momentValue(NOON + 1_000) } });
  client.on(GetItemCommand, { Key: refusalsKey(account.id) }).resolves({});
  const { accounts, usage } = createDynamoDbStores(createDynamoDbClients({ region: REGION }), tables);
  await accounts.createAccount(account);
  await accounts.listKeys(account.id);
  await accounts.listRevokedKeys(account.id, NOON);
  await accounts.addKey({ ...key, ban: { since: NOON, until: NOON + 1_000, level: 1 } }, 10, NOON);
  await accounts.expireKey(key.id, NOON);
  if (!(await accounts.changeKey({ ...key, name: 'Another', pausedAt: NOON }, key))) throw new Error('the key was not changed');
  if (!(await accounts.liftBan(key.id, NOON))) throw new Error('the ban was not lifted');
  await accounts.revokeKey(key.id, REVOKED);
  await accounts.setSuspension(account.id, undefined);
  await accounts.rename(account.id, 'Another');
  await accounts.setSecondFactor(account.id, true);
  await accounts.deleteAccount(account.id, NOON);
  await usage.usage(account.id, NOON);
  await createDynamoDbAuditLog(new DynamoDBClient({ region: REGION }), tables.audit, UNAUDITED).entries({ accountId: account.id }, 10);
  return client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input));
}

/** What the operator reads of the audit log: the entries of all accounts. */
export async function auditReads(name: string, stage: DeployedStage): Promise<readonly Authorization[]> {
  const client = mockedClient(DynamoDBClient);
  client.onAnyCommand().resolves({ Items: [] });
  const table = String(stage.parameter(parameterName(name, 'tables', 'audit')));
  await createDynamoDbAuditLog(new DynamoDBClient({ region: REGION }), table, UNAUDITED).entries({ since: Date.now() }, 10);
  return client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input));
}

/** Admission's calls: two requests of an account whose earlier minutes and days are copied to the history, and refusals. */
export async function admissionCalls(name: string, stage: DeployedStage): Promise<readonly Authorization[]> {
  const parameter = (of: ParameterOf<'tables'>) => String(stage.parameter(parameterName(name, 'tables', of)));
  const account = sampleAccount(undefined, NOON);
  const { digest } = sampleKey(account.id);
  const { minute, day } = windowsAt(NOON);
  const client = mockedClient(DynamoDBClient);
  client.on(UpdateItemCommand).resolves({
    Attributes: {
      ...usageItem(account.id, account.plan, account.limits),
      [keyAttribute(digest)]: keyValue({ scopes: SCOPES, expiresAt: NEVER }),
      ...Object.fromEntries([minute, minute - 70].map((each) => [minuteAttribute(each), { N: '1' }])),
      ...Object.fromEntries([day, day - 8].map((each) => [dayAttribute(each), { N: '1' }])),
    },
  });
  const work: Promise<void>[] = [];
  const tables = { pets: parameter('pets'), usage: parameter('usage'), control: parameter('control') };
  const { usage } = createDynamoDbStores(createDynamoDbClients({ region: REGION }), tables, (each) => void work.push(each));
  await usage.admit({ accountId: account.id, digest }, NOON);
  await Promise.all(work);
  await usage.countRefusals(account.id, 1, NOON);
  return client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input));
}

/** The control API's calls, except to the tables, through the adapters that it uses. */
export async function controlCalls(name: string, stage: DeployedStage, { delegated }: { delegated: boolean }): Promise<readonly Authorization[]> {
  const aws = new MemoryAws();
  const parameter = (of: ParameterOf<'edge'>) => String(stage.parameter(parameterName(name, 'edge', of)));
  aws.zones.set('Z1', { name: 'zone.dev', tags: [{ Key: 'petstore:account', Value: 'acc_1' }], records: [] });
  const map = createKeyValueMap(aws.keyValueStore, parameter('map'));
  const records = [{ type: 'CNAME', name: 'www.zone.dev', value: 'x.edge.dev', ttl: 300 } as const];
  const lambda = mockedClient(LambdaClient);
  lambda.onAnyCommand().callsFake(async () => ({ Payload: Buffer.from('{}') }));
  if (delegated) {
    const handler = stage.resources('AWS::Lambda::Function').find(({ id }) => id.startsWith('Control'));
    const { PUBLISH_FUNCTION } = handler?.properties.Environment.Variables ?? {};
    await createDelegatedPublisher(new LambdaClient({}), PUBLISH_FUNCTION).publish('acc_1', 'www.zone.dev', records);
  } else {
    const publisher = createRoute53Publisher(createRoute53Zones(aws.route53), async () => 'd1.cloudfront.net');
    await publisher.publish('acc_1', 'www.zone.dev', records);
    await publisher.withdraw('acc_1', 'www.zone.dev', records);
  }
  await map.publish(PROJECT, currentOf(PROJECT, ['www.zone.dev']));
  await map.publish(PROJECT, currentOf(PROJECT), ['www.zone.dev']);
  const [s3, stepFunctions] = [mockedClient(S3Client), mockedClient(SFNClient)];
  s3.onAnyCommand().resolves({});
  stepFunctions.onAnyCommand().resolves({});
  const domain = newDomain({ id: 'dom_1', host: 'www.zone.dev', projectId: PROJECT.id, accountId: 'acc_1' }, 0);
  await createStepFunctionsWorkflow(new SFNClient({}), parameter('workflow')).start(domain);
  await createS3SiteStore(new S3Client({}), parameter('bucket')).put({ projectId: 'prj_1', id: 'dpl_1' }, 'index.html', Readable.from(['x']), 1);
  // Operators deploy with the site store.
  if (delegated) await upload(parameter('bucket'));
  const cognito = mockedClient(CognitoIdentityProviderClient);
  cognito.onAnyCommand().resolves({});
  // Operators reach no users.
  if (delegated) {
    const [pool = expect.fail('no user pool')] = stage.resources('AWS::Cognito::UserPool').map(({ id }) => `${REGION}_${id}`);
    const client = new CognitoIdentityProviderClient({ region: REGION });
    await createCognitoAddresses(client, pool).addressOf('f4c8a4d8-70a1-70e5-2f6b-0d5f3a1c9b7e');
    await createCognitoSessions(client, pool).endSessions('f4c8a4d8-70a1-70e5-2f6b-0d5f3a1c9b7e');
  }
  const others = [...cognito.calls(), ...s3.calls(), ...stepFunctions.calls(), ...lambda.calls()].map(({ args: [command] }) => ({
    operation: operationOf(command),
    input: command.input,
  }));
  const endpoint = { operation: 'GetParameter', input: { Name: parameterName(name, 'edge', 'routing-endpoint') } };
  return [...aws.requests, ...others, endpoint].flatMap(({ operation, input }) => authorizationsOf(operation, input));
}

/** The failover function's calls for a missing file in a folder: it checks whether there is one, and reads `404.html`. */
export async function failoverCalls(bucket: string): Promise<readonly Authorization[]> {
  const client = mockedClient(S3Client);
  client.on(HeadObjectCommand).callsFake(async ({ Key }) => {
    if (!Key.endsWith('404.html')) throw new NotFound({ message: 'no', $metadata: {} });
    return { ContentLength: 1, ETag: '"e"' };
  });
  client.on(GetObjectCommand).callsFake(async () => ({ Body: Readable.from(['x']) }));
  const answer = createFailover(createS3SiteStore(new S3Client({}), bucket), () => {});
  const { statusCode } = await answer({ method: 'GET', path: '/prj_1/dpl_1/docs/', headers: {} });
  if (statusCode !== 404) throw new Error(`answered ${statusCode}`);
  return client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input));
}

/** Begins and ends an upload. */
async function upload(bucket: string): Promise<void> {
  const uploads = createS3Uploads(new S3Client({ region: REGION, credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' } }), bucket);
  const deployment = { projectId: 'prj_1', id: 'dpl_1' };
  const manifest = [{ name: 'index.html', bytes: 1, sha256: '0'.repeat(64) }];
  await uploads.begin(deployment, manifest);
  await uploads.manifest(deployment);
  await uploads.targets(deployment, manifest);
  await uploads.end(deployment);
}

/** The sweep's calls that remove files, except those to the table. */
export async function removalCalls(bucket: string): Promise<readonly Authorization[]> {
  const client = mockedClient(S3Client);
  client.onAnyCommand().resolves({ Contents: [{ Key: 'prj_1/dpl_1/index.html' }] });
  await createS3Uploads(new S3Client({}), bucket).remove({ projectId: 'prj_1', deploymentId: undefined });
  return client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input));
}

/** Every call that the domain workflow's adapters make, for a domain that CloudFront validates and for one that our record validates. */
export async function work(name: string, stage: DeployedStage) {
  const aws = new MemoryAws();
  const map = createKeyValueMap(aws.keyValueStore, String(stage.parameter(parameterName(name, 'edge', 'map'))));
  const tenants = createTenants(aws.cloudFront, { distributionId: 'E1', connectionGroup: 'group', stage: name });
  const zones = createRoute53Zones(aws.route53);
  aws.zones.set('Z1', { name: 'zone.dev', tags: [{ Key: 'petstore:account', Value: 'acc_1' }], records: [] });
  const managed = createManagedAuthority(aws.acm, tenants);
  const dnsValidated = createDnsValidatedAuthority(aws.acm, zones, zones.zoneOf, name);
  const authority = createAwsAuthority({ managed, dnsValidated, zoneOf: zones.zoneOf });
  const edge = createCloudFrontEdge(tenants, map);
  const publisher = createRoute53Publisher(zones, tenants.routingEndpoint);
  for (const host of ['www.shop.dev', 'www.zone.dev']) {
    const domain = { id: `dom_${host.slice(4, 8)}`, host, projectId: PROJECT.id };
    const records = [{ type: 'CNAME', name: host, value: 'x.edge.dev', ttl: 300 } as const];
    await publisher.publish('acc_1', host, records);
    const certificate = await authority.request(host, `${domain.id}-g1`);
    for (let looks = 0; looks < 5; looks += 1) await authority.check(certificate);
    await edge.attach(domain, currentOf(PROJECT, [host]), certificate);
    await edge.isServing(domain, certificate);
    await edge.entries();
    await edge.made();
    for (const reference of (await authority.unused?.list())?.items ?? []) await authority.unused?.domainOf(reference);
    await edge.publish(PROJECT, currentOf(PROJECT), [host]);
    for (let tries = 0; tries < 5 && !(await edge.release(domain)); tries += 1);
    await authority.release(domain);
    await publisher.withdraw('acc_1', host, records);
  }
  aws.takenElsewhere = 'www.taken.dev';
  await tenants.create({ id: 'dom_taken', host: 'www.taken.dev' }, {});
  return aws.requests;
}

/** The permissions that creating a tenant with its managed certificate and a certificate of our own requires, with the calls that this stage's adapters make. */
export async function creation(stage: string) {
  const aws = new MemoryAws();
  const zone = { id: 'Z1', name: 'shop.dev', accountId: 'acc_1' };
  aws.zones.set(zone.id, { name: zone.name, tags: [], records: [] });
  const tenants = createTenants(aws.cloudFront, { distributionId: 'E1', connectionGroup: 'group', stage });
  const request = { ValidationTokenHost: 'cloudfront', PrimaryDomainName: 'www.shop.dev' } as const;
  await tenants.create({ id: 'dom_1', host: 'www.shop.dev' }, { request });
  await createDnsValidatedAuthority(aws.acm, createRoute53Zones(aws.route53), async () => zone, stage).request('www.shop.dev', 'dom_1-g1', zone);
  return aws.requests.flatMap(({ operation, input }) => authorizationsOf(operation, input));
}
