// A stage's platform on AWS.

import { CloudFrontKeyValueStoreClient, type CloudFrontKeyValueStoreClientConfig } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { Route53Client } from '@aws-sdk/client-route-53';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createDelegatedPublisher } from '../../adapters/dns/route53-publisher.ts';
import { createRoute53Zones } from '../../adapters/dns/route53-zones.ts';
import { createTurns } from '../../adapters/edge/key-value-changes.ts';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { createS3SiteStore, createS3Uploads } from '../../adapters/sites/s3.ts';
import { createAuditWrites } from '../../adapters/store/dynamodb/audit.ts';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbProjectStores } from '../../adapters/store/dynamodb/stores.ts';
import { createDynamoDbSweepStore } from '../../adapters/store/dynamodb/sweeps.ts';
import { createStepFunctionsWorkflow } from '../../adapters/workflow/step-functions.ts';
import type { Actor } from '../../core/audit/entry.ts';
import type { Platform } from '../platform.ts';
import { createAwsPublisher } from './publisher.ts';
import { createStageStores, type StageTables } from './stage-stores.ts';

/** The region of CloudFront's endpoint, and of the certificates that it uses. */
export const CLOUDFRONT = { region: 'us-east-1' };

/** Time limits for the edge map's client, because a hanging call would block all changes in the process. */
export const KEY_VALUE_STORE: CloudFrontKeyValueStoreClientConfig = {
  ...CLOUDFRONT,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
};

export interface AwsPlatformOptions {
  readonly tables: StageTables;
  /** The parent of all projects' targets. */
  readonly edgeName: string;
  /** Whether projects are served at their targets. */
  readonly servesTargets: boolean;
  /** The connection group's endpoint. */
  readonly routingEndpoint: string;
  readonly sitesBucket: string;
  readonly edgeMapArn: string;
  readonly workflowArn: string;
  /** The function that publishes records. @default none: records are published with this process's own permissions */
  readonly publishFunction?: string;
  /** The zones in which this process may set records. @default all zones */
  readonly zoneIds?: readonly string[] | undefined;
  /** Who makes the changes, for the audit log. */
  readonly actor: () => Actor;
}

/** Creates all of a stage's adapters. */
export function createAwsPlatform(options: AwsPlatformOptions): Platform {
  const { tables, edgeName, servesTargets, routingEndpoint, sitesBucket, edgeMapArn, workflowArn, publishFunction, zoneIds, actor } = options;
  const dynamoDb = createDynamoDbClients();
  const audit = createAuditWrites(tables.audit, { actor });
  const keyValueStore = new CloudFrontKeyValueStoreClient(KEY_VALUE_STORE);
  const route53 = new Route53Client(CLOUDFRONT);
  const s3 = new S3Client({});
  const stepFunctions = new SFNClient({});
  const lambda = new LambdaClient({});
  return {
    ...createStageStores(dynamoDb, tables, audit),
    ...createDynamoDbProjectStores(dynamoDb, tables, audit),
    sites: createS3SiteStore(s3, sitesBucket),
    uploads: createS3Uploads(s3, sitesBucket),
    edge: createKeyValueMap(keyValueStore, edgeMapArn, {
      targetsBelow: servesTargets ? edgeName : undefined,
      turns: createTurns(createDynamoDbSweepStore(dynamoDb.retrying, tables.control), Date.now),
    }),
    workflow: createStepFunctionsWorkflow(stepFunctions, workflowArn),
    publisher:
      publishFunction === undefined
        ? createAwsPublisher(createRoute53Zones(route53, zoneIds), async () => routingEndpoint)
        : createDelegatedPublisher(lambda, publishFunction),
    rules: { policy: { ours: [edgeName], extraSuffixes: [] }, edge: { host: edgeName, challenge: routingEndpoint, servesTargets } },
    close: () => {
      for (const client of [dynamoDb.once, dynamoDb.retrying, keyValueStore, route53, s3, stepFunctions, lambda]) client.destroy();
    },
  };
}
