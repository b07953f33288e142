// The Lambda entry of the control API: API Gateway's authorizer has checked the token before.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createAwsPlatform } from '../../adapters/platform/aws.ts';
import { createControl } from './create-control.ts';
import { parseControlSettings } from './settings.ts';

const settings = parseControlSettings(process.env);
// Made by a stack that nothing depends on, so that it can be replaced: read once, at the cold start.
const { Parameter } = await new SSMClient({}).send(new GetParameterCommand({ Name: settings.ROUTING_ENDPOINT_PARAMETER }));
const platform = createAwsPlatform({
  tables: { pets: settings.PETS_TABLE, usage: settings.USAGE_TABLE, control: settings.CONTROL_TABLE },
  edgeName: settings.EDGE_NAME,
  routingEndpoint: Parameter?.Value ?? '',
  sitesBucket: settings.SITES_BUCKET,
  edgeMapArn: settings.EDGE_MAP_ARN,
  workflowArn: settings.WORKFLOW_ARN,
});

export const handler = createControl({
  ports: { ...platform, httpsPort: 443, sandbox: undefined, directory: undefined, keyMode: settings.KEY_MODE, randomBytes },
  clock: Date.now,
  logger: new Logger({ serviceName: settings.SERVICE_NAME }),
});
