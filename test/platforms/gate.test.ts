// The invocation of the function behind a gate, and the gate's settings.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, test } from 'vitest';
import { gateSettings, parseEnvironment } from '../../platforms/aws/function-settings.ts';
import { createInvoke } from '../../platforms/aws/gate.ts';
import { createSecretReader } from '../../platforms/aws/gate-secret.ts';
import { mockedClient } from '../support/mocked-clients.ts';

const ROOT = join(import.meta.dirname, '../..');
const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:orders';
const CONFIG = { region: 'eu-central-1', maxAttempts: 1, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };

/** How an invocation that ends with each documented error is answered. */
const OF_INVOKE: Readonly<Record<string, 'busy' | 'failed' | 'too_large'>> = {
  CodeArtifactUserDeletedException: 'failed',
  CodeArtifactUserFailedException: 'failed',
  CodeArtifactUserPendingException: 'busy',
  DurableExecutionAlreadyStartedException: 'failed',
  EC2AccessDeniedException: 'failed',
  EC2ThrottledException: 'busy',
  EC2UnexpectedException: 'failed',
  EFSIOException: 'failed',
  EFSMountConnectivityException: 'failed',
  EFSMountFailureException: 'failed',
  EFSMountTimeoutException: 'failed',
  ENILimitReachedException: 'busy',
  ENINotReadyException: 'busy',
  InvalidParameterValueException: 'failed',
  InvalidRequestContentException: 'failed',
  InvalidRuntimeException: 'failed',
  InvalidSecurityGroupIDException: 'failed',
  InvalidSubnetIDException: 'failed',
  InvalidZipFileException: 'failed',
  KMSAccessDeniedException: 'failed',
  KMSDisabledException: 'failed',
  KMSInvalidStateException: 'failed',
  KMSNotFoundException: 'failed',
  ModeNotSupportedException: 'failed',
  NoPublishedVersionException: 'failed',
  RecursiveInvocationException: 'failed',
  RequestTooLargeException: 'too_large',
  ResourceConflictException: 'busy',
  ResourceNotFoundException: 'failed',
  ResourceNotReadyException: 'busy',
  S3FilesMountConnectivityException: 'failed',
  S3FilesMountFailureException: 'failed',
  S3FilesMountTimeoutException: 'failed',
  SerializedRequestEntityTooLargeException: 'too_large',
  ServiceException: 'failed',
  ServiceQuotaExceededException: 'failed',
  SnapStartException: 'failed',
  SnapStartNotReadyException: 'busy',
  SnapStartRegenerationFailureException: 'failed',
  SnapStartTimeoutException: 'busy',
  SubnetIPAddressLimitReachedException: 'busy',
  TooManyRequestsException: 'busy',
  UnsupportedMediaTypeException: 'failed',
};

