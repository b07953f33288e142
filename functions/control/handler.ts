// The Lambda entry of the control API: API Gateway's authorizer has checked the token before.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { CloudFrontKeyValueStoreClient } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { Route53Client } from '@aws-sdk/client-route-53';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createRoute53Publisher } from '../../adapters/dns/route53-publisher.ts';
import { createRoute53Zones } from '../../adapters/dns/route53-zones.ts';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/clients.ts';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../adapters/store/dynamodb/stores.ts';
import { createStepFunctionsWorkflow } from '../../adapters/workflow/step-functions.ts';
import { createControl } from './create-control.ts';
import { parseControlSettings } from './settings.ts';

/** CloudFront's own endpoint. */
const CLOUDFRONT = { region: 'us-east-1' };

const settings = parseControlSettings(process.env);
const clients = createDynamoDbClients();
const tables = { pets: settings.PETS_TABLE, usage: settings.USAGE_TABLE, control: settings.CONTROL_TABLE };
// Made by a stack that nothing depends on, so that it can be replaced: read once, at the cold start.
const { Parameter } = await new SSMClient({}).send(new GetParameterCommand({ Name: settings.ROUTING_ENDPOINT_PARAMETER }));
const routingEndpoint = Parameter?.Value ?? '';

export const handler = createControl({
  ports: {
    ...createDynamoDbStores(clients, tables),
    ...createDynamoDbProjectStores(clients, tables),
    sites: createS3SiteStore(new S3Client({}), settings.SITES_BUCKET),
    edge: createKeyValueMap(new CloudFrontKeyValueStoreClient(CLOUDFRONT), settings.EDGE_MAP_ARN),
    workflow: createStepFunctionsWorkflow(new SFNClient({}), settings.WORKFLOW_ARN),
    publisher: createRoute53Publisher(createRoute53Zones(new Route53Client(CLOUDFRONT)), routingEndpoint),
    rules: { policy: { ours: [settings.EDGE_NAME], extraSuffixes: [] }, edge: { host: settings.EDGE_NAME, challenge: routingEndpoint } },
    sandbox: undefined,
    keyMode: settings.KEY_MODE,
    randomBytes,
  },
  clock: Date.now,
  logger: new Logger({ serviceName: settings.SERVICE_NAME }),
});
