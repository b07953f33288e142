// The roles' permissions, with every setting on: each statement is checked against AWS's own reference, and the functions' calls against the
// policies of their roles.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, HeadObjectCommand, NotFound, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, describe, expect, test } from 'vitest';
import { createDnsValidatedAuthority } from '../../adapters/certificates/acm-dns.ts';
import { createAwsAuthority } from '../../adapters/certificates/aws.ts';
import { createManagedAuthority } from '../../adapters/certificates/cloudfront-managed.ts';
import { createDelegatedPublisher } from '../../adapters/dns/delegated-publisher.ts';
import { createRoute53Publisher } from '../../adapters/dns/route53-publisher.ts';
import { createRoute53Zones } from '../../adapters/dns/route53-zones.ts';
import { createCloudFrontEdge } from '../../adapters/edge/cloudfront.ts';
import { createFailover } from '../../adapters/edge/failover.ts';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { createTenants, STAGE_TAG } from '../../adapters/edge/tenants.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import { banAttribute, momentValue } from '../../adapters/store/dynamodb/bans.ts';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/clients.ts';
import { keyItem } from '../../adapters/store/dynamodb/items.ts';
import { createDynamoDbStores } from '../../adapters/store/dynamodb/stores.ts';
import { keyAttribute, keyValue, refusalsKey, usageItem } from '../../adapters/store/dynamodb/usage-item.ts';
import { createStepFunctionsWorkflow } from '../../adapters/workflow/step-functions.ts';
import { newDomain } from '../../core/domains/domain.ts';
import { type ParameterOf, parameterName } from '../../platforms/aws/stage-parameters.ts';
import { referenceOf, takesConditionKey, takesResource } from '../../test/support/aws-reference/actions.ts';
import { type Authorization, isAllowed, listOf } from '../../test/support/aws-reference/policy-evaluation.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { MemoryAws } from '../../test/support/memory-aws.ts';
import { mockedClient, operationOf } from '../../test/support/mocked-clients.ts';
import { sampleProject } from '../../test/support/projects.ts';
import { NOON, sampleAccount, sampleKey } from '../../test/support/samples.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { operatorRoleName } from '../stacks/operator.ts';
import { authorizationsOf } from './support/authorizations.ts';
import { type DeployedStage, deployedStage, REGION } from './support/deployed-templates.ts';
import { statementsOf, statementsOfRole } from './support/policies.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const ADAPTERS = join(import.meta.dirname, '../../adapters');
/** A domain's steps don't list what exists at the edge. */
const SWEEP_ONLY = ['ListKeys', 'ListDistributionTenants'];
const PROJECT = sampleProject({ id: 'prj_1', accountId: 'acc_1', currentDeploymentId: 'dpl_1' });

const folder = makeFolder();
afterAll(() => folder.remove());

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map(
  (stage) => [stage.stageName, deployedStage(stage)] as const,
);

