// What projects and domains need of a stage on AWS, found by the parameters that its stacks have written.

import { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { Route53Client } from '@aws-sdk/client-route-53';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { createRoute53Publisher } from '../adapters/dns/route53-publisher.ts';
import { createRoute53Zones } from '../adapters/dns/route53-zones.ts';
import { createKeyValueMap } from '../adapters/edge/key-value-map.ts';
import { createS3SiteStore } from '../adapters/sites/s3.ts';
import { createDynamoDbClients } from '../adapters/store/dynamodb/clients.ts';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../adapters/store/dynamodb/stores.ts';
import { createStepFunctionsWorkflow } from '../adapters/workflow/step-functions.ts';
import { CliError } from './context.ts';
import { readParameters, tablesOf } from './stage-stores.ts';
import type { OpenedPlatform, StageName } from './stores.ts';

/** CloudFront's own endpoint. */
const CLOUDFRONT_REGION = 'us-east-1';

/** Opens a stage with its edge, with the credentials and region of the environment. */
export async function openStagePlatform(stage: StageName): Promise<OpenedPlatform> {
  const [tables, edge] = await Promise.all([tablesOf(stage), edgeOf(stage)]);
  const clients = createDynamoDbClients();
  const keyValueStore = new CloudFrontKeyValueStoreClient({ region: CLOUDFRONT_REGION });
  const route53 = new Route53Client({ region: CLOUDFRONT_REGION });
  const s3 = new S3Client({});
  const stepFunctions = new SFNClient({});
  return {
    ...createDynamoDbStores(clients, tables),
    ...createDynamoDbProjectStores(clients, tables),
    sites: createS3SiteStore(s3, edge.bucket),
    edge: createKeyValueMap(keyValueStore, edge.map),
    workflow: createStepFunctionsWorkflow(stepFunctions, edge.workflow),
    publisher: createRoute53Publisher(createRoute53Zones(route53), edge.routingEndpoint),
    rules: { policy: { ours: [edge.name], extraSuffixes: [] }, edge: { host: edge.name, challenge: edge.routingEndpoint } },
    close: () => {
      for (const client of [clients.once, clients.retrying, keyValueStore, route53, s3, stepFunctions]) client.destroy();
    },
  };
}

interface EdgeParameters {
  readonly name: string;
  readonly bucket: string;
  /** ARN of the KeyValueStore. */
  readonly map: string;
  /** ARN of the state machine. */
  readonly workflow: string;
  readonly routingEndpoint: string;
}

async function edgeOf(stage: StageName): Promise<EdgeParameters> {
  const path = `/petstore/${stage}/edge/`;
  const found = await readParameters(stage, path);
  const parameter = (name: string) => {
    const value = found.get(name);
    if (value === undefined) {
      throw new CliError(
        `--stage ${stage}: no parameter ${path}${name}: this stage has no custom domains; deploy it with ${stage.toUpperCase()}_EDGE_NAME`,
      );
    }
    return value;
  };
  return {
    name: parameter('name'),
    bucket: parameter('bucket'),
    map: parameter('map'),
    workflow: parameter('workflow'),
    routingEndpoint: parameter('routing-endpoint'),
  };
}
