// A custom domain on the emulated AWS, managed with the command line: the real state machine takes it from Verify to Live and from Remove to
// Removed, with the real functions, real DNS packets, and the emulator's CloudFront, ACM, Route 53 and S3.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ACMClient, ListCertificatesCommand, RequestCertificateCommand } from '@aws-sdk/client-acm';
import {
  CloudFrontClient,
  CreateDistributionTenantCommand,
  ListDistributionsCommand,
  ListDistributionTenantsCommand,
} from '@aws-sdk/client-cloudfront';
import { CloudFrontKeyValueStoreClient, DescribeKeyValueStoreCommand, UpdateKeysCommand } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ChangeTagsForResourceCommand, CreateHostedZoneCommand, ListResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetExecutionHistoryCommand, ListExecutionsCommand, SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SandboxServer, startSandboxServer } from '../../adapters/dns/sandbox-server.ts';
import { tenantName } from '../../adapters/edge/cloudfront.ts';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { LOGS_PREFIX } from '../../adapters/sites/log-fields.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbDomainStore } from '../../adapters/store/dynamodb/domains.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { EdgeMap } from '../../core/domains/ports.ts';
import type { SandboxRecord } from '../../core/sandbox/records.ts';
import { parameterPath } from '../../platforms/aws/stage-parameters.ts';
import { siteStoreContract } from '../../testing/site-store.ts';
import { allPages } from '../../testing/suite.ts';
import { startTarget, type Target } from '../e2e/target.ts';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';
import { DNS_SUFFIX } from './emulator.ts';
import { runProgram } from './run-program.ts';

interface Shown {
  domainId: string;
  host: string;
  state: string;
  diagnosis: { code: string } | null;
}

const STAGE = String(process.env.E2E_STAGE);
const folder = makeFolder();
const [cloudFront, acm, route53, s3, stepFunctions, ssm, lambda] = [
  new CloudFrontClient({}),
  new ACMClient({}),
  new Route53Client({}),
  new S3Client({}),
  new SFNClient({}),
  new SSMClient({}),
  new LambdaClient({}),
];
let records: SandboxRecord[] = [];
let dns: SandboxServer;
let target: Target;
let map: EdgeMap;
let edgeMapArn = '';
let bucket = '';
let workflow = '';
let control = '';
let project: { projectId: string; target: string; accountId: string };

beforeAll(async () => {
  target = await startTarget();
  dns = await startSandboxServer({
    host: '127.0.0.1',
    port: Number(process.env.STAGING_DNS_PORT),
    suffix: DNS_SUFFIX,
    records: () => records,
    edge: { host: String(process.env.STAGING_EDGE_NAME), address: '127.0.0.1' },
  });
  const { Parameters = [] } = await ssm.send(new GetParametersByPathCommand({ Path: parameterPath(STAGE, 'edge') }));
  const parameter = (name: string) => Parameters.find(({ Name }) => Name?.endsWith(`/${name}`))?.Value ?? '';
  bucket = parameter('bucket');
  workflow = parameter('workflow');
  const tables = await ssm.send(new GetParametersByPathCommand({ Path: parameterPath(STAGE, 'tables') }));
  control = tables.Parameters?.find(({ Name }) => Name?.endsWith('/control'))?.Value ?? '';
  edgeMapArn = parameter('map');
  map = createKeyValueMap(new CloudFrontKeyValueStoreClient({}), edgeMapArn, { targetsBelow: process.env.STAGING_EDGE_NAME });
  const { accountId } = await target.petstore<{ accountId: string }>(['accounts', 'create', '--name', 'Shop', '--plan', 'pro']);
  project = {
    accountId,
    ...(await target.petstore<{ projectId: string; target: string }>(['projects', 'create', '--account', accountId, '--name', 'Shop'])),
  };
});

afterAll(async () => {
  await Promise.all([target.stop(), dns.stop()]);
  // Only an empty bucket can be deleted.
  const store = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  const { DeleteObjectsCommand } = await import('@aws-sdk/client-s3');
  await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: (store.Contents ?? []).map(({ Key }) => ({ Key })) } }));
  folder.remove();
});

