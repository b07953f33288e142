// Mocked clients check requests against AWS's rules.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFrontClient, GetDistributionTenantCommand } from '@aws-sdk/client-cloudfront';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { expect, test } from 'vitest';
import { CLIENT_SETTINGS } from '../support/memory-aws/account.ts';
import { MemoryAws } from '../support/memory-aws.ts';
import { mockedClient, refusalsOf, takeViolations } from '../support/mocked-clients.ts';

const MISSING = 'ssm:GetParameter: Name is undefined; required';

/** An input that the types don't allow. */
const withoutName = () => new GetParameterCommand(JSON.parse('{}'));

test('a request that follows the rules is answered and recorded', async () => {
  const mock = mockedClient(SSMClient);
  mock.on(GetParameterCommand).resolves({ Parameter: { Value: 'x' } });
  const answer = await new SSMClient(CLIENT_SETTINGS).send(new GetParameterCommand({ Name: '/a' }));
  expect([answer.Parameter?.Value, mock.commandCalls(GetParameterCommand).length]).toEqual(['x', 1]);
});

test('a request that breaks a rule is refused, whatever the handler returns, and reported even if the error is swallowed', async () => {
  const mock = mockedClient(SSMClient);
  for (const reset of [() => {}, () => mock.reset(), () => mock.resetHistory()]) {
    reset();
    mock.onAnyCommand().resolves({});
    const client = new SSMClient(CLIENT_SETTINGS);
    await client.send(withoutName()).catch(() => {});
    await expect(client.send(withoutName())).rejects.toMatchObject({ name: 'ValidationException', message: MISSING });
    expect([takeViolations(), refusalsOf(client)]).toEqual([[MISSING], [MISSING, MISSING]]);
  }
});

test('an operation that is not in models/ is refused', async () => {
  mockedClient(SSMClient).onAnyCommand().resolves({});
  await expect(new SSMClient(CLIENT_SETTINGS).send(new PutParameterCommand({ Name: '/a', Value: 'x' }))).rejects.toThrow('has no such operation');
  expect(takeViolations()).toHaveLength(1);
});

test('one client is mocked, and others of its class are not', async () => {
  const [one, other] = [new CloudFrontClient(CLIENT_SETTINGS), new CloudFrontClient(CLIENT_SETTINGS)];
  mockedClient(one).on(GetDistributionTenantCommand).resolves({ ETag: 'v1' });
  expect((await one.send(new GetDistributionTenantCommand({ Identifier: 'x' }))).ETag).toBe('v1');
  expect(Object.hasOwn(other, 'send')).toBe(false);
});

test('a service in memory answers nothing that AWS would refuse', async () => {
  const aws = new MemoryAws();
  await expect(aws.cloudFront.send(new GetDistributionTenantCommand(JSON.parse('{}')))).rejects.toMatchObject({ name: 'ValidationException' });
  const [violation] = takeViolations();
  expect([violation, aws.refused, aws.calls]).toEqual(['cloudfront:GetDistributionTenant: Identifier is undefined; required', [violation], 0]);
});

test('every test mocks its clients here', () => {
  const root = join(import.meta.dirname, '../..');
  const files = globSync('{test,infra/test}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] });
  const mocking = files.filter((file) => /import \{[^}]*\bmockClient\b/.test(readFileSync(join(root, file), 'utf8')));
  expect(mocking).toEqual(['test/support/mocked-clients.ts']);
});

test('later mocks of a class replace earlier ones', async () => {
  mockedClient(SSMClient).onAnyCommand().rejects('earlier');
  mockedClient(SSMClient).on(GetParameterCommand).resolves({});
  expect(await new SSMClient(CLIENT_SETTINGS).send(new GetParameterCommand({ Name: '/a' }))).toEqual({});
});
