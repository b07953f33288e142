// Assembles the adapters for sending notifications on AWS.

import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { createCognitoAddresses } from '../../adapters/identity/cognito.ts';
import { createSesMailer } from '../../adapters/mail/ses.ts';
import { createDynamoDbAccountStore } from '../../adapters/store/dynamodb/accounts.ts';
import { createAuditWrites } from '../../adapters/store/dynamodb/audit.ts';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbInvitationStore, createDynamoDbMemberStore } from '../../adapters/store/dynamodb/members.ts';
import { createDynamoDbNotificationSettings, createDynamoDbOutbox } from '../../adapters/store/dynamodb/notifications.ts';
import { createDynamoDbProjectStore } from '../../adapters/store/dynamodb/projects.ts';
import { createDynamoDbUsageSurvey } from '../../adapters/store/dynamodb/usage/usage-history.ts';
import type { FunctionSettings, notifierSettings } from './function-settings.ts';

/** Time limit for sending a message, in milliseconds. There is only one attempt, because SES has no idempotency token. */
const SEND_TIMEOUT_MS = 10_000;

/** Creates the adapters. */
export function createAwsNotificationWork(settings: FunctionSettings<typeof notifierSettings>) {
  const { retrying } = createDynamoDbClients();
  const { CONTROL_TABLE: control, USAGE_TABLE: usage } = settings;
  const ses = new SESv2Client({
    region: settings.MAIL_REGION,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: SEND_TIMEOUT_MS, throwOnRequestTimeout: true },
  });
  return {
    outbox: createDynamoDbOutbox(retrying, control),
    survey: createDynamoDbUsageSurvey(retrying, usage),
    settings: createDynamoDbNotificationSettings(retrying, control),
    accounts: createDynamoDbAccountStore(retrying, { control, usage }),
    projects: createDynamoDbProjectStore(retrying, control),
    members: createDynamoDbMemberStore(retrying, control),
    // An invitation's link is created when its email is sent.
    invitations: createDynamoDbInvitationStore(retrying, control, createAuditWrites(settings.AUDIT_TABLE)),
    addresses: createCognitoAddresses(new CognitoIdentityProviderClient({}), settings.USER_POOL_ID),
    mailer: createSesMailer(ses, settings.MAIL_FROM),
  };
}
