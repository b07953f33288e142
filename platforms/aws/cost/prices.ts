// AWS's unit prices: the only place that has them. docs/decisions/0020-cost.md says how they are kept current.

export const PRICES_OF = { date: '2026-11-22', region: 'us-east-1', currency: 'USD' } as const;

export interface Price {
  /** What one unit is. */
  readonly unit: string;
  /** US dollars for one unit, in the first volume tier; without free amounts. */
  readonly usd: number;
  /** AWS's page for the price, to review it. */
  readonly source: string;
}

const page = (service: string) => `https://aws.amazon.com/${service}/pricing/`;
const GATEWAY = page('api-gateway');
const LAMBDA = page('lambda');
const DYNAMODB = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const CLOUDWATCH = page('cloudwatch');
const CLOUDFRONT = page('cloudfront');
const S3 = page('s3');

const MILLION = 'million';

export const PRICES = {
  /** An increment of 512 KB counts as a request. No response is longer. */
  httpApiRequests: { unit: MILLION, usd: 1, source: GATEWAY },
  dataOut: { unit: 'GB', usd: 0.09, source: 'https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer' },
  lambdaRequests: { unit: MILLION, usd: 0.2, source: LAMBDA },
  /** On arm64. */
  lambdaGbSeconds: { unit: 'million GB-s', usd: 13.33, source: LAMBDA },
  writeUnits: { unit: MILLION, usd: 0.625, source: DYNAMODB },
  readUnits: { unit: MILLION, usd: 0.125, source: DYNAMODB },
  tableStorage: { unit: 'GB', usd: 0.25, source: DYNAMODB },
  tableBackup: { unit: 'GB', usd: 0.2, source: DYNAMODB },
  kmsRequests: { unit: '10,000', usd: 0.03, source: page('kms') },
  logsIngested: { unit: 'GB', usd: 0.5, source: CLOUDWATCH },
  /** Of compressed logs. */
  logsStored: { unit: 'GB', usd: 0.03, source: CLOUDWATCH },
  metrics: { unit: 'metric', usd: 0.3, source: CLOUDWATCH },
  /** Standard resolution; an alarm on an expression counts once for each metric in it. */
  alarmMetrics: { unit: 'metric', usd: 0.1, source: CLOUDWATCH },
  dashboards: { unit: 'dashboard', usd: 3, source: CLOUDWATCH },
  traces: { unit: MILLION, usd: 5, source: page('xray') },
  /** HTTPS in the United States and Europe. Most other regions cost 1.2 to 2.2 times as much. */
  cdnRequests: { unit: MILLION, usd: 1, source: CLOUDFRONT },
  /** To the United States and Europe. */
  cdnDataOut: { unit: 'GB', usd: 0.085, source: CLOUDFRONT },
  cdnFunctions: { unit: MILLION, usd: 0.1, source: CLOUDFRONT },
  mapReads: { unit: MILLION, usd: 0.03, source: CLOUDFRONT },
  /** A call of the KeyValueStore API, to read, list or write; quoted for writes (docs/decisions/0020-cost.md). */
  mapCalls: { unit: '1,000', usd: 1, source: CLOUDFRONT },
  /** For 11 to 200 tenants; up to 10 are free. Quoted, not read on AWS's page (docs/decisions/0020-cost.md). */
  tenantsBase: { unit: 'month', usd: 20, source: CLOUDFRONT },
  /** Each one above 200. */
  tenants: { unit: 'tenant', usd: 0.1, source: CLOUDFRONT },
  stateTransitions: { unit: '1,000', usd: 0.025, source: page('step-functions') },
  objectStorage: { unit: 'GB', usd: 0.023, source: S3 },
  objectWrites: { unit: '1,000', usd: 0.005, source: S3 },
  objectReads: { unit: MILLION, usd: 0.4, source: S3 },
  /** Of a user pool on the plan Essentials, which is the default; 10,000 are free in each AWS account. */
  activeUsers: { unit: 'user', usd: 0.015, source: page('cognito') },
  emails: { unit: '100,000', usd: 2, source: page('sns') },
  dnsQueries: { unit: MILLION, usd: 0.4, source: page('route53') },
} as const satisfies Readonly<Record<string, Price>>;

export type PriceName = keyof typeof PRICES;