describe.each(stages)('%s', (name, stage) => {
  const statements = statementsOf(stage).filter(({ Resource }) => Resource !== undefined);
  const allowed = statements.filter(({ Effect }) => Effect === 'Allow');

  test('policies are found', () => {
    expect(allowed.length).toBeGreaterThan(15);
  });

  test('every action is allowed on a resource type that supports it', () => {
    const problems = allowed.flatMap(({ place, Action, Resource }) =>
      listOf(Action)
        .filter((action) => !listOf(Resource).some((resource) => takesResource(action, resource)))
        .map((action) => `${place}: ${action} on ${Resource}; possible: ${Object.values(referenceOf(action).resources).join(', ') || '*'}`),
    );
    expect(problems).toEqual([]);
  });

  test('every resource is used by an action', () => {
    const problems = allowed.flatMap(({ place, Action, Resource }) =>
      listOf(Resource)
        .filter((resource) => !listOf(Action).some((action) => takesResource(action, resource)))
        .map((resource) => `${place}: none of ${Action} is ever asked of ${resource}`),
    );
    expect(problems).toEqual([]);
  });

  test('every condition key exists for its actions', () => {
    const problems = allowed.flatMap(({ place, Action, Condition = {} }) =>
      Object.values(Condition)
        .flatMap((keys) => Object.keys(keys))
        .flatMap((key) =>
          listOf(Action)
            .filter((action) => !takesConditionKey(action, key))
            .map((action) => `${place}: ${action} has no ${key}`),
        ),
    );
    expect(problems).toEqual([]);
  });

  test.each(['StepsRole', 'SweepRole'])("%s: tenants and certificates are created only with this stage's tag", async (id) => {
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id });
    const refused = async (tag: string) => (await creation(tag)).filter((each) => !isAllowed(role, each)).map(({ action }) => action);
    expect(await refused(name)).toEqual([]);
    const needTag = ['cloudfront:CreateDistributionTenant', 'cloudfront:TagResource', 'acm:RequestCertificate', 'acm:AddTagsToCertificate'];
    for (const other of THREE_STAGES.filter((each) => each !== name)) expect(await refused(other)).toEqual(needTag);
    for (const action of needTag) expect(isAllowed(role, { action, resource: '*' })).toBe(false);
  });

  test.each([
    ['StepsRole', SWEEP_ONLY],
    ['SweepRole', []],
  ])('%s: every call of the domain workflow is allowed', async (id, notAllowed) => {
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id });
    const requests = await work(name, stage);
    const refused = requests.filter(({ operation, input }) => authorizationsOf(operation, input, name).some((each) => !isAllowed(role, each)));
    expect([...new Set(refused.map(({ operation }) => operation))]).toEqual(notAllowed);
    expect([...new Set(requests.map(({ operation }) => operation))].sort()).toEqual(
      // The control API's function leaves the publication of records to this one.
      operationsOf('certificates', 'dns', 'edge').filter((operation) => operation !== 'Invoke'),
    );
  });

  test.each(['StepsRole', 'SweepRole'])("%s: other stages' tenants and certificates are not changed, nor the stage's own records", async (id) => {
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id });
    const denied = (await work(name, stage))
      .flatMap(({ operation, input }) => authorizationsOf(operation, input, 'another'))
      .filter((each) => !isAllowed(role, each) && each.context?.[`aws:ResourceTag/${STAGE_TAG}`] === 'another');
    const changes = ['UpdateDistributionTenant', 'DeleteDistributionTenant', 'GetManagedCertificateDetails'].map((each) => `cloudfront:${each}`);
    expect([...new Set(denied.map(({ action }) => action))].sort()).toEqual(['acm:DeleteCertificate', ...changes].sort());
    const mayChange = (record: string, type = 'CNAME') =>
      isAllowed(role, {
        action: 'route53:ChangeResourceRecordSets',
        resource: 'arn:aws:route53:::hostedzone/Z1',
        context: {
          'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': [record],
          'route53:ChangeResourceRecordSetsRecordTypes': [type],
        },
      });
    expect([mayChange('www.zone.dev'), mayChange('www.zone.dev', 'NS'), mayChange('zone.dev', 'MX')]).toEqual([true, false, false]);
    const own = [`edge.${name}.example.com`, `x.edge.${name}.example.com`, `api.${name}.example.com`];
    expect(own.filter((record) => mayChange(record))).toEqual([]);
  });

  test('ControlRole: every call that the control API makes, except those to the tables, is allowed', async () => {
    const role = statementsOfRole(stage, { stack: `${name}-Dashboard`, id: 'ControlRole' });
    const calls = await controlCalls(name, stage, { delegated: true });
    expect(calls.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    expect(new Set(calls.map(({ action }) => action)).size).toBeGreaterThan(6);
    // The internet can reach this function: it may not change DNS.
    expect(role.flatMap(({ Action }) => listOf(Action)).filter((action) => action.startsWith('route53:'))).toEqual([]);
  });

  test("OperatorRole: of the control API's calls, only deleting records and reading a single parameter are denied", async () => {
    const role = statementsOfRole(stage, operatorRoleName(name));
    const denied = (await controlCalls(name, stage, { delegated: false })).filter((authorization) => !isAllowed(role, authorization));
    expect(denied.map(({ action, context }) => [action, context?.['route53:ChangeResourceRecordSetsActions']])).toEqual([
      ['route53:ChangeResourceRecordSets', ['DELETE']],
      ['ssm:GetParameter', undefined],
    ]);
  });

  test('FailoverRole: may read files and tell missing ones from forbidden ones, and nothing else', async () => {
    const role = statementsOfRole(stage, { stack: `${name}-Edge`, id: 'FailoverRole' });
    const bucket = String(stage.parameter(parameterName(name, 'edge', 'bucket')));
    const calls = await failoverCalls(bucket);
    expect(calls.map(({ action }) => action)).toEqual(['s3:GetObject', 's3:GetObject', 's3:GetObject']);
    const all = [...calls, { action: 's3:ListBucket', resource: `arn:aws:s3:::${bucket}` }];
    expect(all.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    const others = [
      { action: 's3:PutObject', resource: `arn:aws:s3:::${bucket}/prj_1/dpl_1/a` },
      { action: 's3:GetObject', resource: 'arn:aws:s3:::another/prj_1/dpl_1/a' },
    ];
    expect(others.filter((authorization) => isAllowed(role, authorization))).toEqual([]);
  });

  test.each([
    ['ControlRole', { stack: `${name}-Dashboard`, id: 'ControlRole' }],
    ['OperatorRole', operatorRoleName(name)],
  ])('%s: every call to the account and key tables is allowed', async (_id, place) => {
    const role = statementsOfRole(stage, place);
    const calls = await tableCalls(name, stage);
    expect(calls.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    const onUsage = calls.filter(({ resource }) => resource.endsWith('-usage')).map(({ action }) => action);
    expect([...new Set(onUsage)].sort()).toEqual(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']);
  });
});

/** The control API's calls to the account and key tables. */
async function tableCalls(name: string, stage: DeployedStage): Promise<readonly Authorization[]> {
  const parameter = (of: ParameterOf<'tables'>) => String(stage.parameter(parameterName(name, 'tables', of)));
  const tables = { pets: parameter('pets'), usage: parameter('usage'), control: parameter('control') };
  const account = sampleAccount(undefined, NOON);
  const { text: _, ...key } = sampleKey(account.id);
  const Item = {
    ...keyItem(key),
    ...usageItem(account.id, account.plan, account.limits),
    [keyAttribute(key.digest)]: keyValue(key.scopes, key.expiresAt),
  };
  const client = mockedClient(DynamoDBClient);
  client.onAnyCommand().resolves({});
  client.on(GetItemCommand).resolves({ Item: { ...Item, [banAttribute(key.digest)]: momentValue(NOON + 1_000) } });
  client.on(GetItemCommand, { Key: refusalsKey(account.id) }).resolves({});
  const { accounts, usage } = createDynamoDbStores(createDynamoDbClients({ region: REGION }), tables);
  await accounts.createAccount(account);
  await accounts.listKeys(account.id);
  await accounts.addKey({ ...key, ban: { since: NOON, until: NOON + 1_000, level: 1 } }, 10, NOON);
  await accounts.expireKey(key.id, NOON);
  expect(await accounts.liftBan(key.id, NOON)).toBe(true);
  await accounts.revokeKey(key.id);
  await usage.usage(account.id, NOON);
  return client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input));
}

