// The platform of a stage on AWS.

import { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { Route53Client } from '@aws-sdk/client-route-53';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createRoute53Publisher } from '../dns/route53-publisher.ts';
import { createRoute53Zones } from '../dns/route53-zones.ts';
import { createKeyValueMap } from '../edge/key-value-map.ts';
import { createS3SiteStore } from '../sites/s3.ts';
import { createDynamoDbClients } from '../store/dynamodb/clients.ts';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../store/dynamodb/stores.ts';
import type { TableNames } from '../store/dynamodb/tables.ts';
import { createStepFunctionsWorkflow } from '../workflow/step-functions.ts';
import type { Platform } from './platform.ts';

/** CloudFront has its own endpoint there, and takes its certificates from there. */
export const CLOUDFRONT = { region: 'us-east-1' };

export interface AwsPlatformOptions {
  readonly tables: TableNames;
  /** The host that all projects' targets are below. */
  readonly edgeName: string;
  /** Of the connection group. */
  readonly routingEndpoint: string;
  readonly sitesBucket: string;
  readonly edgeMapArn: string;
  readonly workflowArn: string;
}

export interface AwsPlatform extends Platform {
  /** After this nothing of it may be used. */
  close(): void;
}

export function createAwsPlatform({ tables, edgeName, routingEndpoint, sitesBucket, edgeMapArn, workflowArn }: AwsPlatformOptions): AwsPlatform {
  const dynamoDb = createDynamoDbClients();
  const keyValueStore = new CloudFrontKeyValueStoreClient(CLOUDFRONT);
  const route53 = new Route53Client(CLOUDFRONT);
  const s3 = new S3Client({});
  const stepFunctions = new SFNClient({});
  return {
    ...createDynamoDbStores(dynamoDb, tables),
    ...createDynamoDbProjectStores(dynamoDb, tables),
    sites: createS3SiteStore(s3, sitesBucket),
    edge: createKeyValueMap(keyValueStore, edgeMapArn),
    workflow: createStepFunctionsWorkflow(stepFunctions, workflowArn),
    publisher: createRoute53Publisher(createRoute53Zones(route53), routingEndpoint),
    rules: { policy: { ours: [edgeName], extraSuffixes: [] }, edge: { host: edgeName, challenge: routingEndpoint } },
    close: () => {
      for (const client of [dynamoDb.once, dynamoDb.retrying, keyValueStore, route53, s3, stepFunctions]) client.destroy();
    },
  };
}
