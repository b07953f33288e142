// The calls to AWS that the function for emails makes, recorded while it finds a ban and sends an email about it, with the settings of its stack.

import { randomBytes } from 'node:crypto';
import { AdminGetUserCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, GetItemCommand, QueryCommand, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { KEY, keyKey } from '../../../adapters/store/dynamodb/access-items.ts';
import { keyAttribute, usageKey } from '../../../adapters/store/dynamodb/items.ts';
import { banAttribute, momentValue } from '../../../adapters/store/dynamodb/usage/bans.ts';
import { keyValue, usageItem } from '../../../adapters/store/dynamodb/usage/usage-item.ts';
import type { Authorization } from '../../../judge/rules.ts';
import { notifierSettings, parseEnvironment } from '../../../platforms/aws/function-settings.ts';
import { createAwsNotificationWork } from '../../../platforms/aws/notification-work.ts';
import { deliver, newMailServerState } from '../../../service/notifications/deliver.ts';
import { surveyUsage } from '../../../service/notifications/timers.ts';
import { mockedClient, operationOf } from '../../../test/support/mocked-clients.ts';
import { NOON, sampleAccount, sampleKey } from '../../../testing/samples.ts';
import { authorizationsOf } from './authorizations.ts';
import type { DeployedStage } from './deployed-templates.ts';

/** All permissions that the function needs. */
export async function notifierCalls(stage: DeployedStage): Promise<readonly Authorization[]> {
  const handler = stage.resources('AWS::Lambda::Function').find(({ id }) => id.startsWith('Notifier'));
  const work = createAwsNotificationWork(parseEnvironment(notifierSettings, handler?.properties.Environment.Variables ?? {}));
  const account = sampleAccount(undefined, NOON);
  const { text: _, ...key } = sampleKey(account.id);
  const [dynamoDb, cognito, ses] = [mockedClient(DynamoDBClient), mockedClient(CognitoIdentityProviderClient), mockedClient(SESv2Client)];
  const used = {
    ...usageItem(account.id, account.plan, account.limits),
    [keyAttribute(key.digest)]: keyValue(key),
    [banAttribute(key.digest)]: momentValue(NOON),
  };
  const event = { kind: 'key_banned', keyId: key.id, until: NOON };
  const entry = {
    ...{ pk: { S: `notifications#${account.id}` }, sk: { S: 'n1' }, wakeAt: { N: String(NOON) } },
    body: { S: JSON.stringify({ id: 'n1', accountId: account.id, at: NOON, event }) },
  };
  dynamoDb.onAnyCommand().resolves({});
  dynamoDb.on(ScanCommand).resolves({ Items: [{ ...used, [`d${Math.floor(NOON / 86_400_000)}`]: { N: '1000' } }] });
  let pages = 0;
  dynamoDb.on(QueryCommand).callsFake(({ IndexName, ExpressionAttributeValues }) => {
    const isMembers = String(ExpressionAttributeValues?.[':pk']?.S).startsWith('account-members#');
    // The index is asked for what is due, and then for what a wrong clock has put off.
    if (IndexName !== undefined) pages += 1;
    return { Items: IndexName !== undefined ? (pages > 1 ? [] : [{ ...entry, attempts: { N: '0' } }]) : isMembers ? [{ sk: { S: 'usr_1' } }] : [] };
  });
  dynamoDb.on(UpdateItemCommand).resolves({ Attributes: { ...entry, attempts: { N: '1' } } });
  dynamoDb.on(GetItemCommand, { Key: keyKey(key.id) as never }).resolves({ Item: KEY.write(key) });
  dynamoDb.on(GetItemCommand, { Key: usageKey(account.id) }).resolves({ Item: used });
  ses.onAnyCommand().resolves({});
  const UserAttributes = Object.entries({ email: 'ann@example.com', email_verified: 'true' }).map(([Name, Value]) => ({ Name, Value }));
  cognito.on(AdminGetUserCommand).resolves({ Enabled: true, UserAttributes });
  await surveyUsage(work, NOON);
  const faults: unknown[] = [];
  const options = {
    dashboard: 'https://pets.example.com',
    randomBytes,
    clock: () => NOON,
    accepted: new Set<string>(),
    server: newMailServerState(),
    warn: () => {},
  };
  const { sent } = await deliver({ ...work, ...options }, (error) => void faults.push(error));
  if (sent !== 1 || faults.length > 0) throw new Error(`sent ${sent}`, { cause: faults[0] });
  return [...dynamoDb.calls(), ...cognito.calls(), ...ses.calls()].flatMap(({ args: [command] }) =>
    authorizationsOf(operationOf(command), command.input),
  );
}