/** The control API's calls, except to the tables, through the adapters that it uses. */
async function controlCalls(name: string, stage: DeployedStage, { delegated }: { delegated: boolean }): Promise<readonly Authorization[]> {
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
  await map.publish(PROJECT, ['www.zone.dev']);
  await map.detach({ host: 'www.zone.dev', projectId: PROJECT.id });
  const [s3, stepFunctions] = [mockedClient(S3Client), mockedClient(SFNClient)];
  s3.onAnyCommand().resolves({});
  stepFunctions.onAnyCommand().resolves({});
  const domain = newDomain({ id: 'dom_1', host: 'www.zone.dev', projectId: PROJECT.id, accountId: 'acc_1' }, 0);
  await createStepFunctionsWorkflow(new SFNClient({}), parameter('workflow')).start(domain);
  await createS3SiteStore(new S3Client({}), parameter('bucket')).put({ projectId: 'prj_1', id: 'dpl_1' }, 'index.html', Readable.from(['x']), 1);
  const others = [...s3.calls(), ...stepFunctions.calls(), ...lambda.calls()].map(({ args: [command] }) => ({
    operation: operationOf(command),
    input: command.input,
  }));
  const endpoint = { operation: 'GetParameter', input: { Name: parameterName(name, 'edge', 'routing-endpoint') } };
  return [...aws.requests, ...others, endpoint].flatMap(({ operation, input }) => authorizationsOf(operation, input));
}

