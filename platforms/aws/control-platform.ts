// The platform for the control API's function.

import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createDelegatedInspector } from '../../adapters/dns/route53-publisher.ts';
import { createCognitoAddresses, createCognitoSessions } from '../../adapters/identity/cognito.ts';
import { createDynamoDbOutbox } from '../../adapters/store/dynamodb/notifications.ts';
import type { Actor } from '../../core/audit/entry.ts';
import type { ZoneInspector } from '../../core/domains/ports.ts';
import type { NotificationOutbox } from '../../core/notifications/ports.ts';
import type { Platform } from '../platform.ts';
import type { controlSettings, FunctionSettings } from './function-settings.ts';
import { createAwsPlatform } from './platform.ts';

/** Opens the platform with the function's settings. @param actor who makes the changes, for the audit log */
export async function openControlPlatform(
  settings: FunctionSettings<typeof controlSettings>,
  actor: () => Actor,
): Promise<Platform & { readonly inspector: ZoneInspector; readonly outbox: NotificationOutbox | undefined }> {
  // The endpoint is in a stack on which no other stack depends, so that it can be replaced. It is read once, at the cold start.
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

// The user pool's id can't be a setting, because the pool depends on this function through the dashboard. The tokens' issuer contains it.

interface SignedIn {
  readonly id: string;
  /** The issuer of the token that API Gateway has checked. */
  readonly issuer?: string;
}

/** The pool's id in an issuer (Cognito API reference, UserPoolIdType). */
const POOL_OF_ISSUER = /\/([\w-]+_[0-9a-zA-Z]+)$/;

/** Creates access to the users. */
export function createStageUsers() {
  const client = new CognitoIdentityProviderClient({});
  return {
    // Only Cognito has the addresses, and a list of members must not cause a call for each member.
    emailOf: () => undefined,
    userOf: () => undefined,
    /** Returns a user's verified address, in the caller's pool. */
    addressOf: (caller: SignedIn, userId: string) => createCognitoAddresses(client, poolOf(caller)).addressOf(userId),
    /** Ends all of the caller's sessions. */
    endSessions: (caller: SignedIn) => createCognitoSessions(client, poolOf(caller)).endSessions(caller.id),
  };
}

function poolOf({ issuer = '' }: SignedIn): string {
  const [, pool] = POOL_OF_ISSUER.exec(issuer) ?? [];
  if (pool === undefined) throw new Error(`the token's issuer is not a user pool: ${JSON.stringify(issuer)}`);
  return pool;
}
