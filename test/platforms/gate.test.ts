// The invocation of the function behind a gate, and the gate's settings.

import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, test } from 'vitest';
import { createInvoke } from '../../platforms/aws/gate.ts';
import { parseGateSettings } from '../../platforms/aws/gate-settings.ts';
import { mockedClient } from '../support/mocked-clients.ts';

const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:orders';

describe('an invocation', () => {
  const client = new LambdaClient({ region: 'eu-central-1', maxAttempts: 1, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  const mock = mockedClient(client);
  const invoke = createInvoke(ARN, 50, client);
  const failing = (name: string) => Object.assign(new Error('secret'), { name });

  test('returns what the function returned', async () => {
    mock.reset();
    mock.resolves({ Payload: Buffer.from('{"a":1}') as never });
    expect(await invoke('{"b":2}')).toEqual({ kind: 'returned', payload: '{"a":1}' });
    const { FunctionName, Payload } = mock.commandCalls(InvokeCommand)[0]?.args[0].input ?? {};
    expect([FunctionName, String(Payload)]).toEqual([ARN, '{"b":2}']);
  });

  test('that throws has no payload', async () => {
    mock.resolves({ FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"secret"}') as never });
    expect(await invoke('{}')).toEqual({ kind: 'failed' });
  });

  test.each([
    ['TooManyRequestsException', 'throttled'],
    ['RequestTooLargeException', 'too_large'],
    ['TimeoutError', 'timeout'],
    ['AbortError', 'timeout'],
  ])('that ends with %s is %s', async (name, kind) => {
    mock.rejects(failing(name));
    expect(await invoke('{}')).toEqual({ kind });
  });

  test('that is not permitted is a fault of ours', async () => {
    mock.rejects(failing('AccessDeniedException'));
    await expect(invoke('{}')).rejects.toThrow('secret');
  });
});

describe("a gate's settings", () => {
  const common = { USAGE_TABLE: 'orders-usage', CONTROL_TABLE: 'orders-control', TARGET_TIMEOUT_MS: '1000', SERVICE_NAME: 'petstore-orders' };
  const scopes = { READ_SCOPE: 'pets:read', WRITE_SCOPE: 'pets:write' };

  test('name one target', () => {
    expect(parseGateSettings({ ...common, ...scopes, TARGET_FUNCTION: ARN })).toMatchObject({ target: { functionArn: ARN }, draftHeaders: false });
    expect(parseGateSettings({ ...common, ...scopes, TARGET_URL: 'https://a.example', DRAFT_HEADERS: 'on' })).toMatchObject({
      target: { url: 'https://a.example' },
      draftHeaders: true,
    });
    expect(() => parseGateSettings({ ...common, ...scopes })).toThrow('either it or TARGET_URL');
    expect(() => parseGateSettings({ ...common, ...scopes, TARGET_FUNCTION: ARN, TARGET_URL: 'https://a.example' })).toThrow(
      'either it or TARGET_URL',
    );
  });

  test('are all reported if missing or wrong', () => {
    expect(() => parseGateSettings({ TARGET_URL: 'http://a.example' })).toThrow(/USAGE_TABLE[\s\S]*TARGET_URL: an https URL[\s\S]*READ_SCOPE/);
  });
});
