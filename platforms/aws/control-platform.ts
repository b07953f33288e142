// The platform for the control API's function.

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createDelegatedInspector } from '../../adapters/dns/route53-publisher.ts';
import { createDynamoDbOutbox } from '../../adapters/store/dynamodb/notifications.ts';
import type { Actor } from '../../core/audit/entry.ts';
import type { ZoneInspector } from '../../core/domains/ports.ts';
import type { NotificationOutbox } from '../../core/notifications/ports.ts';
import type { Platform } from '../platform.ts';
import type { ControlSettings } from './control-settings.ts';
import { createAwsPlatform } from './platform.ts';

/** Opens the platform with the function's settings. @param actor who is at work, for the audit log */
export async function openControlPlatform(
  settings: ControlSettings,
  actor: () => Actor,
): Promise<Platform & { readonly inspector: ZoneInspector; readonly outbox: NotificationOutbox | undefined }> {
  // The endpoint comes from a stack that no other stack depends on, so that it can be replaced. It is read once, at the cold start.
  const { Parameter } = await new SSMClient({}).send(new GetParameterCommand({ Name: settings.ROUTING_ENDPOINT_PARAMETER }));
  const platform = createAwsPlatform({
    tables: { pets: settings.PETS_TABLE, usage: settings.USAGE_TABLE, control: settings.CONTROL_TABLE, audit: settings.AUDIT_TABLE },
    edgeName: settings.EDGE_NAME,
    servesTargets: settings.SERVES_TARGETS,
    routingEndpoint: Parameter?.Value ?? '',
    sitesBucket: settings.SITES_BUCKET,
    edgeMapArn: settings.EDGE_MAP_ARN,
    workflowArn: settings.WORKFLOW_ARN,
    publishFunction: settings.PUBLISH_FUNCTION,
    actor,
  });
  const outbox = settings.SENDS_MAIL ? createDynamoDbOutbox(new DynamoDBClient({}), settings.CONTROL_TABLE) : undefined;
  return { ...platform, outbox, inspector: createDelegatedInspector(new LambdaClient({ maxAttempts: 1 }), settings.PUBLISH_FUNCTION) };
}
