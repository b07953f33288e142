// Everything that exists in the emulated account, so that deleting a stage can be compared with what was there before it.

import { ApiGatewayV2Client, GetApisCommand, GetDomainNamesCommand } from '@aws-sdk/client-apigatewayv2';
import { CloudFormationClient, paginateListStacks } from '@aws-sdk/client-cloudformation';
import { CloudFrontClient, ListDistributionsCommand, ListFunctionsCommand, ListKeyValueStoresCommand } from '@aws-sdk/client-cloudfront';
import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, paginateDescribeLogGroups } from '@aws-sdk/client-cloudwatch-logs';
import { CognitoIdentityProviderClient, paginateListUserPools } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { IAMClient, paginateListRoles } from '@aws-sdk/client-iam';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { paginateListStateMachines, SFNClient } from '@aws-sdk/client-sfn';
import { paginateListTopics, SNSClient } from '@aws-sdk/client-sns';
import { paginateGetParametersByPath, SSMClient } from '@aws-sdk/client-ssm';
import { ADMINISTRATOR } from './emulator.ts';

/**
 * Lines such as `us-east-1 table petstore-staging-pets`; `global` for what regions share. Leaves out CloudWatch dashboards, because the emulator
 * sends their list with dates that the SDK can't read.
 */
export type Inventory = ReadonlySet<string>;

/** @param endpoint the emulator itself: these calls are not judged */
export async function inventoryOf(endpoint: string, regions: readonly string[]): Promise<Inventory> {
  const [first = 'us-east-1'] = regions;
  const lists = [await globalResources(settingsFor(endpoint, first))];
  for (const region of regions) {
    const ofRegion = await regionalResources(settingsFor(endpoint, region));
    lists.push(ofRegion.map((line) => `${region} ${line}`));
  }
  return new Set(lists.flat());
}

interface ClientSettings {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof ADMINISTRATOR;
  readonly forcePathStyle: boolean;
}

function settingsFor(endpoint: string, region: string): ClientSettings {
  return { endpoint, region, credentials: ADMINISTRATOR, forcePathStyle: true };
}

async function globalResources(settings: ClientSettings): Promise<string[]> {
  const [iam, s3, cloudFront] = [new IAMClient(settings), new S3Client(settings), new CloudFrontClient(settings)];
  const roles = await named('role', paginateListRoles({ client: iam }, {}), ({ Roles }) => Roles?.map(({ RoleName }) => RoleName));
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
  const { DistributionList } = await cloudFront.send(new ListDistributionsCommand({}));
  const { FunctionList } = await cloudFront.send(new ListFunctionsCommand({}));
  const { KeyValueStoreList } = await cloudFront.send(new ListKeyValueStoresCommand({}));
  for (const client of [iam, s3, cloudFront]) client.destroy();
  return [
    ...roles,
    ...Buckets.map(({ Name }) => `bucket ${Name}`),
    ...(DistributionList?.Items ?? []).map(({ Comment }) => `distribution ${Comment}`),
    ...(FunctionList?.Items ?? []).map(({ Name }) => `edge function ${Name}`),
    ...(KeyValueStoreList?.Items ?? []).map(({ Name }) => `edge map ${Name}`),
  ].map((line) => `global ${line}`);
}

async function regionalResources(settings: ClientSettings): Promise<string[]> {
  const dynamoDb = new DynamoDBClient(settings);
  const lambda = new LambdaClient(settings);
  const logs = new CloudWatchLogsClient(settings);
  const cloudWatch = new CloudWatchClient(settings);
  const cloudFormation = new CloudFormationClient(settings);
  const cognito = new CognitoIdentityProviderClient(settings);
  const stepFunctions = new SFNClient(settings);
  const sns = new SNSClient(settings);
  const ssm = new SSMClient(settings);
  const events = new EventBridgeClient(settings);
  const apis = new ApiGatewayV2Client(settings);
  const { Rules = [] } = await events.send(new ListRulesCommand({}));
  const { Items: Apis = [] } = await apis.send(new GetApisCommand({ MaxResults: '500' }));
  const { Items: Names = [] } = await apis.send(new GetDomainNamesCommand({ MaxResults: '500' }));
  const lines = [
    ...(await named('table', paginateListTables({ client: dynamoDb }, {}), ({ TableNames }) => TableNames)),
    ...(await named('function', paginateListFunctions({ client: lambda }, {}), ({ Functions }) =>
      Functions?.map(({ FunctionName }) => FunctionName),
    )),
    ...(await named('log group', paginateDescribeLogGroups({ client: logs }, {}), ({ logGroups }) =>
      logGroups?.map(({ logGroupName }) => logGroupName),
    )),
    ...(await named('alarm', paginateDescribeAlarms({ client: cloudWatch }, {}), ({ MetricAlarms }) =>
      MetricAlarms?.map(({ AlarmName }) => AlarmName),
    )),
    ...(await named('stack', paginateListStacks({ client: cloudFormation }, {}), ({ StackSummaries }) =>
      StackSummaries?.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(({ StackName }) => StackName),
    )),
    ...(await named('user pool', paginateListUserPools({ client: cognito }, { MaxResults: 60 }), ({ UserPools }) =>
      UserPools?.map(({ Name }) => Name),
    )),
    ...(await named('state machine', paginateListStateMachines({ client: stepFunctions }, {}), ({ stateMachines }) =>
      stateMachines?.map(({ name }) => name),
    )),
    ...(await named('topic', paginateListTopics({ client: sns }, {}), ({ Topics }) => Topics?.map(({ TopicArn }) => TopicArn))),
    ...(await named('parameter', paginateGetParametersByPath({ client: ssm }, { Path: '/petstore/', Recursive: true }), ({ Parameters }) =>
      Parameters?.map(({ Name }) => Name),
    )),
    ...Rules.map(({ Name }) => `rule ${Name}`),
    ...Apis.map(({ Name }) => `API ${Name}`),
    ...Names.map(({ DomainName }) => `API domain ${DomainName}`),
  ];
  for (const client of [dynamoDb, lambda, logs, cloudWatch, cloudFormation, cognito, stepFunctions, sns, ssm, events, apis]) client.destroy();
  return lines;
}

async function named<Page>(
  kind: string,
  pages: AsyncIterable<Page>,
  namesOf: (page: Page) => readonly (string | undefined)[] | undefined,
): Promise<string[]> {
  const lines: string[] = [];
  for await (const page of pages) lines.push(...(namesOf(page) ?? []).map((name) => `${kind} ${name}`));
  return lines;
}

/** What is in one inventory and not in the other. */
export function difference(one: Inventory, other: Inventory): readonly string[] {
  return [...one].filter((line) => !other.has(line)).sort();
}