const set = (name: string, type: SandboxRecord['type'], value: string) => {
  records = [...records.filter((each) => each.name !== name || each.type !== type), { name, type, value, ttl: 60 }];
};
const show = (host: string) => target.petstore<Shown>(['domains', 'show', host]);
const tenants = async () => (await cloudFront.send(new ListDistributionTenantsCommand({}))).DistributionTenantList ?? [];
const entries = () => allPages(map.entries);
/** Of domains. */
const hosts = async () => (await entries()).flatMap(({ host, isTarget = false }) => (host === undefined || isTarget ? [] : [host]));

/** The states that an execution went through, in order, and how it ended. */
async function wayOf(domainId: string, generation: number): Promise<{ status: string | undefined; states: string[] }> {
  const { executions = [] } = await stepFunctions.send(new ListExecutionsCommand({ stateMachineArn: workflow }));
  const execution = executions.find(({ name }) => name === `${domainId}-g${generation}`);
  const { events = [] } = await stepFunctions.send(new GetExecutionHistoryCommand({ executionArn: execution?.executionArn, maxResults: 1_000 }));
  const states = events.map(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name).filter((name) => name !== undefined);
  return { status: execution?.status, states };
}

/** Runs the stage's sweep. */
async function sweep(event: object) {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  const found = Functions.find(({ FunctionName, Description }) => FunctionName?.startsWith(`${STAGE}-`) && Description?.includes('orphans'));
  const { Payload } = await lambda.send(new InvokeCommand({ FunctionName: found?.FunctionName, Payload: JSON.stringify(event) }));
  return JSON.parse(Buffer.from(Payload ?? []).toString());
}

const sweepEdge = async () => (await sweep({ orphans: true })).edge;

/** Makes it two days since the sweep first reported these things. */
async function makeReported(...things: readonly string[]): Promise<void> {
  const { retrying, once } = createDynamoDbClients();
  for (const thing of things) {
    const since = { N: String(Date.now() - 2 * 86_400_000) };
    await retrying.send(new PutItemCommand({ TableName: control, Item: { pk: { S: `sweep#${thing}` }, sk: { S: 'reported' }, since } }));
  }
  for (const client of [retrying, once]) client.destroy();
}

/** Makes a domain's next check overdue. */
async function makeDue(domainId: string, byMs: number): Promise<void> {
  const { retrying, once } = createDynamoDbClients();
  const domains = createDynamoDbDomainStore(retrying, control);
  const domain = await domains.getDomain(domainId);
  if (domain === undefined) throw new Error(`no domain ${domainId}`);
  expect(await domains.saveDomain({ ...domain, state: { ...domain.state, nextCheckAt: Date.now() - byMs } as Domain['state'] }, domain)).toBe(
    'saved',
  );
  for (const client of [retrying, once]) client.destroy();
}

const live = (host: string) =>
  eventually(
    () => show(host),
    (domain) => expect(domain.state).toBe('live'),
  );

const removed = (host: string) =>
  eventually(
    async () => (await runCli(folder.path, ['--stage', STAGE, 'domains', 'show', host])).stderr,
    (text) => expect(text).toContain('no domain'),
  );

