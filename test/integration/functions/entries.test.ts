// The Lambda entries as they start on AWS: with settings from the environment, and DynamoDB Local for the tables.

import { randomBytes } from 'node:crypto';
import { AdminGetUserCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { createDynamoDbProjectStores, createDynamoDbStores } from '../../../adapters/store/dynamodb/stores.ts';
import { invite } from '../../../core/access/invitations.ts';
import { newDomain } from '../../../core/domains/domain.ts';
import { memberAdded } from '../../../core/notifications/notification.ts';
import { createAwsWork } from '../../../platforms/aws/domain-work.ts';
import { domainSettings, parseEnvironment } from '../../../platforms/aws/function-settings.ts';
import { NOON, sampleAccount, sampleKey } from '../../../testing/samples.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';
import {
  CONTROL_ENVIRONMENT,
  controlEvent,
  DOMAIN_ENVIRONMENT,
  GATE_ENVIRONMENT,
  NOTIFIER_ENVIRONMENT,
} from '../../support/function-environments.ts';
import { mockedClient } from '../../support/mocked-clients.ts';

const CONTEXT = {} as Context;

describe.runIf(dynamoDbEndpoint !== undefined)('Lambda entries', () => {
  test('answer a step and a sweep', async () => {
    const { clients, tables } = await makeTables();
    for (const [name, value] of Object.entries({
      ...DOMAIN_ENVIRONMENT,
      CONTROL_TABLE: tables.control,
      AUDIT_TABLE: tables.audit,
      AWS_ENDPOINT_URL: dynamoDbEndpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    }))
      vi.stubEnv(name, value);
    const { domains, removals, audit } = createDynamoDbProjectStores(clients, tables);
    const domain = newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON);
    await domains.addDomain(domain);
    const { handler: step } = await import('../../../functions/domain-step.ts');
    expect(await step({ step: 'guard', domainId: 'dom_1', generation: 0 })).toEqual({ state: 'awaiting_dns', waitSeconds: 0 });
    expect(await step({ step: 'guard', domainId: 'dom_1', generation: 1 })).toEqual({ state: 'superseded', waitSeconds: 0 });
    await expect(step({ step: 'dance', domainId: 'dom_1', generation: 0 })).rejects.toThrow();
    await domains.saveDomain(
      {
        ...domain,
        state: { name: 'certificate_failed', since: NOON, failure: 'name_refused', detail: '', checks: 3, nextCheckAt: Date.now() + 60_000 },
      },
      domain,
    );
    expect(await step({ step: 'check_certificate', domainId: 'dom_1', generation: 0 })).toMatchObject({ state: 'certificate_failed' });
    const { handler: sweep } = await import('../../../functions/domain-sweep.ts');
    const context = { getRemainingTimeInMillis: () => 240_000 };
    const nothing = { checked: 0, restarted: 0, stuck: 0, renewalOverdue: 0, failed: 0 };
    expect(await sweep({}, context)).toEqual({ domains: { ...nothing, complete: true, known: nothing }, removals: 0 });
    const s3 = mockedClient(S3Client);
    s3.onAnyCommand().resolves({});
    const removal = { projectId: 'prj_1', deploymentId: undefined, dueAt: NOON, bytes: 0 };
    await removals.schedule(removal);
    // Long ago: requests that were signed before have expired.
    await removals.begin(removal, NOON);
    expect(await sweep({}, context)).toMatchObject({ removals: 1 });
    const [removed] = (await audit?.entries({}, 1))?.items ?? [];
    expect(removed).toMatchObject({ action: 'files.removed', subject: 'prj_1', actor: { kind: 'sweep' } });
    // DynamoDB Local can't stand in for CloudFront: calls to CloudFront fail, and the error is not swallowed.
    await expect(sweep({ orphans: true }, context)).rejects.toThrow();
    const work = createAwsWork(parseEnvironment(domainSettings, { ...DOMAIN_ENVIRONMENT, CONTROL_TABLE: tables.control }), () => ({
      kind: 'workflow',
    }));
    expect([work.edgeHost, (await work.authority.caaIdentity()).issuers[0], work.clock()]).toEqual([
      'edge.platform.dev',
      'amazon.com',
      expect.any(Number),
    ]);
    vi.unstubAllEnvs();
  });
});

