// The metrics that AWS's services record, as documented: an alarm on a metric or on dimensions that don't exist never goes off, and no call
// fails. Lists only metrics that we use. Each set of dimensions is complete: CloudWatch does not aggregate over dimensions that are left out.

interface DocumentedMetrics {
  /** The page that documents them. */
  readonly source: string;
  readonly metrics: readonly string[];
  /** The sets of dimensions with which each of these metrics is recorded; `[]` for none. */
  readonly dimensions: readonly (readonly string[])[];
  /** Dimensions with a fixed value. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** The only region in which the metrics can be read. @default the resource's region */
  readonly region?: string;
}

const CLOUDFRONT = 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/programming-cloudwatch-metrics.html';
const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html';

/** Documented metrics by namespace. */
export const DOCUMENTED_METRICS: Readonly<Record<string, readonly DocumentedMetrics[]>> = {
  'AWS/ApiGateway': [
    {
      source: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html',
      metrics: ['4xx', '5xx', 'Count', 'IntegrationLatency', 'Latency', 'DataProcessed'],
      dimensions: [['ApiId'], ['ApiId', 'Stage'], ['ApiId', 'Stage', 'Route', 'Method']],
    },
  ],
  'AWS/CloudFront': [
    // Without the metrics that must be turned on and cost extra.
    {
      source: CLOUDFRONT,
      metrics: ['Requests', 'BytesDownloaded', 'BytesUploaded', '4xxErrorRate', '5xxErrorRate', 'TotalErrorRate'],
      dimensions: [['DistributionId', 'Region']],
      fixed: { Region: 'Global' },
      region: 'us-east-1',
    },
    {
      source: CLOUDFRONT,
      metrics: ['FunctionInvocations', 'FunctionValidationErrors', 'FunctionExecutionErrors', 'FunctionComputeUtilization', 'FunctionThrottles'],
      dimensions: [['FunctionName', 'Region']],
      fixed: { Region: 'Global' },
      region: 'us-east-1',
    },
  ],
  'AWS/Cognito': [
    {
      source: 'https://docs.aws.amazon.com/cognito/latest/developerguide/metrics-for-cognito-user-pools.html',
      metrics: ['SignUpThrottles', 'SignInThrottles', 'TokenRefreshThrottles', 'FederationThrottles'],
      dimensions: [['UserPool', 'UserPoolClient']],
    },
  ],
  'AWS/DynamoDB': [
    {
      source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html',
      metrics: ['ReadThrottleEvents', 'WriteThrottleEvents', 'ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'],
      dimensions: [['TableName'], ['TableName', 'GlobalSecondaryIndexName']],
    },
  ],
  'AWS/Lambda': [
    {
      source: LAMBDA,
      metrics: ['Invocations', 'Errors', 'Throttles', 'Duration', 'ConcurrentExecutions'],
      dimensions: [['FunctionName'], ['FunctionName', 'Resource']],
    },
    {
      source: 'https://docs.aws.amazon.com/lambda/latest/dg/urls-monitoring.html',
      metrics: ['UrlRequestCount', 'Url4xxCount', 'Url5xxCount', 'UrlRequestLatency'],
      dimensions: [['FunctionName'], ['FunctionName', 'Resource']],
    },
    { source: LAMBDA, metrics: ['ConcurrentExecutions', 'UnreservedConcurrentExecutions', 'ClaimedAccountConcurrency'], dimensions: [[]] },
  ],
  'AWS/SNS': [
    {
      source: 'https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html',
      metrics: ['NumberOfMessagesPublished', 'NumberOfNotificationsDelivered', 'NumberOfNotificationsFailed'],
      dimensions: [['TopicName']],
    },
  ],
  'AWS/States': [
    {
      source: 'https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html',
      metrics: ['ExecutionThrottled', 'ExecutionsAborted', 'ExecutionsFailed', 'ExecutionsStarted', 'ExecutionsSucceeded', 'ExecutionsTimedOut'],
      dimensions: [['StateMachineArn']],
    },
  ],
};

export interface MetricReference {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** What is wrong with a reference to one of AWS's metrics. @param region in which it is read @returns undefined if it is documented */
export function metricProblem({ namespace, name, dimensions }: MetricReference, region: string): string | undefined {
  const documented = DOCUMENTED_METRICS[namespace];
  if (documented === undefined) return `${namespace}: not in judge/rules/metrics.ts`;
  const named = documented.filter(({ metrics }) => metrics.includes(name));
  if (named.length === 0) return `${namespace} ${name}: no such metric`;
  const given = Object.keys(dimensions).sort().join();
  const fitting = named.find((each) => each.dimensions.some((set) => set.toSorted().join() === given));
  if (fitting === undefined) return `${namespace} ${name}: not recorded with the dimensions [${given}]`;
  const wrong = Object.entries(fitting.fixed ?? {}).find(([key, value]) => dimensions[key] !== value);
  if (wrong !== undefined) return `${namespace} ${name}: ${wrong[0]} is always ${wrong[1]}`;
  if (fitting.region !== undefined && fitting.region !== region) return `${namespace} ${name}: only in ${fitting.region}, not in ${region}`;
  return undefined;
}