describe('custom domain', () => {
  test('starts with a project that serves the API reference, and then serves a deployment, including at its short addresses', async () => {
    const site = join(folder.path, 'site');
    mkdirSync(join(site, 'docs'), { recursive: true });
    for (const name of ['index.html', 'about.html', 'docs/index.html', 'docs.html']) writeFileSync(join(site, name), name);
    const keys = async () =>
      ((await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${project.projectId}/` }))).Contents ?? []).map(({ Key }) => Key);
    expect(await keys()).toEqual(expect.arrayContaining([expect.stringMatching(/\/dpl_\w+\/index\.html$/), expect.stringMatching(/openapi\.json$/)]));
    const { deploymentId } = await target.petstore<{ deploymentId: string }>(['projects', 'deploy', project.projectId, site]);
    const under = `${project.projectId}/${deploymentId}/`;
    expect((await keys()).filter((key) => key?.startsWith(under)).sort()).toEqual(
      ['', 'about', 'about.html', 'docs', 'docs.html', 'docs/', 'docs/index', 'docs/index.html', 'index', 'index.html'].map(
        (name) => `${under}${name}`,
      ),
    );
    const sites = createS3SiteStore(s3, bucket);
    const chunks: Buffer[] = [];
    for await (const chunk of (await sites.get({ id: deploymentId, projectId: project.projectId }, 'about.html'))?.read() ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('about.html');
  });

  test('waits for its record, goes live with a certificate from CloudFront, and leaves nothing behind', async () => {
    const host = `www.managed.${DNS_SUFFIX}`;
    const apex = `managed.${DNS_SUFFIX}`;
    const added = await target.petstore<{ records: unknown[] }>(['domains', 'add', host, '--project', project.projectId, '--both']);
    expect(added.records).toEqual([{ type: 'CNAME', name: host, value: project.target, ttl: 3_600, label: 'www' }]);
    expect(await target.petstore(['domains', 'verify', host])).toMatchObject({ state: 'verifying', diagnosis: { code: 'not_found' } });
    expect(await tenants()).toEqual([]);
    set(host, 'CNAME', project.target);
    const { domainId } = await live(host);

    expect(await hosts()).toEqual([host]);
    // The companion redirects from now on, without its owner.
    expect(await target.petstore(['config', 'get', project.projectId])).toEqual({ domains: { redirects: [{ from: apex, to: host, status: 301 }] } });
    expect(await tenants()).toMatchObject([{ Name: tenantName(domainId), Enabled: true, Domains: [{ Domain: host, Status: 'active' }] }]);
    const way = await wayOf(domainId, 1);
    expect(way.status).toBe('SUCCEEDED');
    expect(way.states.slice(0, 4)).toEqual(['Guard', 'WhereItStands', 'CheckDns', 'IsTheRecordRight']);
    expect(way.states).toEqual(expect.arrayContaining(['WaitForDns', 'RequestCertificate', 'CheckCertificate', 'GuardAgain', 'Attach', 'CheckLive']));
    expect(way.states.at(-1)).toBe('Live');

    // The emulator has no names of other distributions.
    const move = [
      'infra/commands/move-name.ts',
      '--stage',
      STAGE,
      '--name',
      host,
      '--certificate',
      `arn:aws:acm:us-east-1:${'0'.repeat(12)}:certificate/1`,
    ];
    expect((await runProgram(process.execPath, move, join(import.meta.dirname, '../..'), process.env)).output).toBe(
      `${host} is already served here\n`,
    );

    await makeDue(domainId, 0);
    expect((await sweep({})).domains).toMatchObject({ checked: 1, restarted: 0, stuck: 0, renewalOverdue: 0, failed: 0, complete: true });
    expect(await show(host)).toMatchObject({ state: 'live', diagnosis: null });

    await target.petstore(['domains', 'remove', apex, '--yes']);
    await target.petstore(['domains', 'remove', host, '--with-redirects', '--yes']);
    // The map entry is removed first: the map is empty before the workflow has started.
    expect(await hosts()).toEqual([]);
    await removed(host);
    expect(await tenants()).toEqual([]);
    expect((await acm.send(new ListCertificatesCommand({}))).CertificateSummaryList?.filter(({ DomainName }) => DomainName === host)).toEqual([]);
    const { states } = await eventually(
      () => wayOf(domainId, 2),
      ({ status }) => expect(status).toBe('SUCCEEDED'),
    );
    expect(states).toEqual(expect.arrayContaining(['Teardown', 'Removed']));
  });

  test("in one of the AWS account's zones gets its records and its certificate automatically", async () => {
    const [zone, host] = [`zoned.${DNS_SUFFIX}`, `www.zoned.${DNS_SUFFIX}`];
    await target.petstore(['domains', 'add', host, '--project', project.projectId]);
    const publish = () => runCli(folder.path, ['--stage', STAGE, 'domains', 'publish', host, '--json']);
    const { HostedZone } = await route53.send(new CreateHostedZoneCommand({ Name: zone, CallerReference: String(Date.now()) }));
    const id = HostedZone?.Id?.replace('/hostedzone/', '') ?? '';
    // Without the account's tag, a zone belongs to no account.
    expect((await publish()).stderr).toContain('we do not manage the zone');
    await route53.send(
      new ChangeTagsForResourceCommand({
        ResourceType: 'hostedzone',
        ResourceId: id,
        AddTags: [{ Key: 'petstore:account', Value: project.accountId }],
      }),
    );
    // A zone below another is authoritative for its names, and this one is nobody's.
    const nested = `www.nested.zoned.${DNS_SUFFIX}`;
    await route53.send(new CreateHostedZoneCommand({ Name: `nested.${zone}`, CallerReference: String(Date.now()) }));
    await target.petstore(['domains', 'add', nested, '--project', project.projectId]);
    expect((await runCli(folder.path, ['--stage', STAGE, 'domains', 'publish', nested, '--json'])).stderr).toContain('we do not manage the zone');
    await target.petstore(['domains', 'remove', nested, '--yes']);
    await target.petstore(['domains', 'verify', host]);
    const cnames = async () => {
      const { ResourceRecordSets = [] } = await route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
      return ResourceRecordSets.filter(({ Type }) => Type === 'CNAME').map(({ Name, ResourceRecords }) => [
        Name?.replace(/\.$/, ''),
        ResourceRecords?.[0]?.Value,
      ]);
    };
    // The certificate is requested, and its validation record written, before the domain's own record exists.
    await eventually(cnames, (records) => expect(records).toHaveLength(1));
    expect(await show(host)).toMatchObject({ state: 'verifying' });
    expect((await publish()).code).toBe(0);
    expect(await cnames()).toContainEqual([host, project.target]);
    set(host, 'CNAME', project.target);
    const { domainId } = await live(host);
    const certificates = async () =>
      (await acm.send(new ListCertificatesCommand({}))).CertificateSummaryList?.filter(({ DomainName }) => DomainName === host);
    expect(await certificates()).toHaveLength(1);
    expect(await tenants()).toMatchObject([
      { Name: tenantName(domainId), Customizations: { Certificate: { Arn: (await certificates())?.[0]?.CertificateArn } } },
    ]);

    await target.petstore(['domains', 'remove', host, '--yes']);
    await removed(host);
    expect([await tenants(), await certificates(), await hosts()]).toEqual([[], [], []]);
    // The records that we have set are deleted with the domain.
    expect(await cnames()).toEqual([]);
  });

  test('is resumed by the sweep if its work was lost', async () => {
    const host = `www.lost.${DNS_SUFFIX}`;
    await target.petstore(['domains', 'add', host, '--project', project.projectId]);
    await target.petstore(['domains', 'verify', host]);
    const { domainId } = await show(host);
    const { executions = [] } = await stepFunctions.send(new ListExecutionsCommand({ stateMachineArn: workflow, statusFilter: 'RUNNING' }));
    for (const { executionArn } of executions.filter(({ name }) => name?.startsWith(domainId)))
      await stepFunctions.send(new StopExecutionCommand({ executionArn }));
    await makeDue(domainId, 30 * 60_000);
    expect((await sweep({})).domains).toMatchObject({ restarted: 1, failed: 0 });
    set(host, 'CNAME', project.target);
    await live(host);
    await target.petstore(['domains', 'remove', host, '--yes']);
    await removed(host);
  });

  test('has its project published again if the publication was lost', async () => {
    const store = new CloudFrontKeyValueStoreClient({});
    const KvsARN = edgeMapArn;
    const { ETag } = await store.send(new DescribeKeyValueStoreCommand({ KvsARN }));
    await store.send(new UpdateKeysCommand({ KvsARN, IfMatch: ETag, Puts: [], Deletes: [{ Key: project.projectId }] }));
    const isPublished = async () => (await entries()).some(({ host, projectId }) => host === undefined && projectId === project.projectId);
    expect(await isPublished()).toBe(false);
    expect(await sweep({ changes: true })).toMatchObject({ changes: { published: expect.any(Number), failed: 0 } });
    expect(await isPublished()).toBe(true);
    store.destroy();
  });

  test('has its visitors counted from the logs that CloudFront delivers', async () => {
    const visit = {
      'x-host-header': project.target,
      'cs-method': 'GET',
      'cs-uri-stem': '/',
      'sc-status': '200',
      'sc-bytes': '500000000',
      'time-taken': '0.1',
    };
    const [date, time] = new Date().toISOString().slice(0, 19).split('T');
    const Body = gzipSync(`${JSON.stringify({ date, time, ...visit })}\n`.repeat(4));
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${LOGS_PREFIX}log.gz`, Body }));
    expect(await sweep({ changes: true })).toMatchObject({ visits: { files: 1, visits: 4, strangers: 0, failed: 0 } });
    const { projects } = await target.petstore<{ projects: object[] }>(['projects', 'traffic', '--from', String(date), '--to', String(date)]);
    expect(projects).toEqual([
      { projectId: project.projectId, name: 'Shop', accountId: project.accountId, requests: 4, bytes: 2e9, usd: expect.closeTo(0.17, 3) },
    ]);
    expect((await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: LOGS_PREFIX }))).Contents ?? []).toEqual([]);
  });

  test('is swept if a crash left it behind', async () => {
    const orphan = { id: 'prj_gone', currentDeploymentId: 'dpl_gone', configuration: { domains: { redirects: [] } } };
    const host = `www.orphan.${DNS_SUFFIX}`;
    const gone = { ...orphan, accountId: 'acc', name: 'Gone', token: 'gone', createdAt: 0 };
    await map.publish(gone, async () => ({ project: gone, hosts: [host] }));
    expect(await hosts()).toEqual([host]);
    const tags = [
      { Key: 'petstore:request', Value: 'dom_orphan0000-g1' },
      { Key: 'petstore:stage', Value: STAGE },
    ];
    await acm.send(new RequestCertificateCommand({ DomainName: host, ValidationMethod: 'DNS', Tags: tags }));
    await cloudFront.send(
      new CreateDistributionTenantCommand({
        DistributionId: (await cloudFront.send(new ListDistributionsCommand({}))).DistributionList?.Items?.find(({ Comment }) =>
          Comment?.startsWith(`petstore ${STAGE}: custom`),
        )?.Id,
        Name: tenantName('dom_orphan0000'),
        Domains: [{ Domain: host }],
        Enabled: true,
        Tags: { Items: [{ Key: 'petstore:stage', Value: STAGE }] },
      }),
    );
    // The entries of the host, its project and its target, the tenant and the certificate: storage knows none of them, and may have been restored.
    const reported = await sweepEdge();
    expect(reported).toMatchObject({ tenants: 1, orphans: 0, failed: 0, complete: true });
    expect(reported.unknown).toBeGreaterThanOrEqual(4);
    expect(await hosts()).toEqual([host]);
    await makeReported(`host ${host} ${orphan.id}`, `project ${orphan.id}`, `target of project ${orphan.id}`, 'domain dom_orphan0000');
    expect(await sweepEdge()).toMatchObject({ tenants: 1, orphans: 4, failed: 0 });
    await eventually(
      async () => [(await sweepEdge()).tenants, await tenants()],
      (left) => expect(left).toEqual([0, []]),
    );
    const certificates = (await acm.send(new ListCertificatesCommand({}))).CertificateSummaryList?.filter(({ DomainName }) => DomainName === host);
    expect([await hosts(), certificates]).toEqual([[], []]);
    expect((await entries()).map(({ projectId }) => projectId)).not.toContain('prj_gone');
    expect((await sweep({})).domains).toMatchObject({ stuck: 0, failed: 0 });
  });
});

siteStoreContract(test, () => createS3SiteStore(s3, bucket), { name: 'S3' });
