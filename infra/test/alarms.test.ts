// Every alarm reads metrics that are recorded, with exactly their dimensions.

import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { ACMClient, DescribeCertificateCommand, ListCertificatesCommand } from '@aws-sdk/client-acm';
import { CloudFrontClient, ListDistributionTenantsCommand } from '@aws-sdk/client-cloudfront';
import {
  CloudFrontKeyValueStoreClient,
  DescribeKeyValueStoreCommand,
  ListKeysCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createDynamoDbProjectStores } from '../../adapters/store/dynamodb/stores.ts';
import { createDynamoDbSweepStore } from '../../adapters/store/dynamodb/sweeps.ts';
import { createMemoryStores } from '../../adapters/store/memory/stores.ts';
import { newDomain } from '../../core/domains/domain.ts';
import { metricProblem } from '../../judge/rules.ts';
import { createCatalogue } from '../../service/catalogue/create-catalogue.ts';
import { METRICS_NAMESPACE } from '../../service/metric-names.ts';
import { dynamoDbEndpoint, makeTables } from '../../test/support/dynamodb.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { DOMAIN_ENVIRONMENT, NOTIFIER_ENVIRONMENT } from '../../test/support/function-environments.ts';
import { mockedClient } from '../../test/support/mocked-clients.ts';
import { seededRandom32 } from '../../test/support/samples.ts';
import { everySetting } from '../../test/support/stage-settings.ts';
import { NOON } from '../../testing/samples.ts';
import { type AlarmProperties, metricsOf, type ReadMetric } from './support/alarm-evaluation.ts';
import { deployedStage, REGION } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const [synthesized] = makeStages(makeApp(folder.path), everySetting(), ['production']);
if (synthesized === undefined) throw new Error('no stage');
const stage = deployedStage(synthesized);
const EDGE_ALARMS = 'production-EdgeAlarms';
const placed = stage.resources('AWS::CloudWatch::Alarm').map(({ stack, properties }) => ({
  region: stack === EDGE_ALARMS ? synthesized.edgeAlarms?.region : REGION,
  alarm: properties as AlarmProperties,
}));
const nameOf = ({ AlarmName }: AlarmProperties) => AlarmName.replace('petstore-production-', '');
const reads = placed.flatMap(({ alarm, region = '' }) => metricsOf(alarm).map((metric) => ({ alarm: nameOf(alarm), region, metric })));
const idOf = ({ namespace, name, dimensions }: Pick<ReadMetric, 'namespace' | 'name' | 'dimensions'>) =>
  `${namespace} ${name} ${JSON.stringify(Object.entries(dimensions).sort())}`;