describe('an invocation', () => {
  const client = new LambdaClient(CONFIG);
  const mock = mockedClient(client);
  const invoke = createInvoke(ARN, client);
  const failing = (name: string) => Object.assign(new Error('secret'), { name });

  test('returns what the function returned', async () => {
    mock.reset();
    mock.resolves({ Payload: Buffer.from('{"a":1}') as never });
    expect(await invoke('{"b":2}', 5_000)).toEqual({ kind: 'returned', payload: '{"a":1}' });
    const { FunctionName, Payload } = mock.commandCalls(InvokeCommand)[0]?.args[0].input ?? {};
    expect([FunctionName, String(Payload)]).toEqual([ARN, '{"b":2}']);
  });

  test('that throws has no payload', async () => {
    mock.resolves({ FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"secret"}') as never });
    expect(await invoke('{}', 5_000)).toEqual({ kind: 'failed' });
  });

  test.each([
    ...Object.entries(OF_INVOKE),
    ['TimeoutError', 'timeout'],
    // Not in the API reference, but what AWS returns to a role without permission, and the SDK without credentials.
    ['AccessDeniedException', 'failed'],
    ['CredentialsProviderError', 'failed'],
  ])('that ends with %s is %s', async (name, kind) => {
    const error = failing(name);
    mock.rejects(error);
    expect(await invoke('{}', 5_000)).toEqual(kind === 'failed' ? { kind, error } : { kind });
  });

  test('has an outcome for each error of the operation', () => {
    const source = readFileSync(join(ROOT, 'node_modules/@aws-sdk/client-lambda/dist-types/commands/InvokeCommand.d.ts'), 'utf8');
    const documented = [...source.matchAll(/@throws \{@link (\w+)\} \(/g)].map(([, name]) => name);
    expect(Object.keys(OF_INVOKE).toSorted()).toEqual(documented.toSorted());
  });

  test('whose connection breaks has failed: the function may have got the request', async () => {
    const server = createServer((request) => void request.socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const real = new LambdaClient({ ...CONFIG, endpoint: `http://127.0.0.1:${port}` });
    expect(await createInvoke(ARN, real)('{}', 5_000)).toEqual({ kind: 'failed', error: expect.any(Error) });
    server.close();
  });

  test('that takes too long is a timeout', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const real = new LambdaClient({ ...CONFIG, endpoint: `http://127.0.0.1:${port}` });
    expect(await createInvoke(ARN, real)('{}', 50)).toEqual({ kind: 'timeout' });
    server.closeAllConnections();
    server.close();
  });
});

describe("a target's secret", () => {
  const client = new SSMClient(CONFIG);
  const mock = mockedClient(client);
  const read = createSecretReader('/orders/gate-secret', client);

  test('is the decrypted value of its parameter', async () => {
    mock.resolves({ Parameter: { Value: 'a-secret' } });
    expect(await read()).toBe('a-secret');
    expect(mock.commandCalls(GetParameterCommand)[0]?.args[0].input).toEqual({ Name: '/orders/gate-secret', WithDecryption: true });
  });

  test('that can not be read is a fault', async () => {
    mock.rejects(Object.assign(new Error('no such parameter'), { name: 'ParameterNotFound' }));
    await expect(read()).rejects.toThrow('no such parameter');
  });
});

describe("a gate's settings", () => {
  const common = { USAGE_TABLE: 'orders-usage', CONTROL_TABLE: 'orders-control', TARGET_TIMEOUT_MS: '1000', SERVICE_NAME: 'petstore-orders' };
  const scopes = { READ_SCOPE: 'pets:read', WRITE_SCOPE: 'pets:write' };

  test('name one target', () => {
    expect(parseEnvironment(gateSettings, { ...common, ...scopes, TARGET_FUNCTION: ARN })).toMatchObject({
      TARGET_FUNCTION: ARN,
      DRAFT_HEADERS: false,
    });
    expect(parseEnvironment(gateSettings, { ...common, ...scopes, TARGET_URL: 'https://a.example', DRAFT_HEADERS: 'on' })).toMatchObject({
      TARGET_URL: 'https://a.example',
      DRAFT_HEADERS: true,
    });
    const TARGET_SECRET_PARAMETER = '/orders/gate-secret';
    expect(parseEnvironment(gateSettings, { ...common, ...scopes, TARGET_URL: 'https://a.example', TARGET_SECRET_PARAMETER })).toMatchObject({
      ...{ TARGET_URL: 'https://a.example', TARGET_SECRET_PARAMETER },
    });
    expect(() => parseEnvironment(gateSettings, { ...common, ...scopes, TARGET_FUNCTION: ARN, TARGET_SECRET_PARAMETER })).toThrow(
      'only with TARGET_URL',
    );
    expect(() => parseEnvironment(gateSettings, { ...common, ...scopes })).toThrow('either this setting or TARGET_URL');
    expect(() => parseEnvironment(gateSettings, { ...common, ...scopes, TARGET_FUNCTION: ARN, TARGET_URL: 'https://a.example' })).toThrow(
      'either this setting or TARGET_URL',
    );
  });

  test('are all reported if missing or wrong', () => {
    expect(() => parseEnvironment(gateSettings, { TARGET_URL: 'http://a.example' })).toThrow(
      /USAGE_TABLE[\s\S]*TARGET_URL: an https URL[\s\S]*READ_SCOPE/,
    );
  });
});