/** The failover function's calls for a missing file in a folder: it checks whether there is one, and reads `404.html`. */
async function failoverCalls(bucket: string): Promise<readonly Authorization[]> {
  const client = mockedClient(S3Client);
  client.on(HeadObjectCommand).callsFake(async ({ Key }) => {
    if (!Key.endsWith('404.html')) throw new NotFound({ message: 'no', $metadata: {} });
    return { ContentLength: 1, ETag: '"e"' };
  });
  client.on(GetObjectCommand).callsFake(async () => ({ Body: Readable.from(['x']) }));
  const answer = createFailover(createS3SiteStore(new S3Client({}), bucket), () => {});
  expect(await answer({ method: 'GET', path: '/prj_1/dpl_1/docs/', headers: {} })).toMatchObject({ statusCode: 404 });
  return client.calls().flatMap(({ args: [command] }) => authorizationsOf(operationOf(command), command.input));
}

/** The operations that appear in these adapter folders. */
function operationsOf(...folders: readonly string[]): string[] {
  const files = globSync(`{${folders.join(',')}}/*.ts`, { cwd: ADAPTERS }).map((file) => readFileSync(join(ADAPTERS, file), 'utf8'));
  return [
    ...new Set(files.flatMap((source) => [...source.matchAll(/new (\w+)Command\(|paginate(\w+)\(/g)].map(([, one, all]) => one ?? all ?? ''))),
  ].sort();
}

/** Every call that the domain workflow's adapters make, for a domain that CloudFront validates and for one that our record validates. */
async function work(name: string, stage: DeployedStage) {
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
    await edge.attach(domain, PROJECT, certificate);
    await edge.isServing(domain);
    await edge.entries();
    await edge.made();
    for (const reference of (await authority.unused?.list())?.items ?? []) await authority.unused?.domainOf(reference);
    await edge.detach(domain);
    for (let tries = 0; tries < 5 && !(await edge.release(domain)); tries += 1);
    await authority.release(domain);
    await publisher.withdraw('acc_1', host, records);
  }
  aws.takenElsewhere = 'www.taken.dev';
  await tenants.create({ id: 'dom_taken', host: 'www.taken.dev' }, {});
  return aws.requests;
}

/** The permissions that creating a tenant and a certificate requires, with the calls that this stage's adapters make. */
async function creation(stage: string) {
  const aws = new MemoryAws();
  const zone = { id: 'Z1', name: 'shop.dev', accountId: 'acc_1' };
  aws.zones.set(zone.id, { name: zone.name, tags: [], records: [] });
  await createTenants(aws.cloudFront, { distributionId: 'E1', connectionGroup: 'group', stage }).create({ id: 'dom_1', host: 'www.shop.dev' }, {});
  await createDnsValidatedAuthority(aws.acm, createRoute53Zones(aws.route53), async () => zone, stage).request('www.shop.dev', 'dom_1-g1', zone);
  return aws.requests.flatMap(({ operation, input }) => authorizationsOf(operation, input));
}