/** The names and ARNs of the stage's resources, by the dimension that has them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  DistributionId: generated('AWS::CloudFront::Distribution'),
  Region: ['Global'],
  ApiId: generated('AWS::ApiGatewayV2::Api'),
  FunctionName: [...generated('AWS::Lambda::Function'), ...named('AWS::CloudFront::Function', ({ Name }) => Name)],
  Resource: generated('AWS::Lambda::Function').map((name) => `${name}:live`),
  StateMachineArn: named('AWS::StepFunctions::StateMachine', ({ StateMachineName }) => StateMachineName).map(
    (name) => `arn:aws:states:${REGION}:123456789012:stateMachine:${name}`,
  ),
  TableName: named('AWS::DynamoDB::GlobalTable', ({ TableName }) => TableName),
  TopicName: generated('AWS::SNS::Topic').map((name) => `${name}.TopicName`),
  UserPool: stage.resources('AWS::Cognito::UserPool').map(({ id }) => `${REGION}_${id}`),
  UserPoolClient: generated('AWS::Cognito::UserPoolClient'),
};

function generated(type: string): readonly string[] {
  return stage.resources(type).map(({ stack, id }) => `${stack}-${id}`.toLowerCase());
}

// biome-ignore lint/suspicious/noExplicitAny: properties of any resource
function named(type: string, nameIn: (properties: any) => string): readonly string[] {
  return stage.resources(type).map(({ properties }) => nameIn(properties));
}

test("every alarm reads metrics of AWS or the functions' own", () => {
  const others = reads.filter(({ metric }) => !metric.namespace.startsWith('AWS/') && metric.namespace !== METRICS_NAMESPACE);
  expect(others.map(({ alarm, metric }) => `${alarm}: ${metric.namespace}`)).toEqual([]);
});

describe("AWS's metrics", () => {
  const ofAws = reads.filter(({ metric }) => metric.namespace.startsWith('AWS/'));

  test('are documented, with exactly these dimensions', () => {
    expect(ofAws.length).toBeGreaterThan(45);
    const problems = ofAws.flatMap(({ alarm, metric, region }) => metricProblem(metric, region)?.replace(/^/, `${alarm}: `) ?? []);
    expect(problems).toEqual([]);
  });

  test.each([
    ['a typo in a dimension', { namespace: 'AWS/DynamoDB', name: 'ReadThrottleEvents', dimensions: { Tablename: 't' } }, /dimensions \[Tablename\]/],
    ['a missing dimension', { namespace: 'AWS/CloudFront', name: '5xxErrorRate', dimensions: { DistributionId: 'E1' } }, /not recorded with/],
    [
      'another value',
      { namespace: 'AWS/CloudFront', name: '5xxErrorRate', dimensions: { DistributionId: 'E1', Region: 'eu-central-1' } },
      /always Global/,
    ],
    [
      'another region',
      { namespace: 'AWS/CloudFront', name: '5xxErrorRate', dimensions: { DistributionId: 'E1', Region: 'Global' } },
      /only in us-east-1/,
    ],
    ['a typo in a name', { namespace: 'AWS/States', name: 'ExecutionsThrottled', dimensions: { StateMachineArn: 'a' } }, /no such metric/],
  ] as const)('%s is a problem', (_what, metric, problem) => {
    expect(metricProblem(metric, REGION)).toMatch(problem);
  });

  test("have the names of the stage's own resources as dimensions", () => {
    const strangers = ofAws.flatMap(({ alarm, metric }) =>
      Object.entries(metric.dimensions)
        .filter(([dimension]) => dimension !== 'GlobalSecondaryIndexName')
        .filter(([dimension, value]) => !NAMED[dimension]?.includes(value))
        .map(([dimension, value]) => `${alarm}: ${dimension} ${value}`),
    );
    expect(strangers).toEqual([]);
  });

  test('of throttling include every table and every index', () => {
    const throttling = new Set(reads.filter(({ metric }) => metric.name.endsWith('ThrottleEvents')).map(({ metric }) => idOf(metric)));
    const expected = stage
      .resources('AWS::DynamoDB::GlobalTable')
      .flatMap(({ properties: { TableName, GlobalSecondaryIndexes = [] } }) =>
        [{}, ...GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => ({ GlobalSecondaryIndexName: IndexName }))].flatMap((index) =>
          ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => idOf({ namespace: 'AWS/DynamoDB', name, dimensions: { TableName, ...index } })),
        ),
      );
    expect(expected).toHaveLength(14);
    expect([...throttling].sort()).toEqual(expected.sort());
  });

  test('of errors include every function', () => {
    const watched = new Set(
      reads.filter(({ metric }) => /Errors$|Url5xxCount/.test(metric.name)).map(({ metric }) => metric.dimensions.FunctionName),
    );
    expect([...watched].sort()).toEqual(NAMED.FunctionName?.toSorted());
  });
});

describe("alarms on CloudFront's metrics", () => {
  test('are in us-east-1, wherever the stage is, and there in no other stack', () => {
    expect(synthesized.edgeAlarms?.region).toBe('us-east-1');
    const inStacks = new Set(
      stage
        .resources('AWS::CloudWatch::Alarm')
        .filter(({ properties }) => metricsOf(properties).some(({ namespace }) => namespace === 'AWS/CloudFront'))
        .map(({ stack }) => stack),
    );
    expect([...inStacks]).toEqual([EDGE_ALARMS]);
  });

  test('of one stage in two regions have different names, in different stacks', () => {
    const inRegion = (region: string) => {
      const settings = { ...everySetting(['dev-1']), DEV_1_REGION: region, DEV_1_HOME: REGION, DEV_1_API_DOMAIN: '', DEV_1_API_CERTIFICATE_ARN: '' };
      const own = Object.entries(settings).filter(([name]) => !name.startsWith('DEV_1_API_') && name !== 'DEV_1_TABLE_PREFIX');
      const [one] = makeStages(makeApp(folder.path), Object.fromEntries(own), ['dev-1']);
      if (one?.edgeAlarms === undefined) throw new Error('no stack');
      const { stackName } = one.edgeAlarms;
      const named = deployedStage(one)
        .resources('AWS::CloudWatch::Alarm')
        .filter(({ stack }) => stack === stackName);
      return [stackName, ...named.map(({ properties }) => properties.AlarmName)];
    };
    const [home, other] = [inRegion(REGION), inRegion('us-east-1')];
    expect(home).toHaveLength(5);
    expect(home.filter((name) => other.includes(name))).toEqual([]);
  });
});

const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/1';

describe.runIf(dynamoDbEndpoint !== undefined)('our own metrics', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  test('are recorded by the functions, with exactly the dimensions that alarms read', async () => {
    const lines: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
    for (const method of ['info', 'error', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => {});
    const services = stage.resources('AWS::Lambda::Function').map(({ properties }) => properties.Environment.Variables.SERVICE_NAME);
    const [service = ''] = services;
    expect(new Set(services)).toEqual(new Set([service]));
    await sendUnauthorized(service);
    await runFunctions(service);

    const recorded = new Set(lines.filter((line) => line.includes('"_aws"')).flatMap((line) => metricsIn(JSON.parse(line))));
    const own = reads.filter(({ metric }) => metric.namespace === METRICS_NAMESPACE);
    expect(new Set(own.map(({ metric }) => metric.name)).size).toBeGreaterThan(5);
    expect(own.filter(({ metric }) => !recorded.has(idOf(metric))).map(({ alarm }) => alarm)).toEqual([]);
  });

  async function sendUnauthorized(serviceName: string): Promise<void> {
    const handler = createCatalogue({
      stores: createMemoryStores(),
      clock: () => NOON,
      random32: seededRandom32(),
      logger: new Logger({ logLevel: 'SILENT', serviceName }),
      metrics: new Metrics({ namespace: METRICS_NAMESPACE, serviceName }),
      draftHeaders: false,
    });
    const requestContext = { domainName: 'a', requestId: '1', http: { method: 'GET', path: '/v1/pets', sourceIp: '192.0.2.1' } };
    const event = { rawPath: '/v1/pets', rawQueryString: '', headers: {}, requestContext, isBase64Encoded: false };
    await handler(event as never, {} as Context);
  }

  async function runFunctions(serviceName: string): Promise<void> {
    mockedClient(CloudFrontClient).on(ListDistributionTenantsCommand).resolves({});
    const acm = mockedClient(ACMClient);
    acm.on(ListCertificatesCommand).resolves({});
    acm.on(DescribeCertificateCommand).resolves({ Certificate: { Status: 'FAILED', FailureReason: 'OTHER' } });
    const map = mockedClient(CloudFrontKeyValueStoreClient);
    map.on(ListKeysCommand).resolves({ Items: [] });
    map.on(DescribeKeyValueStoreCommand).resolves({ ETag: 'm1', ItemCount: 0, TotalSizeInBytes: 0, KvsARN: '', Created: new Date(0) });
    mockedClient(S3Client).on(ListObjectsV2Command).resolves({});
    const { clients, tables } = await makeTables();
    const aws = { AWS_ENDPOINT_URL: dynamoDbEndpoint, AWS_REGION: REGION, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    const environment = { ...DOMAIN_ENVIRONMENT, ...aws, CONTROL_TABLE: tables.control, AUDIT_TABLE: tables.audit, SERVICE_NAME: serviceName };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const { domains, audit } = createDynamoDbProjectStores(clients, tables);
    const domain = newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON);
    await domains.addDomain(domain);
    await domains.saveDomain(
      { ...domain, state: { name: 'certificate_pending', since: NOON, checks: 1, nextCheckAt: NOON, certificate: CERTIFICATE } },
      domain,
    );
    const { handler: step } = await import('../../functions/domain-step.ts');
    await step({ step: 'check_certificate', domainId: 'dom_1', generation: 0 });
    vi.stubEnv('API_URL', 'http://127.0.0.1:1');
    vi.stubEnv('KEY_MODE', 'test');
    const { handler: probe } = await import('../../functions/probe.ts');
    expect((await probe()).problems).toHaveLength(2);
    const { handler: sweep } = await import('../../functions/domain-sweep.ts');
    const context = { getRemainingTimeInMillis: () => 240_000 };
    // The last sweep of the edge was long ago, and a change can't be published.
    const sweeps = createDynamoDbSweepStore(clients.retrying, tables.control);
    await sweeps.take('edge', 'before', 0, 1);
    await sweeps.save('edge', 'before', { lastStartedAt: 1 }, 0);
    map.on(UpdateKeysCommand).rejects(new Error('not accepted'));
    await audit?.record({ action: 'project.configured', accountId: 'acc_1', subject: 'prj_1' });
    await sweep({}, context);
    await sweep({ changes: true }, context);
    for (const [name, value] of Object.entries({
      ...NOTIFIER_ENVIRONMENT,
      CONTROL_TABLE: tables.control,
      USAGE_TABLE: tables.usage,
      SERVICE_NAME: serviceName,
    }))
      vi.stubEnv(name, value);
    const { handler: notify } = await import('../../functions/notifier.ts');
    await notify({}, context);
  }

  /** The metrics that CloudWatch extracts from a line in EMF, as idOf writes them. */
  function metricsIn(line: Readonly<Record<string, unknown>>): string[] {
    const { CloudWatchMetrics } = line._aws as {
      CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[];
    };
    return CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics: names }) =>
      Dimensions.flatMap((set) => {
        const dimensions = Object.fromEntries(set.map((key) => [key, String(line[key])]));
        return names.map(({ Name: name }) => idOf({ namespace, name, dimensions }));
      }),
    );
  }
});