describe.runIf(dynamoDbEndpoint !== undefined)('Lambda entry of emails to owners', () => {
  const context = { getRemainingTimeInMillis: () => 50_000 };

  test('finds a quota that is used up, sends an email about it once, and reports faults', async () => {
    const [cognito, ses] = [mockedClient(CognitoIdentityProviderClient), mockedClient(SESv2Client)];
    const { clients, tables } = await makeTables();
    const environment = { ...NOTIFIER_ENVIRONMENT, USAGE_TABLE: tables.usage, CONTROL_TABLE: tables.control, AUDIT_TABLE: tables.audit };
    const aws = { AWS_ENDPOINT_URL: dynamoDbEndpoint, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    for (const [name, value] of Object.entries({ ...environment, ...aws })) vi.stubEnv(name, value);
    const stores = { ...createDynamoDbStores(clients, tables), ...createDynamoDbProjectStores(clients, tables) };
    const account = sampleAccount({ perMinute: 1, perDay: 1 });
    const { text: _, ...key } = sampleKey(account.id);
    await stores.accounts.createAccount(account);
    await stores.accounts.addKey(key, 10, NOON);
    await stores.usage.admit({ accountId: account.id, digest: key.digest }, Date.now());
    await stores.members.addMember(account.id, 'usr_ann', 'owner');
    const UserAttributes = Object.entries({ email: 'ann@example.com', email_verified: 'true' }).map(([Name, Value]) => ({ Name, Value }));
    cognito.on(AdminGetUserCommand).resolves({ Enabled: true, UserAttributes });
    ses.on(SendEmailCommand).resolves({ MessageId: '1' });
    const { handler } = await import('../../../functions/notifier.ts');
    expect(await handler({}, context)).toEqual({ sent: 0, lost: 0, added: 0 });
    expect(await handler({ survey: true }, context)).toEqual({ sent: 1, lost: 0, added: 1 });
    expect(await handler({ survey: true }, context)).toEqual({ sent: 0, lost: 0, added: 0 });
    const input = ses.commandCalls(SendEmailCommand).map(({ args: [{ input: sent }] }) => sent);
    expect(input).toMatchObject([
      { Destination: { ToAddresses: ['ann@example.com'] }, Content: { Simple: { Subject: { Data: 'The daily quota is used up' } } } },
    ]);

    // The link of an invitation is made for the email that has it.
    const invitation = { accountId: account.id, email: 'cat@example.com', role: 'member', invitedBy: 'usr_ann', mailed: true } as const;
    expect(await invite(stores, randomBytes, { ...invitation, now: Date.now() })).toMatchObject({ ok: true });
    expect(await handler({}, context)).toEqual({ sent: 1, lost: 0, added: 0 });
    const [made] = (await stores.audit?.entries({ accountId: account.id }, 1))?.items ?? [];
    expect(made).toMatchObject({ action: 'invitation.link_created', actor: { kind: 'service' } });

    await stores.members.addMember(account.id, 'usr_bob', 'owner', memberAdded(account.id, 'usr_bob', Date.now()));
    ses.on(SendEmailCommand).rejects(Object.assign(new Error('not verified'), { name: 'MessageRejected' }));
    expect(await handler({}, context)).toEqual({ sent: 0, lost: 2, added: 0 });
    // Without time, nothing is begun; without tables, the fault is not swallowed.
    expect(await handler({}, { getRemainingTimeInMillis: () => 1_000 })).toEqual({ sent: 0, lost: 0, added: 0 });
    for (const TableName of [tables.control, tables.usage]) await clients.retrying.send(new DeleteTableCommand({ TableName }));
    await expect(handler({ survey: true }, context)).rejects.toThrow('DynamoDB Scan');
    vi.unstubAllEnvs();
  });
});

describe.runIf(dynamoDbEndpoint !== undefined)('Lambda entry of a gate', () => {
  test('starts without its secret, says why, and then refuses what it admits', async () => {
    const ssm = mockedClient(SSMClient);
    ssm.on(GetParameterCommand).rejects(Object.assign(new Error('no such parameter'), { name: 'ParameterNotFound' }));
    const { clients, tables } = await makeTables();
    const environment = { ...GATE_ENVIRONMENT, USAGE_TABLE: tables.usage, CONTROL_TABLE: tables.control };
    const aws = { AWS_ENDPOINT_URL: dynamoDbEndpoint, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    for (const [name, value] of Object.entries({ ...environment, ...aws })) vi.stubEnv(name, value);
    const stores = createDynamoDbStores(clients, tables);
    const account = sampleAccount();
    const { text, ...key } = sampleKey(account.id);
    await stores.accounts.createAccount(account);
    await stores.accounts.addKey(key, 10, NOON);
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(console, 'info').mockImplementation(() => {});
    vi.spyOn(console, 'log').mockImplementation(() => {});
    const sent = vi.spyOn(globalThis, 'fetch');
    const { handler } = await import('../../../functions/gate.ts');
    expect(String(log.mock.calls)).toContain('/orders/gate-secret');
    expect(String(log.mock.calls)).toContain('ParameterNotFound');
    const http = { method: 'GET', path: '/', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' };
    const requestContext = { requestId: 'r1', timeEpoch: Date.now(), http };
    const event = { rawPath: '/', rawQueryString: '', isBase64Encoded: false, requestContext, headers: { authorization: `Bearer ${text}` } };
    const response = await handler(event as unknown as APIGatewayProxyEventV2, { getRemainingTimeInMillis: () => 10_000 } as Context);
    expect([response.statusCode, JSON.parse(response.body)]).toMatchObject([502, { code: 'bad_gateway' }]);
    expect(sent).not.toHaveBeenCalled();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
});

describe.runIf(dynamoDbEndpoint !== undefined)('Lambda entry of the control API', () => {
  test("answers a signed-in user from its stage's tables", async () => {
    const ssm = mockedClient(SSMClient);
    ssm.on(GetParameterCommand).resolves({ Parameter: { Value: 'd1.cloudfront.net' } });
    const { tables } = await makeTables();
    const names = { PETS_TABLE: tables.pets, USAGE_TABLE: tables.usage, CONTROL_TABLE: tables.control, AUDIT_TABLE: tables.audit };
    const environment = { ...CONTROL_ENVIRONMENT, ...names };
    const aws = { AWS_ENDPOINT_URL: dynamoDbEndpoint, AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    for (const [name, value] of Object.entries({ ...environment, ...aws })) vi.stubEnv(name, value);
    const { handler } = await import('../../../functions/control.ts');
    const claims = { sub: 'user-1', email: 'ann@example.com' };
    const made = await handler(controlEvent('POST', '/accounts', { claims, body: '{"name":"Shop"}' }), CONTEXT);
    expect(made.statusCode).toBe(201);
    const me = JSON.parse((await handler(controlEvent('GET', '/me', { claims }), CONTEXT)).body);
    expect(me).toMatchObject({
      userId: 'user-1',
      email: 'ann@example.com',
      accounts: [{ name: 'Shop', plan: 'free' }],
      platform: { sandboxSuffix: null },
    });
    const { accountId } = JSON.parse(made.body);
    const entries = JSON.parse((await handler(controlEvent('GET', `/accounts/${accountId}/audit`, { claims }), CONTEXT)).body);
    expect(entries).toMatchObject([
      { action: 'member.added', subject: 'user-1', actor: { kind: 'user', id: 'user-1', address: null }, requestId: 'r1' },
      { action: 'account.created', subject: accountId, actor: { kind: 'user', id: 'user-1' } },
    ]);
    expect((await handler(controlEvent('GET', '/sandbox/records', { claims }), CONTEXT)).statusCode).toBe(404);
    expect((await handler(controlEvent('GET', '/me'), CONTEXT)).statusCode).toBe(401);
    vi.unstubAllEnvs();
  });
});
